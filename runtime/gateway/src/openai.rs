//! The OpenAI chat-completions format, for OpenAI itself and the many servers that speak it.
//!
//! Only what is written and read: how it travels is the same for every format.

pub(crate) mod decode;
pub(crate) mod encode;
pub(crate) mod stream;

/// The provider of a content part that is kept as it came.
const CONTENT_PART: &str = "openai.content_part";

/// Fields of a call, beside id and function, that are sent back with it.
const CALL_FIELDS: [&str; 2] = ["signature", "extra_content"];

/// The field of a message that holds sealed or structured thoughts.
const REASONING_DETAILS: &str = "reasoning_details";
