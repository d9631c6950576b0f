//! What the tool needs of its host: the activation of the run, as a small trait and plain types.
//!
//! No behaviour beyond naming things: the component's glue implements the trait with imports, the tests in memory.

use std::fmt;

use innkeeper_tool::{one_line, quoted};
use serde::Serialize;

/// The world info that was activated for a run.
pub trait Activated {
    /// What was activated; nothing when the run captured no activation.
    fn activation(&self) -> Option<Activation>;

    /// The text of one entry.
    fn text(&self, reference: &str) -> Option<String>;
}

/// The entries as they were when the run started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Activation {
    /// When, in milliseconds since 1970.
    pub timestamp_ms: u64,
    /// What for, as `normal`.
    pub trigger: String,
    /// In the order of activation; no two have the same ref.
    pub entries: Vec<Entry>,
}

/// One entry, without its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// `worldinfo:WORLD#UID`, unique in the run.
    pub r#ref: String,
    /// The book; may be empty.
    pub world: String,
    /// The entry's id in the book; may be empty.
    pub uid: String,
    /// Its name; may be empty.
    pub title: String,
    /// It applies whatever the chat says.
    pub constant: bool,
    /// Where it stands in a prompt, if that is known.
    pub position: Option<Position>,
    /// Unicode scalars of the text.
    pub chars: u32,
    /// Words of the text.
    pub words: u32,
    /// Lines of the text.
    pub lines: u32,
}

/// Where an entry stands in a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Position {
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

impl fmt::Display for Position {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Before => "before",
            Self::After => "after",
            Self::AnTop => "an_top",
            Self::AnBottom => "an_bottom",
            Self::Depth => "depth",
            Self::EmTop => "em_top",
            Self::EmBottom => "em_bottom",
            Self::Outlet => "outlet",
        })
    }
}

impl Activation {
    /// The entry of that ref, as stored or as the list shows it.
    pub(crate) fn entry(&self, wanted: &str) -> Option<&Entry> {
        let stored = self.entries.iter().find(|entry| entry.r#ref == wanted);
        stored.or_else(|| self.entries.iter().find(|entry| entry.shown_ref() == wanted.trim()))
    }
}

impl Entry {
    /// The ref on one line, without spaces around it: names of worlds may hold anything.
    pub(crate) fn shown_ref(&self) -> String {
        one_line(&self.r#ref).trim().to_owned()
    }

    /// Its name, or what else it can be called by.
    pub(crate) fn label(&self) -> &str {
        let names = [&self.title, &self.uid];
        let named = names.into_iter().find(|name| !name.trim().is_empty());
        named.map_or("untitled", String::as_str)
    }

    /// How a sentence calls it, as `Entry "worldinfo:Harbor#12"`.
    pub(crate) fn called(&self) -> String {
        format!("Entry {}", quoted(&self.r#ref))
    }
}
