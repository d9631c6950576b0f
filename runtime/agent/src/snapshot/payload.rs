//! The payload inside a snapshot: where it lies, what it may not bring, and its normal form.

use serde_json::{Map, Value};

use super::error::SnapshotError;

/// Under which names front ends put the payload, the first that is an object counts.
const NAMES: [&str; 4] = [
    "chatCompletionPayload",
    "chat_completion_payload",
    "generateData",
    "generate_data",
];
/// What stands beside the payload, and so is none of its settings where the snapshot is the payload itself.
const BESIDE: [&str; 4] = [
    "contextPolicy",
    "worldInfoActivation",
    "frozenRunInputSnapshot",
    "generationIntent",
];
/// What a provider needs to go on with an answer: ours to keep, and never a caller's to set.
const PROVIDER_STATE: &str = "_tauritavern_provider_state";
/// Credentials that front ends put among the settings. Models get theirs elsewhere, and a run keeps its snapshot for long.
const SECRETS: [&str; 2] = ["proxy_password", "custom_include_headers"];
const DEFAULT_SOURCE: &str = "openai";
/// What the loop and the model decide; everything else is passed on as a generation setting.
const NOT_SETTINGS: [&str; 7] = [
    "messages",
    "prompt",
    "tools",
    "tool_choice",
    "stream",
    "model",
    "chat_completion_source",
];

/// The snapshot with its payload in the place and form that we use.
pub(super) fn normalise(snapshot: &Value) -> Result<Map<String, Value>, SnapshotError> {
    let unusable = |why: &str| SnapshotError::Unusable(why.to_owned());
    let Value::Object(snapshot) = snapshot else {
        return Err(unusable("it must be an object"));
    };
    let named = NAMES.iter().find_map(|name| snapshot.get(*name)?.as_object());
    let mut payload = match named {
        Some(payload) => payload.clone(),
        None if has_prompt(snapshot) => {
            let own = snapshot
                .iter()
                .filter(|(key, _)| !BESIDE.contains(&key.as_str()) && !NAMES.contains(&key.as_str()));
            own.map(|(key, value)| (key.clone(), value.clone())).collect()
        }
        None => return Err(unusable("it has no payload")),
    };
    if !has_prompt(&payload) {
        return Err(unusable("its payload has neither messages nor a prompt"));
    }
    payload.insert("stream".to_owned(), Value::Bool(false));
    for unwanted in SECRETS.into_iter().chain([PROVIDER_STATE]) {
        payload.remove(unwanted);
    }
    if payload.get("chat_completion_source").is_none_or(Value::is_null) {
        payload.insert("chat_completion_source".to_owned(), DEFAULT_SOURCE.into());
    }
    let mut document = Map::new();
    document.insert("chatCompletionPayload".to_owned(), Value::Object(payload));
    for (key, value) in snapshot {
        let is_beside = if named.is_some() {
            !NAMES.contains(&key.as_str())
        } else {
            BESIDE.contains(&key.as_str())
        };
        if is_beside {
            document.insert(key.clone(), value.clone());
        }
    }
    Ok(document)
}

fn has_prompt(payload: &Map<String, Value>) -> bool {
    ["messages", "prompt"]
        .iter()
        .any(|key| payload.get(*key).is_some_and(|value| !value.is_null()))
}

/// Tools are ours to offer: a prompt that brings some, chooses among them or holds their calls was made for something else.
pub(super) fn refuse_tools(payload: &Map<String, Value>) -> Result<(), SnapshotError> {
    if let Some(Value::Array(tools)) = payload.get("tools")
        && !tools.is_empty()
    {
        return Err(SnapshotError::ExternalTools { count: tools.len() });
    }
    if payload.contains_key("tool_choice") {
        return Err(SnapshotError::ExternalToolChoice);
    }
    let messages = payload.get("messages").and_then(Value::as_array).map(Vec::as_slice);
    match messages.unwrap_or_default().iter().position(is_tool_turn) {
        Some(index) => Err(SnapshotError::ExternalToolTurn { index }),
        None => Ok(()),
    }
}

fn is_tool_turn(message: &Value) -> bool {
    let role = message.get("role").and_then(Value::as_str).unwrap_or_default();
    let calls = message.get("tool_calls").and_then(Value::as_array);
    role.trim().eq_ignore_ascii_case("tool") || calls.is_some_and(|calls| !calls.is_empty())
}

/// What is passed on with each request.
pub(super) fn settings(payload: &Map<String, Value>) -> Map<String, Value> {
    let passed = payload.iter().filter(|(key, _)| !NOT_SETTINGS.contains(&key.as_str()));
    passed.map(|(key, value)| (key.clone(), value.clone())).collect()
}
