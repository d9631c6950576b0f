//! What a script plays, and how a wrong one is refused.

use std::time::Duration;

use innkeeper_protocol::id::CallId;
use innkeeper_protocol::model::{LiveDelta, NetworkFailure, ToolCallFault, ToolCallRequest};
use proptest::prelude::*;
use serde_json::json;
use tokio::time::timeout;

use super::*;

fn model(script: Value) -> ScriptedModel {
    ScriptedModel::from_json(script.to_string()).unwrap()
}

fn refusal(script: &str) -> String {
    ScriptedModel::from_json(script).unwrap_err().to_string()
}

fn request(text: &str) -> ModelRequest {
    ModelRequest::new(vec![Message::of_text(Role::User, text)])
}

fn call(id: &str, alias: &str, arguments: Value) -> ToolCallRequest {
    ToolCallRequest {
        call_id: CallId::parse(id).unwrap(),
        alias: alias.into(),
        arguments,
        provider_metadata: Map::new(),
    }
}

#[tokio::test]
async fn a_turn_becomes_a_response() {
    let turn =
        json!({"text": "Rolling.", "reasoning": "why not", "calls": [{"name": "dice_roll", "arguments": {"n": 1}}]});
    let model = model(json!({ "turns": [turn] }));
    let call = call("call_1", "dice_roll", json!({"n": 1}));
    let expected = ModelResponse {
        message: Message::new(
            Role::Assistant,
            vec![
                Part::Text {
                    text: "Rolling.".into(),
                },
                Part::Reasoning {
                    text: Some("why not".into()),
                    provider_metadata: Map::new(),
                },
                Part::ToolCall { call: call.clone() },
            ],
        ),
        tool_calls: vec![call],
        text: "Rolling.".into(),
        reasoning: Some("why not".into()),
        provider_metadata: ProviderMetadata {
            id: Some("turn_1".into()),
            model: Some("scripted".into()),
            usage: None,
            source: "scripted".into(),
            format: "scripted".into(),
        },
        raw_response: turn,
        continuation: Continuation::default(),
    };
    assert_eq!(model.complete(&request("go")).await, Ok(expected));
}

#[tokio::test]
async fn missing_ids_count_through_the_script_and_arguments_are_read_like_a_providers() {
    let model = model(json!({"turns": [
        {"calls": [{"name": "a", "arguments": "{\"x\": 1}"}, {"id": "mine", "name": "b", "arguments": "{\"x\":"}]},
        {"calls": [{"name": "c"}]},
    ]}));
    let first = model.complete(&request("1")).await.unwrap().tool_calls;
    let second = model.complete(&request("2")).await.unwrap().tool_calls;
    assert_eq!(
        first,
        [
            call("call_1", "a", json!({"x": 1})),
            call("mine", "b", json!("{\"x\":"))
        ]
    );
    assert_eq!(second, [call("call_3", "c", json!({}))]);
}

#[tokio::test]
async fn a_used_up_script_says_so_and_is_not_retried() {
    let model = model(json!({"turns": [{"text": "bye"}]}));
    model.complete(&request("1")).await.unwrap();
    let error = model.complete(&request("2")).await.unwrap_err();
    assert_eq!(
        error,
        ModelError::ScriptExhausted {
            script: "scripted".into(),
            turns: 1
        }
    );
    assert!(!error.is_retryable());
}

#[tokio::test]
async fn an_error_takes_its_turn_and_the_next_request_goes_on() {
    let model = model(json!({"turns": [
        {"error": {"kind": "network.timeout"}}, {"error": {"kind": "http", "status": 429}}, {"text": "well"},
    ]}));
    let first = model.complete(&request("1")).await.unwrap_err();
    assert!(
        matches!(
            first,
            ModelError::UpstreamFailure {
                failure: NetworkFailure::Timeout,
                ..
            }
        ),
        "{first}"
    );
    assert_eq!(
        model.complete(&request("1")).await.unwrap_err().code(),
        "agent.rate_limited"
    );
    assert_eq!(model.complete(&request("1")).await.unwrap().text, "well");
    assert_eq!(model.remaining(), 0);
}

