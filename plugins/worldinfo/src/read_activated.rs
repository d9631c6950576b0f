//! `worldinfo.read_activated`: a list of the activated entries, or the texts of some.
//!
//! Chooses between the two and makes the reply; what they show is in `index.rs` and `content.rs`.

use innkeeper_tool::{Failure, Reply};
use serde::{Deserialize, Serialize};

use crate::activated::{Activated, Activation};
use crate::content::{self, Item};
use crate::index;
use crate::refusal::Refusal;

/// Arguments of `worldinfo.read_activated`.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct ReadActivatedArguments {
    /// What to read, 1 to 20 items; the list when absent.
    pub entries: Option<Vec<Item>>,
}

/// The fields for programs.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Structured<'a, T> {
    mode: &'static str,
    timestamp_ms: u64,
    trigger: &'a str,
    total_entries: usize,
    entries: Vec<T>,
}

impl<'a, T> Structured<'a, T> {
    fn new(mode: &'static str, activation: &'a Activation, entries: Vec<T>) -> Self {
        Self {
            mode,
            timestamp_ms: activation.timestamp_ms,
            trigger: &activation.trigger,
            total_entries: activation.entries.len(),
            entries,
        }
    }
}

/// Lists the activated entries, or reads the texts of some in the order of the request.
///
/// # Errors
/// `tool.invalid_arguments` for no or too many items or a blank ref, `worldinfo.activation_unavailable` without an
/// activation, `worldinfo.entry_not_found` for an unknown ref, `worldinfo.invalid_entry_range` for a range that is
/// mixed or beyond the text.
pub fn read_activated(arguments: &ReadActivatedArguments, host: &impl Activated) -> Result<Reply, Failure> {
    match &arguments.entries {
        None => list(host),
        Some(items) => read(items, host),
    }
}

fn list(host: &impl Activated) -> Result<Reply, Failure> {
    let activation = host.activation().ok_or(Refusal::Unavailable)?;
    let refs = activation.entries.iter().map(|entry| entry.r#ref.clone());
    Reply::text(index::text(&activation.entries))
        .refs(refs)
        .structured(&Structured::new(
            "index",
            &activation,
            index::lines(&activation.entries),
        ))
}

fn read(items: &[Item], host: &impl Activated) -> Result<Reply, Failure> {
    let request = content::Request::check(items)?;
    let activation = host.activation().ok_or(Refusal::Unavailable)?;
    let parts = request.read(&activation, host)?;
    let mut text = content::header(items.len(), activation.entries.len());
    let (mut refs, mut entries) = (Vec::new(), Vec::new());
    for part in parts {
        text.push_str("\n\n");
        text.push_str(&part.words);
        refs.push(part.resource_ref);
        entries.push(part.fields);
    }
    Reply::text(text)
        .refs(refs)
        .structured(&Structured::new("content", &activation, entries))
}

#[cfg(test)]
mod tests;
