//! The chat that the run is bound to, up to the point where the run began.

use super::ask;
pub use crate::bindings::innkeeper::chat::history::{Message, Role, Unavailable};

/// The name for a tool's `uses`.
pub const INTERFACE: &str = "innkeeper:chat/history";

/// Messages of one page of [`messages`].
const PAGE: u32 = 200;

/// How many messages there are.
///
/// # Errors
/// [`Unavailable`] when the run has no chat.
pub fn count() -> Result<u32, Unavailable> {
    ask!(INTERFACE, crate::bindings::innkeeper::chat::history::count(), |world| {
        world.message_count()
    })
}

/// One message; nothing at or beyond [`count`].
#[must_use]
pub fn get(index: u32) -> Option<Message> {
    ask!(
        INTERFACE,
        crate::bindings::innkeeper::chat::history::get(index),
        |world| world.messages(index, 1).pop()
    )
}

/// Messages from `start`, at most `count`; fewer where a page would hold more than 4 MiB. An empty page means the end.
#[must_use]
pub fn page(start: u32, count: u32) -> Vec<Message> {
    ask!(
        INTERFACE,
        crate::bindings::innkeeper::chat::history::page(start, count),
        |world| world.messages(start, count)
    )
}

/// Every message from `start` on, fetched page by page.
pub fn messages(start: u32) -> impl Iterator<Item = Message> {
    let mut next = start;
    std::iter::from_fn(move || {
        let page = page(next, PAGE);
        next = page.last()?.index.saturating_add(1);
        Some(page)
    })
    .flatten()
}
