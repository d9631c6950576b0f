//! Everything that the tool can answer instead of doing its work, with the code of each.
//!
//! The sentences are in `words.rs`; nothing here or there decides which refusal applies.

use innkeeper_text::{RangeError, Span};
use innkeeper_tool::{Failure, INVALID_ARGUMENTS, failure, range};

use crate::words;

/// Why a call did nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("{}", words::item_count(*.items))]
    ItemCount { items: usize },
    #[error("{}", words::blank_ref(*.item))]
    BlankRef { item: usize },
    #[error("{}", words::UNAVAILABLE)]
    Unavailable,
    #[error("{}", words::entry_not_found(.wanted, *.total))]
    EntryNotFound { wanted: String, total: usize },
    #[error("{}", range::mixed(.entry))]
    MixedRange { entry: String },
    #[error("{}", range::out_of_range(.entry, *.span, *.error))]
    Range {
        entry: String,
        span: Span,
        error: RangeError,
    },
}

impl Refusal {
    /// The stable code.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::ItemCount { .. } | Self::BlankRef { .. } => INVALID_ARGUMENTS,
            Self::Unavailable => "worldinfo.activation_unavailable",
            Self::EntryNotFound { .. } => "worldinfo.entry_not_found",
            Self::MixedRange { .. } | Self::Range { .. } => "worldinfo.invalid_entry_range",
        }
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        failure(refusal.code(), refusal.to_string())
    }
}
