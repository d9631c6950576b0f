//! A scripted turn in pieces, as a stream would bring it.
//!
//! What is shown adds up to the turn; the turn itself is not made from it.

use std::collections::HashSet;

use innkeeper_protocol::model::{LiveDelta, ModelRequest};

use super::script::{Answer, Turn};
use crate::stream;

/// The pieces: thoughts, text, then the calls of offered tools one after the other.
pub(super) fn of(turn: &Turn, answer: &Answer, request: &ModelRequest) -> Vec<LiveDelta> {
    let offered: HashSet<&str> = request.tools.iter().map(|tool| tool.alias.as_str()).collect();
    let thoughts = answer.reasoning.as_deref().unwrap_or_default();
    let thoughts = chunks(thoughts, turn.chunk_chars).map(|piece| LiveDelta::Reasoning(piece.to_owned()));
    let text = chunks(&answer.text, turn.chunk_chars).map(|piece| LiveDelta::Text(piece.to_owned()));
    let mut pieces: Vec<LiveDelta> = thoughts.chain(text).collect();
    for (index, call) in answer.calls.iter().enumerate() {
        if offered.contains(call.name()) {
            let text = call.arguments_text();
            pieces.extend(stream::call(index, call.name(), ""));
            pieces.extend(chunks(&text, turn.chunk_chars).filter_map(|piece| stream::arguments(index, piece)));
        }
    }
    pieces
}

/// A text cut after so many characters each; `count` is at least 1.
fn chunks(text: &str, count: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest.char_indices().nth(count).map_or(rest.len(), |(at, _)| at);
        let (piece, after) = rest.split_at(end);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_characters() {
        assert_eq!(chunks("añ🎲de", 2).collect::<Vec<_>>(), ["añ", "🎲d", "e"]);
        assert_eq!(chunks("añ", usize::MAX).collect::<Vec<_>>(), ["añ"]);
        assert_eq!(chunks("", 1).count(), 0);
    }
}
