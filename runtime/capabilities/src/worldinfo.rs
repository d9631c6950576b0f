//! `innkeeper:worldinfo`: the entries that were activated for this run.

use innkeeper_protocol::worldinfo::{ActivatedEntry, EntryPosition};
use innkeeper_text::{line_count, measure};

use crate::bindings::innkeeper::worldinfo::activated;
use crate::host::View;
use crate::interface::Interface;

impl activated::Host for View<'_> {
    async fn activation(&mut self) -> wasmtime::Result<Result<activated::ActivationState, activated::Unavailable>> {
        let invocation = self.enter_invocation(Interface::WorldinfoActivated, 0)?;
        Ok(match &invocation.setup.activation {
            None => Err(activated::Unavailable::Unavailable),
            Some(activation) => Ok(activated::ActivationState {
                timestamp_ms: activation.timestamp_ms,
                trigger: activation.trigger.clone(),
                entries: activation.entries.iter().map(wire).collect(),
            }),
        })
    }

    async fn text(&mut self, reference: String) -> wasmtime::Result<Option<String>> {
        let invocation = self.enter_invocation(Interface::WorldinfoActivated, reference.len())?;
        let activation = invocation.setup.activation.as_ref();
        Ok(activation
            .and_then(|activation| activation.entry(&reference))
            .map(|entry| entry.content.clone()))
    }
}

fn wire(entry: &ActivatedEntry) -> activated::Entry {
    let metrics = measure(&entry.content);
    activated::Entry {
        ref_: entry.reference.clone(),
        world: entry.world.clone(),
        uid: entry.uid.clone(),
        title: entry.title.clone(),
        constant: entry.constant,
        position: entry.position.map(position),
        chars: metrics.chars,
        words: metrics.words,
        lines: line_count(&entry.content),
    }
}

const fn position(position: EntryPosition) -> activated::Position {
    match position {
        EntryPosition::Before => activated::Position::Before,
        EntryPosition::After => activated::Position::After,
        EntryPosition::AnTop => activated::Position::AnTop,
        EntryPosition::AnBottom => activated::Position::AnBottom,
        EntryPosition::Depth => activated::Position::Depth,
        EntryPosition::EmTop => activated::Position::EmTop,
        EntryPosition::EmBottom => activated::Position::EmBottom,
        EntryPosition::Outlet => activated::Position::Outlet,
    }
}
