//! Arguments of a call that is shown while they come: cut in two they must show the same as whole.
//!
//! The last byte says where they are cut.

#![no_main]

use innkeeper_agent::live::{LiveProjection, LiveSource, LiveUpdate};
use innkeeper_protocol::id::{InvocationId, ModelAlias, ToolId};
use innkeeper_protocol::model::{LiveDelta, LiveSink as _};
use libfuzzer_sys::fuzz_target;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

const TOOL: &str = "builtin:workspace.write_file";

/// What a newcomer is shown after these pieces.
fn shown(pieces: &[&str]) -> Option<LiveUpdate> {
    let projection = LiveProjection::new();
    let (alias, tool) = (ModelAlias::parse("write").ok()?, ToolId::parse(TOOL).ok()?);
    let invocation = projection.invocation(LiveSource {
        invocation_id: InvocationId::root(),
        exit_policy: "run_finish_allowed".to_owned(),
        tools: vec![(alias, tool)],
    });
    invocation.show(LiveDelta::Call {
        index: 0,
        alias: "write".to_owned(),
    });
    for piece in pieces {
        invocation.show(LiveDelta::Arguments {
            index: 0,
            text: (*piece).to_owned(),
        });
    }
    let mut newcomer = projection.subscribe();
    let mut next = Box::pin(newcomer.next());
    match Future::poll(Pin::new(&mut next), &mut Context::from_waker(Waker::noop())) {
        Poll::Ready(update) => update,
        Poll::Pending => None,
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((cut, bytes)) = data.split_last() else { return };
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let at = text.floor_char_boundary(text.len() * usize::from(*cut) / 256);
    let (before, after) = text.split_at(at);
    assert_eq!(shown(&[before, after]), shown(&[text]));
});