#[tokio::test]
async fn a_blank_id_plays_a_provider_that_forgot_it() {
    let model = model(json!({"turns": [{"calls": [{"name": "a"}, {"id": " ", "name": "b"}]}]}));
    assert_eq!(
        model.complete(&request("1")).await,
        Err(ModelError::InvalidToolCall {
            position: 2,
            fault: ToolCallFault::BlankId
        })
    );
}

#[tokio::test(start_paused = true)]
async fn a_delay_is_waited_for_and_giving_up_uses_the_turn_up() {
    let model = model(json!({"turns": [{"delayMs": 5_000, "text": "late"}, {"text": "next"}]}));
    assert!(
        timeout(Duration::from_millis(4_999), model.complete(&request("1")))
            .await
            .is_err()
    );
    let next = timeout(Duration::from_millis(1), model.complete(&request("2")))
        .await
        .unwrap();
    assert_eq!(next.unwrap().text, "next");
}

#[tokio::test]
async fn requests_are_kept_in_order_also_those_that_found_no_turn() {
    let model = model(json!({"turns": []}));
    model.complete(&request("1")).await.unwrap_err();
    model.complete(&request("2")).await.unwrap_err();
    assert_eq!(model.requests(), [request("1"), request("2")]);
}

#[test]
fn a_fault_names_the_turn_and_the_place() {
    let rows = [
        (json!([]), "at the top: it must be an object, not a list"),
        (json!({}), "at the top: the key \"turns\" is missing"),
        (json!({"turns": {}}), "at /turns: it must be a list, not an object"),
        (
            json!({"turn": []}),
            "at the top: the key \"turn\" is not known; known are turns",
        ),
        (
            json!({"turns": [{}, 3]}),
            "turn 2, at /turns/1: it must be an object, not a number",
        ),
        (
            json!({"turns": [{"text": 3}]}),
            "turn 1, at /turns/0/text: it must be a text, not a number",
        ),
        (
            json!({"turns": [{"calls": [{"name": "a"}, {}]}]}),
            "turn 1, at /turns/0/calls/1: the key \"name\" is missing",
        ),
        (
            json!({"turns": [{"calls": [{"name": "a", "args": {}}]}]}),
            "turn 1, at /turns/0/calls/0: the key \"args\" is not known; known are id, name, arguments",
        ),
        (
            json!({"turns": [{"delayMs": -1}]}),
            "turn 1, at /turns/0/delayMs: it must be a whole number from 0 to 86400000",
        ),
        (
            json!({"turns": [{"error": {"kind": "http"}}]}),
            "turn 1, at /turns/0/error/kind: an error of kind \"http\" needs a `status`",
        ),
        (
            json!({"turns": [{"error": {"kind": "transient", "status": 1.5}}]}),
            "turn 1, at /turns/0/error/status: it must be a whole number from 100 to 599",
        ),
        (
            json!({"turns": [{"text": "x", "error": {"kind": "transient"}}]}),
            "turn 1, at /turns/0/text: a turn with an `error` can have no \"text\"",
        ),
    ];
    for (script, expected) in rows {
        assert_eq!(
            refusal(&script.to_string()),
            format!("the script scripted cannot be used: {expected}")
        );
    }
}

#[test]
fn an_unknown_kind_is_refused_with_the_known_ones() {
    let message = refusal(r#"{"turns": [{"error": {"kind": "teapot"}}]}"#);
    assert!(
        message.contains("/turns/0/error/kind: the error kind \"teapot\" is not known"),
        "{message}"
    );
    assert!(message.ends_with("network.request_failed"), "{message}");
}

#[test]
fn broken_json_is_refused_with_line_and_column() {
    let message = refusal("{\"turns\": [\n{]}");
    assert!(message.contains("line 2 column 2"), "{message}");
}

#[test]
fn a_file_names_the_model_and_may_begin_with_a_byte_order_mark() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("demo.json");
    std::fs::write(&path, "\u{FEFF}{\"turns\": []}").unwrap();
    let model = ScriptedModel::from_file(&path).unwrap();
    assert_eq!(model.describe().model, "demo.json");
}

