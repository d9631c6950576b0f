//! Guidance becomes part of a request: everything that waits, as one message of the person.
//!
//! The mailbox itself, its limits and what is submitted when, are the executor's.

use innkeeper_protocol::event::{GuidanceAppliedPayload, RunEvent};
use innkeeper_protocol::guidance::Guidance;
use innkeeper_protocol::model::{Message, Role};
use innkeeper_text::measure;

use crate::run::{Run, root};
use crate::step::{Effects, append};

impl Run {
    /// Takes what a person has said since the last request.
    pub(crate) fn apply_guidance(&mut self, items: &[Guidance], out: &mut Effects) {
        let Some(first) = items.first() else { return };
        let metrics = |count: fn(&innkeeper_text::Metrics) -> u32| {
            items
                .iter()
                .map(|item| count(&measure(&item.text)))
                .fold(0, u32::saturating_add)
        };
        self.conversation.push(Message::of_text(Role::User, render(items)));
        out.push(append(RunEvent::UserGuidanceApplied(GuidanceAppliedPayload {
            guidance_ids: items.iter().map(|item| item.id.clone()).collect(),
            client_guidance_ids: items.iter().map(|item| item.client_id.clone()).collect(),
            invocation_id: root(),
            round: self.round,
            count: items.len(),
            chars: metrics(|text| text.chars),
            words: metrics(|text| text.words),
            preview: first.preview(),
            message_index: self.conversation.message_count().saturating_sub(1),
            request_message_count: self.conversation.message_count(),
            status: "applied".to_owned(),
        })));
    }
}

/// The person's words, marked as such; several items are numbered.
fn render(items: &[Guidance]) -> String {
    let body = match items {
        [only] => only.text.clone(),
        many => {
            let numbered = many
                .iter()
                .zip(1..)
                .map(|(item, number)| format!("<guidance index=\"{number}\">\n{}\n</guidance>", item.text));
            numbered.collect::<Vec<_>>().join("\n")
        }
    };
    format!("<user_guidance>\n{body}\n</user_guidance>")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(text: &str) -> Guidance {
        Guidance::new(format!("guidance_{text}"), None, text).unwrap()
    }

    #[test]
    fn one_item_stands_alone_and_several_are_numbered() {
        assert_eq!(render(&[item("slower")]), "<user_guidance>\nslower\n</user_guidance>");
        let both = "<user_guidance>\n<guidance index=\"1\">\nslower\n</guidance>\n<guidance index=\"2\">\nsadder\n</guidance>\n</user_guidance>";
        assert_eq!(render(&[item("slower"), item("sadder")]), both);
    }
}
