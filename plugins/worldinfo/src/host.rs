//! [`Activated`] over the host's `innkeeper:worldinfo/activated`. Translates types and decides nothing.

use crate::{Activated, Activation, Entry, Position};
use bindings::innkeeper::worldinfo::activated as wit;

#[allow(unsafe_code, missing_docs, reason = "generated from the WIT packages")]
mod bindings {
    wit_bindgen::generate!({
        path: ["../../wit/tool", "../../wit/worldinfo", "../../wit/log", "wit"],
        world: "innkeeper:worldinfo-tools/worldinfo",
        generate_all,
    });
}

/// The host of this component.
pub(crate) struct Host;

impl Activated for Host {
    fn activation(&self) -> Option<Activation> {
        let state = wit::activation().ok()?;
        Some(Activation {
            timestamp_ms: state.timestamp_ms,
            trigger: state.trigger,
            entries: state.entries.into_iter().map(entry).collect(),
        })
    }

    fn text(&self, reference: &str) -> Option<String> {
        wit::text(reference)
    }
}

fn entry(from: wit::Entry) -> Entry {
    Entry {
        r#ref: from.ref_,
        world: from.world,
        uid: from.uid,
        title: from.title,
        constant: from.constant,
        position: from.position.map(position),
        chars: from.chars,
        words: from.words,
        lines: from.lines,
    }
}

fn position(from: wit::Position) -> Position {
    match from {
        wit::Position::Before => Position::Before,
        wit::Position::After => Position::After,
        wit::Position::AnTop => Position::AnTop,
        wit::Position::AnBottom => Position::AnBottom,
        wit::Position::Depth => Position::Depth,
        wit::Position::EmTop => Position::EmTop,
        wit::Position::EmBottom => Position::EmBottom,
        wit::Position::Outlet => Position::Outlet,
    }
}
