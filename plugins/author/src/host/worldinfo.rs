//! World info (lorebook) entries that were activated for the run.

use super::ask;
pub use crate::bindings::innkeeper::worldinfo::activated::{ActivationState, Entry, Position, Unavailable};

/// The name for a tool's `uses`.
pub const INTERFACE: &str = "innkeeper:worldinfo/activated";

/// What the run activated.
///
/// # Errors
/// [`Unavailable`] when nobody captured an activation.
pub fn activation() -> Result<ActivationState, Unavailable> {
    ask!(
        INTERFACE,
        crate::bindings::innkeeper::worldinfo::activated::activation(),
        |world| world.activation()
    )
}

/// The text of one entry.
#[must_use]
pub fn text(entry: &str) -> Option<String> {
    ask!(
        INTERFACE,
        crate::bindings::innkeeper::worldinfo::activated::text(entry),
        |world| world.entry_text(entry)
    )
}