#[test]
fn a_file_that_is_missing_no_file_or_too_large_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let large = folder.path().join("large.json");
    File::create(&large).unwrap().set_len(MAX_SCRIPT_BYTES + 1).unwrap();
    let missing = ScriptedModel::from_file(&folder.path().join("none.json")).unwrap_err();
    assert!(matches!(missing, GatewayError::ScriptFile { .. }), "{missing}");
    for path in [folder.path(), &large] {
        let error = ScriptedModel::from_file(path).unwrap_err();
        assert!(matches!(error, GatewayError::ScriptSize { .. }), "{error}");
    }
}

fn offering(text: &str, tools: &[&str]) -> ModelRequest {
    let tool = |name: &&str| innkeeper_protocol::model::ToolOffer {
        alias: crate::fixture::alias(name),
        ..crate::fixture::dice()
    };
    ModelRequest {
        tools: tools.iter().map(tool).collect(),
        ..request(text)
    }
}

#[tokio::test]
async fn a_streamed_turn_is_shown_in_pieces_and_is_the_turn_in_one_piece() {
    let turn = json!({"text": "Rölling.", "reasoning": "why", "chunkChars": 3,
        "calls": [{"name": "hidden", "arguments": {}}, {"name": "look", "arguments": "{\"x\":1"}]});
    let script = json!({"turns": [turn, turn]});
    let model = model(script);
    let watcher = crate::fixture::Watcher::default();
    let streamed = model.stream(&offering("1", &["look"]), &watcher).await.unwrap();
    let text = |text: &str| LiveDelta::Text(text.into());
    let more = |text: &str| crate::stream::arguments(1, text).unwrap();
    let expected = [
        LiveDelta::Reasoning("why".into()),
        text("Röl"),
        text("lin"),
        text("g."),
        crate::stream::call(1, "look", "").remove(0),
        more("{\"x"),
        more("\":1"),
    ];
    assert_eq!(watcher.seen(), expected);
    let whole = model.complete(&request("2")).await.unwrap();
    assert_eq!(
        (streamed.message.parts.len(), streamed.text),
        (whole.message.parts.len(), whole.text)
    );
    assert_eq!(streamed.tool_calls[1].arguments, whole.tool_calls[1].arguments);
}

#[tokio::test(start_paused = true)]
async fn a_streamed_turn_takes_as_long_as_the_script_says() {
    let model = model(json!({"turns": [{"text": "abc", "chunkChars": 1, "delayMs": 4_000}]}));
    let watcher = crate::fixture::Watcher::default();
    let request = request("1");
    let mut turn = Box::pin(model.stream(&request, &watcher));
    assert!(timeout(Duration::from_millis(2_500), &mut turn).await.is_err());
    assert_eq!(watcher.seen().len(), 2);
    assert!(timeout(Duration::from_millis(1_600), &mut turn).await.is_ok());
}

#[tokio::test]
async fn an_error_of_the_script_is_an_error_of_the_stream() {
    let model = model(json!({"turns": [{"error": {"kind": "rate_limited"}}]}));
    let watcher = crate::fixture::Watcher::default();
    let error = model.stream(&request("1"), &watcher).await.unwrap_err();
    assert_eq!((error.code(), watcher.seen()), ("agent.rate_limited", vec![]));
}

#[test]
fn pieces_have_a_size() {
    let refused = refusal(r#"{"turns": [{"chunkChars": 0}]}"#);
    assert_eq!(
        refused,
        "the script scripted cannot be used: turn 1, at /turns/0/chunkChars: it must be a whole number from 1 to 1000000"
    );
}

proptest! {
    #[test]
    fn no_script_breaks_its_reader(
        at in any::<prop::sample::Index>(),
        dropped in 0..20_usize,
        put in "[\\[\\]{}\",:a-z0-9\\\\.-]{0,8}",
    ) {
        let script = r#"{"turns": [{"text": "a", "delayMs": 1, "chunkChars": 2, "calls": [{"id": "c", "name": "look", "arguments": "{"}]},
            {"error": {"kind": "transient", "status": 503}}]}"#;
        let at = at.index(script.len());
        let after = script.get(at + dropped..).unwrap_or_default();
        let script = format!("{}{put}{after}", &script[..at]);
        if let Err(error) = ScriptedModel::from_json(&script) {
            prop_assert!(error.to_string().starts_with("the script scripted cannot be used: "), "{}", error);
        }
    }
}
