//! The dice tool: notation in [`formula`], the roll and its words in [`roll`].
//!
//! It has no randomness of its own: every die comes from the host, which records it.

mod formula;
#[cfg(target_family = "wasm")]
mod guest;
mod roll;

pub use formula::{Formula, FormulaError};
pub use roll::{Randomness, RollArguments, roll};

innkeeper_tool::tools!();
