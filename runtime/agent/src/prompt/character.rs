//! The character and its world as texts of a prompt: what stands in the system prompt, and what goes between the messages.
//!
//! Their authors are strangers. Each part stands under a heading that says whose words they are, after our own rules; nothing in them
//! changes what the agent may do.

use innkeeper_protocol::model::Role;
use innkeeper_protocol::worldinfo::{ActivatedEntry, Activation, EntryPosition};

use super::history::Insertion;
use super::macros::Names;
use crate::card::{Card, Note};
use crate::worldinfo::Activated;

/// Where an author's note stands by default, and so what goes above and below it.
const NOTE_DEPTH: usize = 4;

/// A text of world info, and where it belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorldText {
    /// Where.
    pub position: EntryPosition,
    /// Messages after it, where it goes between messages.
    pub depth: usize,
    /// Who says it there.
    pub role: Role,
    /// The text.
    pub content: String,
}

impl WorldText {
    /// What a front end activated. It says neither depth, role nor order, so entries stay as it has them.
    #[must_use]
    pub fn of_activation(activation: &Activation) -> Vec<Self> {
        let text = |entry: &ActivatedEntry| Self {
            position: entry.position.unwrap_or(EntryPosition::Before),
            depth: NOTE_DEPTH,
            role: Role::System,
            content: entry.content.clone(),
        };
        activation.entries.iter().map(text).collect()
    }

    /// What a scan activated, lowest order first: what stands last counts most with a model.
    #[must_use]
    pub fn of_scan(entries: &[Activated]) -> Vec<Self> {
        let mut ordered: Vec<&Activated> = entries.iter().collect();
        ordered.sort_by_key(|entry| entry.order);
        let text = |entry: &Activated| Self {
            position: entry.position,
            depth: usize::try_from(entry.depth).unwrap_or(usize::MAX),
            role: entry.role,
            content: entry.content.clone(),
        };
        ordered.into_iter().map(text).collect()
    }
}

/// Who plays where.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    /// Who talks to whom.
    pub names: &'a Names,
    /// The character, if there is a card.
    pub card: Option<&'a Card>,
    /// The world, in the order in which its texts are to stand.
    pub world: &'a [WorldText],
    /// Whether nothing was said yet: then the card's greeting is shown.
    pub is_new: bool,
}

impl Scene<'_> {
    /// The system prompt: our rules, then the card's and the world's texts.
    #[must_use]
    pub fn system(&self, rules: &str) -> String {
        let mut parts = vec![rules.trim_end().to_owned()];
        parts.extend(Self::section("World", &[self.world_at(EntryPosition::Before)]));
        parts.extend(self.character());
        parts.extend(Self::section(
            "More of the world",
            &[self.world_at(EntryPosition::After)],
        ));
        parts.extend(self.examples());
        parts.extend(self.instructions());
        parts.retain(|part| !part.trim().is_empty());
        parts.join("\n\n")
    }

    /// What goes between the messages, and behind them.
    #[must_use]
    pub fn insertions(&self) -> Vec<Insertion> {
        let mut inserted: Vec<Insertion> = Vec::new();
        let note = self.card.and_then(|card| card.note.as_ref());
        for text in self.world {
            let depth = match text.position {
                EntryPosition::Depth => text.depth,
                EntryPosition::AnTop | EntryPosition::AnBottom => NOTE_DEPTH,
                EntryPosition::Before
                | EntryPosition::After
                | EntryPosition::EmTop
                | EntryPosition::EmBottom
                | EntryPosition::Outlet => continue,
            };
            let role = if text.position == EntryPosition::Depth {
                text.role
            } else {
                Role::System
            };
            inserted.push(Insertion {
                depth,
                role,
                text: text.content.clone(),
            });
        }
        inserted.extend(note.map(|note| self.note(note)));
        let last = self
            .card
            .map(|card| self.names.expand_instructions(&card.post_history_instructions));
        inserted.extend(last.map(|text| Insertion {
            depth: 0,
            role: Role::System,
            text,
        }));
        inserted.retain(|insertion| !insertion.text.trim().is_empty());
        inserted
    }

    fn note(&self, note: &Note) -> Insertion {
        Insertion {
            depth: usize::try_from(note.depth).unwrap_or(usize::MAX),
            role: note.role,
            text: self.names.expand(&note.text),
        }
    }

    fn character(&self) -> Option<String> {
        let card = self.card?;
        let labelled = |label: &str, text: &str| {
            let text = self.names.expand(text.trim());
            (!text.is_empty()).then(|| format!("{label}: {text}"))
        };
        let parts = [
            Some(self.names.expand(card.description.trim())),
            labelled("Personality", &card.personality),
            labelled("Scenario", &card.scenario),
        ];
        // A name of several lines would end the heading and begin something of its own.
        let name: Vec<&str> = self.names.character().split_whitespace().collect();
        let heading = format!("Character: {}", name.join(" "));
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        // A card with a name and nothing else still says who is played.
        Some(Self::section(&heading, &parts).unwrap_or_else(|| format!("## {heading}")))
    }

    fn examples(&self) -> Option<String> {
        let of_card = |text: fn(&Card) -> &String| {
            self.card
                .map(|card| self.names.expand(text(card).trim()))
                .unwrap_or_default()
        };
        let greeting = if self.is_new {
            of_card(|card| &card.first_message)
        } else {
            String::new()
        };
        let examples = [
            self.world_at(EntryPosition::EmTop),
            of_card(|card| &card.example_messages),
            self.world_at(EntryPosition::EmBottom),
        ];
        let examples = Self::section("How the character talks", &examples);
        let greeting = Self::section("How the story begins", &[greeting]);
        let both: Vec<String> = [examples, greeting].into_iter().flatten().collect();
        (!both.is_empty()).then(|| both.join("\n\n"))
    }

    fn instructions(&self) -> Option<String> {
        let text = self.names.expand_instructions(&self.card?.system_prompt);
        Self::section("The card's author asks", &[text])
    }

    fn section(heading: &str, parts: &[String]) -> Option<String> {
        let parts: Vec<&str> = parts
            .iter()
            .map(|part| part.trim())
            .filter(|part| !part.is_empty())
            .collect();
        (!parts.is_empty()).then(|| format!("## {heading}\n\n{}", parts.join("\n\n")))
    }

    fn world_at(&self, position: EntryPosition) -> String {
        let texts = self.world.iter().filter(|text| text.position == position);
        let texts: Vec<&str> = texts.map(|text| text.content.trim()).collect();
        texts.join("\n\n")
    }
}

#[cfg(test)]
mod tests;
