//! World info (lorebook) entries that a front end activated for a run, as its prompt snapshot carries them.
//!
//! Nothing is activated here: which entries apply is decided before a run starts.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::run::RunError;

/// Where an entry stands in a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryPosition {
    /// Before the character's description.
    Before,
    /// After it.
    After,
    /// Above the author's note.
    AnTop,
    /// Below the author's note.
    AnBottom,
    /// Between messages.
    Depth,
    /// Above the example messages.
    EmTop,
    /// Below the example messages.
    EmBottom,
    /// Only where a prompt asks for it by name.
    Outlet,
}

/// One activated entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActivatedEntry {
    /// `worldinfo:WORLD#UID`, or `worldinfo:activated#N` where either is empty.
    pub reference: String,
    /// The book; may be empty.
    pub world: String,
    /// The entry's id in the book, as text; may be empty.
    pub uid: String,
    /// Its name; the uid where it has none.
    pub title: String,
    /// Whether it applies whatever the chat says.
    pub constant: bool,
    /// Where it stands, if that is known.
    pub position: Option<EntryPosition>,
    /// Its text.
    pub content: String,
}

/// What was activated for a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Activation {
    /// When, in milliseconds since 1970.
    pub timestamp_ms: u64,
    /// What for, such as `normal`.
    pub trigger: String,
    /// In the order of activation; a repeated reference is left out.
    pub entries: Vec<ActivatedEntry>,
}

/// An entry as it comes; unknown keys are left alone.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawEntry {
    #[serde(default)]
    world: Option<String>,
    #[serde(default)]
    uid: Value,
    #[serde(default)]
    display_name: Option<String>,
    #[serde(default)]
    constant: Option<bool>,
    #[serde(default)]
    position: Option<String>,
    content: String,
}

impl Activation {
    /// Reads the `worldInfoActivation` of a prompt snapshot.
    ///
    /// # Errors
    /// `agent.invalid_worldinfo_activation_snapshot`, naming the entry, when the value is no object with a list of entries that each have
    /// a text.
    pub fn parse(value: &Value) -> Result<Self, RunError> {
        let invalid = |what: String| {
            RunError::invalid(
                "agent.invalid_worldinfo_activation_snapshot",
                format!("the world info activation cannot be used: {what}"),
            )
            .with_hint("It must be an object {timestampMs, trigger, entries: [{world, uid, displayName, constant, position, content}]}.")
        };
        let Some(entries) = value.get("entries").and_then(Value::as_array) else {
            return Err(invalid("it has no list `entries`".to_owned()));
        };
        let mut activation = Self {
            timestamp_ms: value.get("timestampMs").and_then(Value::as_u64).unwrap_or_default(),
            trigger: value
                .get("trigger")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned(),
            entries: Vec::with_capacity(entries.len()),
        };
        for (index, raw) in entries.iter().enumerate() {
            let raw = RawEntry::deserialize(raw).map_err(|e| invalid(format!("entry {index}: {e}")))?;
            let entry = raw.resolve(index);
            if activation.entry(&entry.reference).is_none() {
                activation.entries.push(entry);
            }
        }
        Ok(activation)
    }

    /// The entry with this reference.
    #[must_use]
    pub fn entry(&self, reference: &str) -> Option<&ActivatedEntry> {
        self.entries.iter().find(|entry| entry.reference == reference)
    }
}

impl RawEntry {
    fn resolve(self, index: usize) -> ActivatedEntry {
        let uid = match self.uid {
            Value::String(text) => text,
            Value::Number(number) => number.to_string(),
            _ => String::new(),
        };
        let world = self.world.unwrap_or_default();
        let reference = if world.is_empty() || uid.is_empty() {
            format!("worldinfo:activated#{index}")
        } else {
            format!("worldinfo:{world}#{uid}")
        };
        let title = self
            .display_name
            .filter(|name| !name.trim().is_empty())
            .unwrap_or_else(|| uid.clone());
        let position = self
            .position
            .and_then(|word| serde_json::from_value(Value::String(word)).ok());
        ActivatedEntry {
            reference,
            world,
            uid,
            title,
            constant: self.constant.unwrap_or(false),
            position,
            content: self.content,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn entries_get_a_reference_and_repeated_ones_are_left_out() {
        let activation = Activation::parse(&json!({
            "timestampMs": 7, "trigger": "normal",
            "entries": [
                { "world": "Harbor", "uid": 12, "displayName": "Old pier", "constant": true, "content": "a", "position": "an_top" },
                { "world": "Harbor", "uid": "12", "content": "again" },
                { "world": "", "uid": null, "content": "b", "position": "sideways", "extra": 1 },
            ],
        }))
        .unwrap();
        let seen: Vec<_> = activation
            .entries
            .iter()
            .map(|e| (e.reference.as_str(), e.title.as_str()))
            .collect();
        assert_eq!(
            seen,
            [("worldinfo:Harbor#12", "Old pier"), ("worldinfo:activated#2", "")]
        );
        assert_eq!(activation.entries[0].position, Some(EntryPosition::AnTop));
        assert_eq!(activation.entries[1].position, None);
    }

    #[test]
    fn an_entry_without_text_is_named() {
        let error = Activation::parse(&json!({ "entries": [{ "content": "x" }, { "world": "W" }] })).unwrap_err();
        assert_eq!(error.code, "agent.invalid_worldinfo_activation_snapshot");
        assert!(error.message.contains("entry 1"), "{}", error.message);
        assert!(Activation::parse(&json!([])).is_err());
    }
}
