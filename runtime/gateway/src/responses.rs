//! The Responses format of OpenAI.
//!
//! Only what is written and read: how it travels is the same for every format. Nothing is stored at the provider unless the settings
//! say `store`; the conversation goes out whole each time.

pub(crate) mod decode;
pub(crate) mod encode;
pub(crate) mod stream;

/// The provider of native parts, and the fields that hold the items of a turn and the id of its response.
const NATIVE: &str = "openai_responses";
const ITEMS: &str = "output";
const RESPONSE_ID: &str = "responseId";

/// The field of a request that names the stored response from which a conversation goes on.
pub(crate) const PREVIOUS_RESPONSE: &str = "previous_response_id";
