//! What a model's turn shows before it is whole.
//!
//! It proves nothing: only the whole turn counts, and it is read as if nothing had been shown before.

/// A piece of a turn that is still coming.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiveDelta {
    /// More of the visible text.
    Text(String),
    /// More of the visible thoughts.
    Reasoning(String),
    /// A call of an offered tool begins. Said once for each call, before its first arguments.
    Call {
        /// Counts the turn's calls from 0, also those that are not shown.
        index: usize,
        /// The tool's offered name.
        alias: String,
    },
    /// More of the text of a call's arguments.
    Arguments {
        /// Which call.
        index: usize,
        /// The text; cut anywhere but within a character.
        text: String,
    },
}

/// Whoever watches a turn come.
pub trait LiveSink: Send + Sync {
    /// Takes the next piece. Must not wait: the turn does not go on before it returns.
    fn show(&self, delta: LiveDelta);
}
