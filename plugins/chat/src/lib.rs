//! The chat tools: [`search`] and [`read_messages`] over the messages that the run may see.
//!
//! They read through [`History`] only. What the run may see is cut by the host; nothing here knows files.

#[cfg(test)]
mod fake;
#[cfg(target_family = "wasm")]
mod guest;
mod history;
#[cfg(target_family = "wasm")]
mod host;
mod read_messages;
mod search;

pub use history::{History, Message, Role};
pub use read_messages::{Item, ReadMessagesArguments, read_messages};
pub use search::{SearchArguments, search};

innkeeper_tool::tools!();
