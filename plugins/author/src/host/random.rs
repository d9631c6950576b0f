//! Randomness that the host records. A component has no other that is worth anything.

use super::ask;

/// The name for a tool's `uses`.
pub const INTERFACE: &str = "innkeeper:random/random";

/// A uniform number in `0..bound`. A bound of 0 ends the call with a trap: there is no such number.
#[must_use]
pub fn below(bound: u64) -> u64 {
    ask!(
        INTERFACE,
        crate::bindings::innkeeper::random::random::below(bound),
        |world| world.draw(bound)
    )
}
