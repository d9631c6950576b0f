//! Character cards: the three versions of the format as one type (<https://github.com/malfoyslastname/character-card-spec-v2>,
//! <https://github.com/kwaroran/character-card-spec-v3>).
//!
//! Only what a prompt needs is taken; a card is never written back, so nothing can be lost. Macros stay as they are, and the card's book
//! stays as it came: [`Book`](crate::worldinfo::Book) reads it. Files, PNG images among them, are read elsewhere.

mod error;

use innkeeper_protocol::model::Role;
use serde_json::{Map, Value};

pub use error::CardError;

use crate::fields::{Fields, Found};

/// Where a card's note goes when it does not say.
const DEFAULT_NOTE_DEPTH: u32 = 4;

/// Who a character is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Card {
    /// The name; never blank.
    pub name: String,
    /// What `{{char}}` stands for instead of the name; may be empty.
    pub nickname: String,
    /// Looks, history, manners.
    pub description: String,
    /// The personality in short.
    pub personality: String,
    /// What is going on.
    pub scenario: String,
    /// The greeting that a chat begins with.
    pub first_message: String,
    /// Examples of how the character talks.
    pub example_messages: String,
    /// Words to the person who uses the card, not to the model; world info may look for keys in them.
    pub creator_notes: String,
    /// The author's words for the beginning of a prompt.
    pub system_prompt: String,
    /// The author's words for the end of a prompt.
    pub post_history_instructions: String,
    /// What the card is filed under.
    pub tags: Vec<String>,
    /// A note that goes between the messages.
    pub note: Option<Note>,
    /// The card's own world info, as it came.
    pub book: Option<Value>,
}

/// A text between the messages of a chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The text.
    pub text: String,
    /// Messages after it.
    pub depth: u32,
    /// Who says it.
    pub role: Role,
}

impl Card {
    /// Reads a card of any version.
    ///
    /// A second or third version lies in `data`; cards that call themselves so and have no `data` are read like the first version.
    ///
    /// # Errors
    /// [`CardError`] when it is no card, has no name, or a field holds something else than the format says. What extensions put into a
    /// card is taken where it fits and passed over where it does not.
    pub fn parse(value: &Value) -> Result<Self, CardError> {
        let Value::Object(root) = value else {
            return Err(CardError::NotAnObject {
                found: Found::of(value),
            });
        };
        if root.get("spec").and_then(Value::as_str) == Some("lorebook_v3") {
            return Err(CardError::Book);
        }
        match root.get("data") {
            Some(Value::Object(data)) => Self::of_fields(data, "data."),
            _ => Self::of_fields(root, ""),
        }
    }

    fn of_fields(object: &Map<String, Value>, path: &str) -> Result<Self, CardError> {
        let fields = Fields::new(object, path);
        let name = fields.text("name")?.trim().to_owned();
        if name.is_empty() {
            return Err(CardError::NameMissing {
                field: format!("{path}name"),
            });
        }
        Ok(Self {
            name,
            nickname: fields.text("nickname")?.trim().to_owned(),
            description: fields.text("description")?,
            personality: fields.text("personality")?,
            scenario: fields.text("scenario")?,
            first_message: fields.text("first_mes")?,
            example_messages: fields.text("mes_example")?,
            creator_notes: fields.text("creator_notes")?,
            system_prompt: fields.text("system_prompt")?,
            post_history_instructions: fields.text("post_history_instructions")?,
            tags: fields.texts("tags")?,
            note: note(fields),
            book: fields.object("character_book")?.cloned().map(Value::Object),
        })
    }

    /// What `{{char}}` stands for.
    #[must_use]
    pub fn spoken_name(&self) -> &str {
        if self.nickname.is_empty() {
            &self.name
        } else {
            &self.nickname
        }
    }
}

/// SillyTavern's `extensions.depth_prompt`.
fn note(fields: Fields<'_>) -> Option<Note> {
    let extensions = fields.object("extensions").ok()??;
    let Some(Value::Object(found)) = extensions.get("depth_prompt") else {
        return None;
    };
    let found = Fields::new(found, "");
    let text = found.text("prompt").ok()?;
    let role = match found.get("role").and_then(Value::as_str) {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        _ => Role::System,
    };
    (!text.trim().is_empty()).then(|| Note {
        text,
        depth: found.count("depth").unwrap_or(DEFAULT_NOTE_DEPTH),
        role,
    })
}

#[cfg(test)]
mod tests;
