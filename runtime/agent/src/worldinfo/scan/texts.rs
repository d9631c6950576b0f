//! The texts that keys are looked for in: the newest messages, what was activated, and parts of the card.
//!
//! Each mixture is put together once a pass; a book that uses very many different ones pays for it in time, not in memory.

use std::collections::HashMap;

use super::ScanInput;
use crate::worldinfo::entry::AlsoIn;
use crate::worldinfo::keys::Haystack;
use crate::worldinfo::settings::{MAX_SCAN_CHARS, MAX_SCAN_DEPTH};

/// Mixtures that are kept.
const MAX_KEPT: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Mixture {
    depth: u32,
    also_in: AlsoIn,
}

pub(super) struct Texts<'a> {
    input: ScanInput<'a>,
    activated: String,
    kept: HashMap<Mixture, Haystack>,
}

impl<'a> Texts<'a> {
    pub(super) fn new(input: ScanInput<'a>) -> Self {
        Self {
            input,
            activated: String::new(),
            kept: HashMap::new(),
        }
    }

    /// Keys are also looked for in what was activated.
    pub(super) fn add(&mut self, content: &str) {
        self.activated.push('\n');
        self.activated.push_str(content);
        self.kept.clear();
    }

    /// The newest so many messages with whatever belongs to them; putting them together counts as work.
    pub(super) fn of(&mut self, depth: u32, also_in: AlsoIn, work: &mut u64) -> &Haystack {
        let mixture = Mixture {
            depth: depth.min(MAX_SCAN_DEPTH),
            also_in,
        };
        if !self.kept.contains_key(&mixture) {
            if self.kept.len() >= MAX_KEPT {
                self.kept.clear();
            }
            let made = Haystack::new(self.mix(mixture));
            *work = work.saturating_add(made.bytes());
            self.kept.insert(mixture, made);
        }
        self.kept.entry(mixture).or_default()
    }

    fn mix(&self, mixture: Mixture) -> String {
        let mut text = newest(self.input.messages, mixture.depth);
        let wanted = mixture.also_in;
        if let Some(card) = self.input.card {
            let note = card.note.as_ref().map_or("", |note| note.text.as_str());
            for (is_wanted, part) in [
                (wanted.description, card.description.as_str()),
                (wanted.personality, &card.personality),
                (wanted.note, note),
                (wanted.scenario, &card.scenario),
                (wanted.creator_notes, &card.creator_notes),
            ] {
                if is_wanted {
                    text.push('\n');
                    text.push_str(&self.input.names.expand(part));
                }
            }
        }
        text.push_str(&self.activated);
        text
    }
}

/// The newest messages, oldest first; of a very long one only the end.
fn newest(messages: &[String], depth: u32) -> String {
    let first = messages
        .len()
        .saturating_sub(usize::try_from(depth).unwrap_or(usize::MAX));
    let text = messages.get(first..).unwrap_or_default().join("\n");
    let surplus = text.chars().count().saturating_sub(MAX_SCAN_CHARS);
    if surplus == 0 {
        text
    } else {
        text.chars().skip(surplus).collect()
    }
}
