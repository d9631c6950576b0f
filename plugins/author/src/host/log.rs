//! Diagnostics and progress, for people; never shown to the model. Always there, so no `uses` names it.
//!
//! The host keeps at most 4 KiB a line and 1,000 lines a call.

use super::ask;
#[cfg(target_family = "wasm")]
use crate::bindings::innkeeper::log::log;

/// The name of the interface; no tool lists it.
#[cfg(not(target_family = "wasm"))]
pub(crate) const INTERFACE: &str = "innkeeper:log/log";

/// Says something.
pub fn info(message: &str) {
    ask!(INTERFACE, log::write(log::Level::Info, message), |world| world
        .log(message));
}

/// Says that something is odd.
pub fn warn(message: &str) {
    ask!(INTERFACE, log::write(log::Level::Warn, message), |world| world
        .log(message));
}

/// Says how far a long call has come: `done` of `total`, 0 for unknown.
pub fn progress(done: u64, total: u64, message: &str) {
    ask!(INTERFACE, log::progress(done, total, message), |world| {
        world.log(&format!("{done} of {total}: {message}"));
    });
}
