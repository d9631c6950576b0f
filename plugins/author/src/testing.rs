//! A harness that calls a tool natively, in a [`World`] that the test makes up: no wasm, no host, some microseconds.
//!
//! It holds a tool to its `uses`, as the host does. It does not judge paths, budgets or what has been read before a file is changed:
//! that is what the package's cases are for, which run in the real host.

mod files;
mod world;

use std::cell::RefCell;

use serde_json::Value;

use crate::host::log;
use crate::tool::dispatch;
use crate::{Reply, Tool, ToolError};
pub use world::World;

thread_local! {
    static RUNNING: RefCell<Option<Running>> = const { RefCell::new(None) };
}

/// The call that this thread performs.
struct Running {
    world: World,
    uses: Vec<String>,
}

/// Performs one call in a copy of the world, as the host performs it: the name is looked up, the arguments are read, and the tool
/// reaches only what it `uses`.
///
/// # Errors
/// What the tool fails with.
///
/// # Panics
/// When the tool reaches for an interface that it does not list: in the host such a call is stopped with `tool.capability_denied`.
pub fn call(tools: &[Tool], name: &str, arguments: &Value, world: &World) -> Result<Reply, ToolError> {
    call_in(tools, name, arguments, &mut world.clone())
}

/// The same, and the world keeps what the call did to it: files, log lines, draws, requests.
///
/// # Errors
/// What the tool fails with; the files are then as they were, as they are in the host.
///
/// # Panics
/// As [`call`].
pub fn call_in(tools: &[Tool], name: &str, arguments: &Value, world: &mut World) -> Result<Reply, ToolError> {
    let uses = tools
        .iter()
        .find(|tool| tool.name() == name)
        .map_or(Vec::new(), |tool| tool.spec.uses.clone());
    let before = RUNNING.replace(Some(Running {
        world: world.clone(),
        uses,
    }));
    let result = dispatch(tools, name, &arguments.to_string());
    let after = RUNNING.replace(before);
    if let Some(running) = after {
        world.take_over(running.world, result.is_ok());
    }
    result
}

/// Asks the world of the running call.
pub(crate) fn with<T>(interface: &str, ask: impl FnOnce(&mut World) -> T) -> T {
    RUNNING.with_borrow_mut(|running| {
        #[allow(
            clippy::panic,
            reason = "a test shall fail here, and there is no host to stop the call"
        )]
        let Some(running) = running else {
            panic!("there is no host outside of a component: call the tool through `testing::call`")
        };
        // The log is always there, so no tool lists it.
        assert!(
            interface == log::INTERFACE || running.uses.iter().any(|used| used == interface),
            "the tool reaches for {interface}, which its `uses` does not list"
        );
        ask(&mut running.world)
    })
}

#[cfg(test)]
mod tests;
