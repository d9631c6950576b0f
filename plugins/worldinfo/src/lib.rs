//! The world info tool: [`read_activated`] lists the entries that the run activated, or reads their texts.
//!
//! It reads through [`Activated`] only. Which entries are active was decided before the run started; nothing here
//! activates any or knows a lorebook.

mod activated;
mod content;
#[cfg(test)]
mod fake;
#[cfg(target_family = "wasm")]
mod guest;
#[cfg(target_family = "wasm")]
mod host;
mod index;
mod read_activated;
mod refusal;
mod words;

pub use activated::{Activated, Activation, Entry, Position};
pub use content::Item;
pub use read_activated::{ReadActivatedArguments, read_activated};

innkeeper_tool::tools!();

#[cfg(test)]
mod tests;
