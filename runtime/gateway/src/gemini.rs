//! The `generateContent` format of Google's Gemini API.
//!
//! Only what is written and read: how it travels is the same for every format.

pub(crate) mod decode;
pub(crate) mod encode;
pub(crate) mod stream;

/// The provider of native parts, and the field that holds the content of a turn.
const NATIVE: &str = "gemini";
const CONTENT: &str = "content";

/// The field of a part that seals the thoughts before it; it must come back on the same part.
const SIGNATURE: &str = "thoughtSignature";
