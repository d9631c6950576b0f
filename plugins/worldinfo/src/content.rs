//! The texts of activated entries, whole or in part.
//!
//! One bad item fails the whole call, so that a reply never leaves out what was asked for.

use innkeeper_text::{Caps, Span, select};
use innkeeper_tool::range::{RangeArguments, RangePayload, Shown, share};
use innkeeper_tool::{Whole, json_string, one_line};
use serde::{Deserialize, Serialize};

use crate::activated::{Activated, Activation, Entry, Position};
use crate::refusal::Refusal;

/// One entry to read.
#[derive(Clone, Debug, Deserialize)]
pub struct Item {
    /// The entry, as the list names it.
    pub r#ref: String,
    /// First line, from 1.
    pub start_line: Option<Whole>,
    /// Lines wanted.
    pub line_count: Option<Whole>,
    /// First character, from 0.
    pub start_char: Option<Whole>,
    /// Characters wanted.
    pub max_chars: Option<Whole>,
}

/// Items that are neither too few nor too many, each with a ref.
pub(crate) struct Request<'a> {
    items: &'a [Item],
    caps: Caps,
}

/// One entry as far as it is shown.
pub(crate) struct Part {
    /// For the model.
    pub(crate) words: String,
    /// With the range of a character read.
    pub(crate) resource_ref: String,
    /// For programs.
    pub(crate) fields: Fields,
}

/// One entry's part for programs.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Fields {
    world: String,
    uid: String,
    display_name: String,
    constant: bool,
    position: Option<Position>,
    #[serde(flatten)]
    range: RangePayload,
    content: String,
    r#ref: String,
}

impl<'a> Request<'a> {
    /// # Errors
    /// [`Refusal::ItemCount`] or [`Refusal::BlankRef`].
    pub(crate) fn check(items: &'a [Item]) -> Result<Self, Refusal> {
        let caps = share(items.len()).ok_or(Refusal::ItemCount { items: items.len() })?;
        match items.iter().position(|item| item.r#ref.trim().is_empty()) {
            Some(item) => Err(Refusal::BlankRef { item }),
            None => Ok(Self { items, caps }),
        }
    }

    /// # Errors
    /// An unknown entry, before any range that cannot be read.
    pub(crate) fn read(&self, activation: &Activation, host: &impl Activated) -> Result<Vec<Part>, Refusal> {
        let known: Result<Vec<&Entry>, Refusal> = self.items.iter().map(|item| known(item, activation)).collect();
        self.items
            .iter()
            .zip(known?)
            .map(|(item, entry)| {
                let span = span(item, entry)?;
                let text = host.text(&entry.r#ref).ok_or_else(|| unknown(item, activation))?;
                show(entry, &text, span, self.caps)
            })
            .collect()
    }
}

fn known<'a>(item: &Item, activation: &'a Activation) -> Result<&'a Entry, Refusal> {
    activation
        .entry(item.r#ref.trim())
        .ok_or_else(|| unknown(item, activation))
}

fn unknown(item: &Item, activation: &Activation) -> Refusal {
    Refusal::EntryNotFound {
        wanted: item.r#ref.clone(),
        total: activation.entries.len(),
    }
}

fn span(item: &Item, entry: &Entry) -> Result<Span, Refusal> {
    let asked = RangeArguments {
        start_line: item.start_line,
        line_count: item.line_count,
        start_char: item.start_char,
        max_chars: item.max_chars,
    };
    asked.span().map_err(|_| Refusal::MixedRange { entry: entry.called() })
}

fn show(entry: &Entry, text: &str, span: Span, caps: Caps) -> Result<Part, Refusal> {
    let selection = select(text, span, caps).map_err(|error| Refusal::Range {
        entry: entry.called(),
        span,
        error,
    })?;
    let shown = Shown {
        selection,
        by_chars: matches!(span, Span::Chars { .. }),
    };
    let resource_ref = if shown.by_chars {
        format!("{}:{}", entry.r#ref, shown.ref_part())
    } else {
        entry.r#ref.clone()
    };
    Ok(Part {
        words: words(entry, &shown),
        resource_ref,
        fields: Fields {
            world: entry.world.clone(),
            uid: entry.uid.clone(),
            display_name: entry.label().to_owned(),
            constant: entry.constant,
            position: entry.position,
            range: shown.payload(),
            content: selection.text.to_owned(),
            r#ref: entry.r#ref.clone(),
        },
    })
}

fn words(entry: &Entry, shown: &Shown<'_>) -> String {
    let mut words = format!(
        "{} | {} | world={} | {}{}",
        entry.shown_ref(),
        one_line(entry.label()),
        one_line(&entry.world),
        shown.summary(),
        shown.preview(),
    );
    if let Some(position) = entry.position {
        words.push_str(&format!(" | position={position}"));
    }
    let continuation = shown.continuation(|range| {
        format!(
            "worldinfo_read_activated with {{\"entries\": [{{\"ref\": {}, {range}}}]}}",
            json_string(&entry.r#ref)
        )
    });
    let body = Some(shown.body()).filter(|body| !body.is_empty());
    for more in [body, continuation].into_iter().flatten() {
        words.push('\n');
        words.push_str(&more);
    }
    words
}

/// The first line of a reply with texts.
pub(crate) fn header(items: usize, total: usize) -> String {
    let texts = if items == 1 { "text" } else { "texts" };
    let entries = match total {
        1 => "1 world info entry is".to_owned(),
        _ => format!("{total} world info entries are"),
    };
    format!("{items} {texts} read; {entries} activated for this run.")
}
