//! What of a stream is shown while it comes: texts, thoughts, and the calls of the tools on offer, without our secrets in them.
//!
//! A secret that comes in pieces is found too: the beginning of one waits for what follows. The whole turn is cleaned elsewhere.

use std::collections::{BTreeMap, HashSet};

use innkeeper_protocol::id::ModelAlias;
use innkeeper_protocol::model::LiveDelta;

use crate::secrets::{Secrets, Veil};

/// What may be shown, and what was.
pub(super) struct Showing {
    aliases: HashSet<String>,
    secrets: Secrets,
    text: Veil,
    reasoning: Veil,
    /// Of the calls that were announced, by their place in the turn.
    arguments: BTreeMap<usize, Veil>,
}

impl Showing {
    /// Only calls of these tools are shown.
    pub(super) fn new(tools: impl IntoIterator<Item = ModelAlias>, secrets: Secrets) -> Self {
        Self {
            aliases: tools.into_iter().map(|alias| alias.as_str().to_owned()).collect(),
            secrets,
            text: Veil::default(),
            reasoning: Veil::default(),
            arguments: BTreeMap::new(),
        }
    }

    /// What of a piece is shown now.
    pub(super) fn pass(&mut self, delta: LiveDelta) -> Option<LiveDelta> {
        let secrets = &self.secrets;
        let some = |text: String| Some(text).filter(|text| !text.is_empty());
        match delta {
            LiveDelta::Text(text) => some(self.text.feed(secrets, text)).map(LiveDelta::Text),
            LiveDelta::Reasoning(text) => some(self.reasoning.feed(secrets, text)).map(LiveDelta::Reasoning),
            LiveDelta::Call { index, alias } => {
                if !self.aliases.contains(&alias) || self.arguments.contains_key(&index) {
                    return None;
                }
                self.arguments.insert(index, Veil::default());
                Some(LiveDelta::Call { index, alias })
            }
            LiveDelta::Arguments { index, text } => {
                let veil = self.arguments.get_mut(&index)?;
                some(veil.feed(secrets, text)).map(|text| LiveDelta::Arguments { index, text })
            }
        }
    }

    /// What waited for more, when the stream is at its end.
    pub(super) fn finish(&mut self) -> Vec<LiveDelta> {
        let secrets = &self.secrets;
        let spoken = [
            LiveDelta::Text(self.text.finish(secrets)),
            LiveDelta::Reasoning(self.reasoning.finish(secrets)),
        ];
        let arguments = self.arguments.iter_mut().map(|(index, veil)| LiveDelta::Arguments {
            index: *index,
            text: veil.finish(secrets),
        });
        let is_something = |delta: &LiveDelta| match delta {
            LiveDelta::Text(text) | LiveDelta::Reasoning(text) | LiveDelta::Arguments { text, .. } => !text.is_empty(),
            LiveDelta::Call { .. } => true,
        };
        spoken.into_iter().chain(arguments).filter(is_something).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::ApiKey;

    const KEY: &str = "sk-canary-0123456789";

    fn showing(key: &str) -> Showing {
        let tools = ModelAlias::parse("look").ok();
        let key = ApiKey::parse(key, "INNKEEPER_API_KEY").unwrap();
        Showing::new(tools, Secrets::new(key.as_ref(), []))
    }

    fn shown(key: &str, deltas: Vec<LiveDelta>) -> Vec<LiveDelta> {
        let mut showing = showing(key);
        let mut shown: Vec<LiveDelta> = deltas.into_iter().filter_map(|delta| showing.pass(delta)).collect();
        shown.extend(showing.finish());
        shown
    }

    fn arguments(text: &str) -> LiveDelta {
        LiveDelta::Arguments {
            index: 0,
            text: text.to_owned(),
        }
    }

    fn call(alias: &str) -> LiveDelta {
        LiveDelta::Call {
            index: 0,
            alias: alias.to_owned(),
        }
    }

    #[test]
    fn a_key_in_pieces_is_shown_in_none_of_them() {
        let [text, thought] =
            [LiveDelta::Text, LiveDelta::Reasoning].map(|kind| move |text: &str| kind(text.to_owned()));
        let deltas = vec![
            text("is sk-can"),
            thought("sk-"),
            call("look"),
            arguments("{\"a\":\"sk-canary"),
            text("ary-0123456789?"),
            arguments("-01234\\u00356789\"}"),
            thought("x s"),
        ];
        let expected = [
            text("is "),
            call("look"),
            arguments("{\"a\":\""),
            text("[secret]?"),
            arguments("[secret]\"}"),
            thought("sk-x "),
            thought("s"),
        ];
        assert_eq!(shown(KEY, deltas), expected);
    }

    #[test]
    fn without_a_key_that_is_a_secret_every_piece_passes_as_it_comes() {
        let deltas = vec![call("look"), arguments("no"), LiveDelta::Text("none".into())];
        assert_eq!(shown("none", deltas.clone()), deltas);
    }

    #[test]
    fn calls_of_other_tools_and_calls_begun_twice_are_not_shown() {
        let deltas = vec![
            call("other"),
            arguments("a"),
            call("look"),
            call("look"),
            arguments("b"),
        ];
        assert_eq!(shown("", deltas), [call("look"), arguments("b")]);
    }
}
