//! The messages format of Anthropic.
//!
//! Only what is written and read: how it travels is the same for every format.

pub(crate) mod decode;
pub(crate) mod encode;
pub(crate) mod stream;

/// The provider of native parts, and the field that holds the blocks of a turn.
const NATIVE: &str = "claude";
const BLOCKS: &str = "content";
