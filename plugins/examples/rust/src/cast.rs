//! Counting who speaks. It knows messages and no host.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt::Write as _;

use innkeeper_extension::host::chat::{Message, Role};
use schemars::JsonSchema;
use serde::Serialize;

/// Stands for a message without a name.
const NAMELESS: &str = "(no name)";
/// Longest name in characters; a longer one is cut, so that a list stays one.
const MAX_NAME_CHARS: usize = 60;

/// Somebody who speaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Speaker {
    pub(crate) name: String,
    pub(crate) messages: u32,
    pub(crate) words: usize,
    /// Index of the last message.
    pub(crate) last: u32,
}

/// Everybody who speaks, in the order in which they came in.
#[derive(Default)]
pub(crate) struct Cast {
    speakers: Vec<Speaker>,
    by_name: HashMap<String, usize>,
}

impl FromIterator<Message> for Cast {
    fn from_iter<T: IntoIterator<Item = Message>>(messages: T) -> Self {
        let mut cast = Self::default();
        messages
            .into_iter()
            .filter(|message| message.role != Role::System)
            .for_each(|message| cast.add(&message));
        cast
    }
}

impl Cast {
    fn add(&mut self, message: &Message) {
        let name = shown(&message.name);
        let at = *self.by_name.entry(name.clone()).or_insert(self.speakers.len());
        if at == self.speakers.len() {
            self.speakers.push(Speaker {
                name,
                messages: 0,
                words: 0,
                last: 0,
            });
        }
        if let Some(speaker) = self.speakers.get_mut(at) {
            speaker.messages = speaker.messages.saturating_add(1);
            speaker.words = speaker.words.saturating_add(message.text.split_whitespace().count());
            speaker.last = message.index;
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.speakers.len()
    }

    /// Those with the most words; who came in first goes first where they have as many.
    pub(crate) fn loudest(self, limit: u32) -> Vec<Speaker> {
        let mut speakers = self.speakers;
        speakers.sort_by_key(|speaker| Reverse(speaker.words));
        speakers.truncate(limit as usize);
        speakers
    }
}

/// A name on one line, and not too long.
fn shown(name: &str) -> String {
    let line = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.is_empty() {
        return NAMELESS.to_owned();
    }
    line.chars().take(MAX_NAME_CHARS).collect()
}

/// One line for each.
pub(crate) fn as_list(speakers: &[Speaker]) -> String {
    let mut list = String::new();
    for speaker in speakers {
        let plural = if speaker.messages == 1 { "" } else { "s" };
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            list,
            "- **{}**: {} message{plural}, {} words, last at {}",
            speaker.name, speaker.messages, speaker.words, speaker.last
        );
    }
    list.trim_end().to_owned()
}
