//! An activation in memory, for tests only.

use innkeeper_text::{line_count, measure};

use crate::{Activated, Activation, Entry, Position};

/// Entries with their texts.
pub(crate) struct Fake {
    pub(crate) activation: Option<Activation>,
    pub(crate) texts: Vec<String>,
}

impl Fake {
    /// Nothing is active.
    pub(crate) fn empty() -> Self {
        Self {
            activation: Some(Activation {
                timestamp_ms: 1_700_000_000_000,
                trigger: "normal".into(),
                entries: Vec::new(),
            }),
            texts: Vec::new(),
        }
    }

    /// Entries 0, 1, ... of the world `Harbor`.
    pub(crate) fn with<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Self {
        texts.into_iter().enumerate().fold(Self::empty(), |fake, (uid, text)| {
            fake.and(&format!("worldinfo:Harbor#{uid}"), text.as_ref(), |entry| {
                entry.world = "Harbor".into();
                entry.uid = uid.to_string();
            })
        })
    }

    /// One more entry.
    pub(crate) fn and(mut self, reference: &str, text: &str, change: impl FnOnce(&mut Entry)) -> Self {
        let size = measure(text);
        let mut entry = Entry {
            r#ref: reference.into(),
            world: String::new(),
            uid: String::new(),
            title: String::new(),
            constant: false,
            position: None,
            chars: size.chars,
            words: size.words,
            lines: line_count(text),
        };
        change(&mut entry);
        self.activation.as_mut().expect("an activation").entries.push(entry);
        self.texts.push(text.into());
        self
    }

    /// The entry of the sample line in the list, and another.
    pub(crate) fn harbor() -> Self {
        let text = "The old pier creaks at low tide.\nNobody fishes there any more.";
        Self::empty()
            .and("worldinfo:Harbor#12", text, |entry| {
                entry.world = "Harbor".into();
                entry.uid = "12".into();
                entry.title = "Old pier".into();
                entry.constant = true;
            })
            .and("worldinfo:activated#1", "雨夜", |entry| {
                entry.uid = "7".into();
                entry.position = Some(Position::AnTop);
            })
    }
}

impl Activated for Fake {
    fn activation(&self) -> Option<Activation> {
        self.activation.clone()
    }

    fn text(&self, reference: &str) -> Option<String> {
        let entries = &self.activation.as_ref()?.entries;
        let index = entries.iter().position(|entry| entry.r#ref == reference)?;
        self.texts.get(index).cloned()
    }
}
