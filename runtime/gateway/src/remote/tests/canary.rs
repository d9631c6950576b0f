//! A key that the server says back, in every place where a turn can hold a text, is in nothing that is kept.

use std::sync::Mutex;

use super::*;
use crate::fixture::{Watcher, dice};
use crate::request_log::DEFAULT_LOG_LIMIT;

/// An answer that names the key as text, thought, id, name, argument and field, in the form of each provider.
fn echo(provider: Provider) -> Value {
    let arguments = json!({KEY: [KEY]});
    match provider {
        Provider::Openai => {
            let call = json!({"id": KEY, "type": "function", "function": {"name": KEY, "arguments": arguments.to_string()},
                "extra_content": {"seal": KEY}});
            json!({"id": KEY, "model": KEY, "usage": {KEY: 1}, "choices": [{"finish_reason": "tool_calls",
                "message": {"content": KEY, "reasoning_content": KEY, "tool_calls": [call]}}]})
        }
        Provider::OpenaiResponses => json!({"id": KEY, "model": KEY, "status": "completed", "output": [
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": KEY}], "encrypted_content": KEY},
            {"type": "message", "content": [{"type": "output_text", "text": KEY}]},
            {"type": "function_call", "call_id": KEY, "name": KEY, "arguments": arguments.to_string()}]}),
        Provider::Claude => json!({"id": KEY, "model": KEY, "stop_reason": "tool_use", "content": [
            {"type": "thinking", "thinking": KEY, "signature": KEY}, {"type": "text", "text": KEY},
            {"type": "tool_use", "id": KEY, "name": KEY, "input": arguments}]}),
        Provider::Gemini => {
            json!({"responseId": KEY, "modelVersion": KEY, "candidates": [{"finishReason": "STOP", "content": {"parts": [
            {"text": KEY, "thought": true}, {"text": KEY, "thoughtSignature": KEY},
            {"functionCall": {"id": KEY, "name": KEY, "args": arguments}}]}}]})
        }
    }
}

/// The same as events. An answer in one piece does for the formats whose last event holds the whole answer.
fn echoed_stream(provider: Provider, whole: &Value) -> String {
    let events =
        match provider {
            Provider::Openai => {
                let choice = &whole["choices"][0];
                vec![json!({"id": KEY, "choices": [{"delta": choice["message"], "finish_reason": "tool_calls"}]})]
            }
            Provider::OpenaiResponses => vec![json!({"type": "response.completed", "response": whole})],
            Provider::Claude => {
                let blocks = whole["content"].as_array().unwrap().iter().enumerate();
                let mut events = vec![json!({"type": "message_start", "message": {"id": KEY, "content": []}})];
                events.extend(blocks.map(
                    |(index, block)| json!({"type": "content_block_start", "index": index, "content_block": block}),
                ));
                events.push(json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}));
                events
            }
            Provider::Gemini => vec![whole.clone()],
        };
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}

/// A log that can be read.
#[derive(Clone, Default)]
struct Page(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Page {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Everything that is left of one exchange in which the server says the key back, as text.
async fn left_of(provider: Provider, reply: Reply, is_streamed: bool) -> String {
    let (server, page) = (Server::start(vec![reply]).await, Page::default());
    let settings = RemoteSettings {
        provider,
        request_log: Some(Arc::new(RequestLog::new(page.clone(), DEFAULT_LOG_LIMIT))),
        ..settings(&server.address)
    };
    let mut request = request();
    request.tools = [dice()].into();
    let asked = Message::of_text(Role::User, format!("is {KEY} my key?"));
    request.messages.push(Arc::new(asked));
    let shown = format!("{settings:?}");
    let model = RemoteModel::new(settings).unwrap();
    let watcher = Watcher::default();
    let answer = if is_streamed {
        model.stream(&request, &watcher).await
    } else {
        model.complete(&request).await
    };
    let kept = match &answer {
        Ok(response) => serde_json::to_string(response).unwrap(),
        Err(error) => error.to_string(),
    };
    let log = String::from_utf8(page.0.lock().unwrap().clone()).unwrap();
    assert_eq!(log.lines().count(), 2, "{log}");
    format!("{shown}\n{model:?}\n{:?}\n{answer:?}\n{kept}\n{log}", watcher.seen())
}

#[tokio::test]
async fn the_key_is_in_no_turn_no_debug_output_and_no_log() {
    for provider in Provider::ALL {
        let whole = echo(provider);
        let stream = echoed_stream(provider, &whole);
        for (body, is_streamed) in [(whole.to_string(), false), (stream, true)] {
            let left = left_of(provider, answer("200 OK", "", &body), is_streamed).await;
            assert!(!left.contains(KEY), "{provider:?} {is_streamed}: {left}");
            let call = "\"toolCalls\":[{\"callId\":\"[secret]\",\"alias\":\"[secret]\",\"arguments\":{\"[secret]\":[\"[secret]\"]}";
            assert!(left.contains(call), "{provider:?} {is_streamed}: {left}");
        }
    }
}

#[tokio::test]
async fn the_key_is_in_no_error_of_a_stream() {
    let error = json!({"error": {"message": KEY, "type": KEY, "code": KEY}}).to_string();
    for provider in Provider::ALL {
        for body in [
            format!("data: {error}\n\n"),
            format!("data: {KEY}\n\n"),
            error.clone(),
            KEY.to_owned(),
        ] {
            let left = left_of(provider, answer("200 OK", "", &body), true).await;
            assert!(!left.contains(KEY), "{provider:?}: {left}");
        }
    }
}

#[tokio::test]
async fn what_headers_and_the_address_hold_is_a_secret_too() {
    let said = "gate-0123456789ab query-0123456789+ query-0123456789%2B";
    let body = json!({"choices": [{"message": {"content": said}}]}).to_string();
    let server = Server::start(vec![answer("200 OK", "", &body)]).await;
    let settings = RemoteSettings {
        base_url: Some(format!("http://{}/v1?key=query-0123456789%2B", server.address)),
        headers: ExtraHeaders::parse([("X-Gate", "Bearer gate-0123456789ab")]).unwrap(),
        ..settings(&server.address)
    };
    assert_eq!(ask(settings).await, Ok("[secret] [secret] [secret]".into()));
    let seen = server.seen.await.unwrap().remove(0);
    assert!(
        seen.contains("x-gate: Bearer gate-0123456789ab\r\n") && seen.contains(KEY),
        "{seen}"
    );
}

#[test]
fn a_placeholder_for_a_key_stays_a_word_of_the_story() {
    let settings = RemoteSettings {
        api_key: ApiKey::parse("none", "INNKEEPER_API_KEY").unwrap(),
        ..settings("127.0.0.1:1")
    };
    let body = json!({"choices": [{"message": {"content": "There is none."}}]});
    let answer = RemoteModel::new(settings)
        .unwrap()
        .decode(body.as_object().unwrap().clone());
    assert_eq!(answer.unwrap().text, "There is none.");
}
