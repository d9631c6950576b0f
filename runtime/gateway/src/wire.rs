//! Which format writes the request to a provider and reads its answer.
//!
//! The formats themselves are in the modules named after them.

use innkeeper_protocol::model::{Excerpt, ModelError, ModelInfo, ModelRequest, ModelResponse};
use serde_json::{Map, Value};

use crate::provider::Provider;
use crate::{claude, gemini, native, openai, responses};

/// The body of a request.
pub(crate) fn encode(provider: Provider, request: &ModelRequest, info: &ModelInfo) -> Result<Value, ModelError> {
    match provider {
        Provider::Openai => openai::encode::body(request, info),
        Provider::OpenaiResponses => responses::encode::body(request, info),
        Provider::Claude => claude::encode::body(request, info),
        Provider::Gemini => gemini::encode::body(request, info),
    }
}

/// The turn of an answer. `excerpt` cuts a server's words and takes our secrets out of them.
pub(crate) fn decode(
    provider: Provider,
    body: Map<String, Value>,
    info: &ModelInfo,
    excerpt: impl Fn(&str) -> Excerpt,
) -> Result<ModelResponse, ModelError> {
    // A gateway in between may answer every format in the chat-completions form.
    let translated = body.contains_key("choices");
    let response = match provider {
        Provider::Openai => return openai::decode::turn(body, info, excerpt),
        _ if translated => openai::decode::turn(body, info, excerpt)?,
        Provider::OpenaiResponses => responses::decode::turn(body, info, excerpt)?,
        Provider::Claude => claude::decode::turn(body, info, excerpt)?,
        Provider::Gemini => gemini::decode::turn(body, info, excerpt)?,
    };
    native::require(response)
}
