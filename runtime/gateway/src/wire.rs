//! Which format writes the request to a provider and reads its answer.
//!
//! The formats themselves are in the modules named after them.

use innkeeper_protocol::model::{Excerpt, ModelError, ModelInfo, ModelRequest, ModelResponse};
use serde_json::{Map, Value, json};

use crate::provider::Provider;
use crate::{claude, gemini, native, openai, responses};

/// The field of a request by which three of the formats ask for a stream; the fourth has a resource of its own for it.
const STREAM: &str = "stream";

/// The field of a chat-completions request that says what a stream shall hold beside the answer.
const STREAM_OPTIONS: &str = "stream_options";

/// The body of a request for a stream.
pub(crate) fn encode_streamed(
    provider: Provider,
    request: &ModelRequest,
    info: &ModelInfo,
) -> Result<Value, ModelError> {
    let mut body = encode(provider, request, info)?;
    if let Some(switch) = body.get_mut(STREAM) {
        *switch = Value::Bool(true);
    }
    // Without being asked OpenAI counts no tokens of a stream. Other servers of the format are sent what the settings say, since some
    // refuse a field that they don't know.
    let own = (info.source == Provider::Openai.source()).then(|| json!({ "include_usage": true }));
    let options = request.settings.get(STREAM_OPTIONS).filter(|value| value.is_object());
    if provider == Provider::Openai
        && let Some(options) = options.cloned().or(own)
        && let Some(body) = body.as_object_mut()
    {
        body.insert(STREAM_OPTIONS.to_owned(), options);
    }
    Ok(body)
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{answered, assistant, call, info, user, with_settings};

    fn switches(provider: Provider, info: &ModelInfo, settings: Value) -> (Value, Value) {
        let body = encode_streamed(provider, &with_settings(vec![user("hi")], settings), info).unwrap();
        (body[STREAM].clone(), body[STREAM_OPTIONS].clone())
    }

    #[test]
    fn what_was_said_is_copied_once_into_a_request() {
        let long = "word ".repeat(50_000);
        let turn = assistant(&long, vec![call("c1", json!({}))]);
        let request = ModelRequest::new(vec![user(&long), turn, answered("c1", &long)]);
        for provider in Provider::ALL {
            let info = info(provider);
            let made = allocation_counter::measure(|| drop(encode(provider, &request, &info).unwrap()));
            let copies = made.bytes_total as f64 / (3 * long.len()) as f64;
            assert!((1.0..1.1).contains(&copies), "{provider:?}: {copies} copies");
        }
    }

    #[test]
    fn each_format_has_its_switch_for_a_stream() {
        let told = Provider::ALL.map(|provider| switches(provider, &info(provider), json!({"stream": false})));
        let (on, usage) = (json!(true), json!({"include_usage": true}));
        let expected = [
            (on.clone(), usage),
            (on.clone(), Value::Null),
            (on, Value::Null),
            (Value::Null, Value::Null),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn other_servers_are_asked_for_token_counts_only_where_the_settings_say_so() {
        let own_server = ModelInfo {
            source: "custom".into(),
            ..info(Provider::Openai)
        };
        let options = json!({"include_usage": true});
        let told = [json!({}), json!({"stream_options": options})]
            .map(|settings| switches(Provider::Openai, &own_server, settings).1);
        assert_eq!(told, [Value::Null, options]);
    }
}
