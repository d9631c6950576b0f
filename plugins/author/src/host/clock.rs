//! The date and time, which the host records.

use super::ask;

/// The name for a tool's `uses`.
pub const INTERFACE: &str = "innkeeper:clock/clock";

/// Milliseconds since 1970-01-01T00:00:00Z.
#[must_use]
pub fn now_ms() -> u64 {
    ask!(INTERFACE, crate::bindings::innkeeper::clock::clock::now_ms(), |world| {
        world.now_ms()
    })
}
