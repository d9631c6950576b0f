//! Fixed events and the lines that they give.

use serde_json::{Value, json};

use super::*;

struct Script {
    events: Vec<Envelope>,
}

impl Script {
    fn new() -> Self {
        Self { events: Vec::new() }
    }

    fn at(mut self, ms: u64, kind: &str, mut payload: Value) -> Self {
        let seq = self.events.len() + 1;
        if let Value::Object(members) = &mut payload {
            members.insert("eventScope".into(), json!({"invocationId": "inv_root"}));
        }
        let event = json!({
            "seq": seq, "id": format!("evt_{seq}"), "runId": "run_1", "level": "info", "type": kind, "payload": payload,
            "timestamp": format!("2026-10-05T07:00:{:02}.{:03}Z", ms / 1_000, ms % 1_000),
        });
        self.events.push(serde_json::from_value(event).unwrap());
        self
    }

    fn lines(&self, timeline: &mut Timeline) -> String {
        self.events
            .iter()
            .flat_map(|event| timeline.lines(event))
            .collect::<Vec<_>>()
            .join("\n")
    }
}

fn timeline(folder: &std::path::Path, columns: Option<usize>) -> Timeline {
    let components = [("builtin:workspace.write_file".to_owned(), "02a01038".to_owned())].into();
    Timeline::new(Paint::new(false), columns, components, folder.to_owned())
}

fn call(tool: &str, more: Value) -> Value {
    let mut payload = json!({
        "round": 1, "invocationId": "inv_root", "callId": "call_1", "toolId": format!("builtin:{tool}"), "name": tool,
        "snapshotId": "inv_root",
    });
    for (name, value) in more.as_object().into_iter().flatten() {
        payload[name] = value.clone();
    }
    payload
}

fn answer(calls: usize, narration: Option<&str>) -> Value {
    let mut payload = json!({
        "round": 1, "invocationId": "inv_root", "modelResponsePath": "x", "toolCallCount": calls, "hasAssistantText": true,
        "assistantTextChars": 9, "assistantTextWords": 2, "hasReasoning": false, "reasoningChars": 0, "reasoningWords": 0,
        "textChars": 9, "textWords": 2,
    });
    if let Some(text) = narration {
        payload["narration"] =
            json!({"source": "assistantText", "text": text, "totalChars": 9, "totalWords": 2, "truncated": false});
    }
    payload
}

fn writing() -> Script {
    let done = json!({"isError": false, "errorCode": null, "message": null, "elapsedMs": 3, "resourceRefs": []});
    let sha256 = "0".repeat(64);
    Script::new()
        .at(0, "run_created", json!({
            "workspaceId": "chat_1", "stableChatId": "s", "chatRef": {"kind": "group", "chatId": "g"},
            "generationType": "normal", "profileId": "default-writer", "persistBaseStateId": null,
            "inputMessageCount": 8, "presentation": "foreground",
        }))
        .at(4, "model_call_attempt_started", json!({"round": 1, "invocationId": "inv_root", "attempt": 1, "maxRetries": 3}))
        .at(1_250, "model_completed", answer(1, Some("渡し舟を書く \u{1b}[2J")))
        .at(1_251, "tool_call_requested", call("workspace.write_file", json!({"argumentsRef": "tool-args/a.json"})))
        .at(1_252, "tool_call_started", call("workspace.write_file", json!({})))
        .at(1_253, "workspace_file_written", json!({
            "invocationId": "inv_root", "callId": "call_1", "path": "output/main.md", "mode": "replace", "chars": 12,
            "words": 3, "sha256": sha256,
        }))
        .at(1_255, "tool_call_completed", call("workspace.write_file", done))
        .at(1_300, "chat_commit_completed", json!({
            "commitId": "commit_1", "invocationId": "inv_root", "callId": "call_2", "path": "output/main.md",
            "mode": "replace", "messageId": "8", "messageIndex": 8, "isExplicit": true,
        }))
        .at(1_310, "run_completed", Value::Null)
}

#[test]
fn a_run_reads_from_top_to_bottom() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("tool-args")).unwrap();
    let arguments = r#"{"path": "output/main.md", "content": "The river.\n"}"#;
    std::fs::write(folder.path().join("tool-args/a.json"), arguments).unwrap();
    let mut wide = timeline(folder.path(), None);
    insta::assert_snapshot!("wide", writing().lines(&mut wide));
    let facts = Facts {
        elapsed_ms: 1_310,
        rounds: 1,
        calls: 1,
        message: Some("8".into()),
    };
    assert_eq!(wide.facts(), facts);
    insta::assert_snapshot!("narrow", writing().lines(&mut timeline(folder.path(), Some(64))));
}

#[test]
fn trouble_is_told_with_its_code() {
    let failed = json!({
        "isError": true, "errorCode": "workspace.file_not_found", "message": "There is no\nfile a.md.", "resourceRefs": [],
        "outcome": "error",
    });
    let script = Script::new()
        .at(0, "model_call_attempt_failed", json!({
            "round": 1, "invocationId": "inv_root", "attempt": 1, "maxRetries": 3, "retryable": true, "willRetry": true,
            "code": "model.rate_limited", "message": "too many requests",
        }))
        .at(1, "model_call_retry_scheduled", json!({"round": 1, "invocationId": "inv_root", "nextAttempt": 2, "intervalMs": 3_000}))
        .at(3_100, "tool_call_requested", call("workspace.read_file", json!({"argumentsRef": "../../etc/passwd"})))
        .at(3_110, "tool_call_failed", call("workspace.read_file", failed))
        .at(3_120, "run_failed", json!({
            "code": "agent.max_tool_rounds_exceeded", "message": "m", "technicalMessage": "t", "retryable": false,
            "userRetryable": true, "details": {},
        }));
    let folder = tempfile::tempdir().unwrap();
    insta::assert_snapshot!(script.lines(&mut timeline(folder.path(), None)));
}

#[test]
fn unknown_events_are_silent_unless_they_warn() {
    let mut script = Script::new()
        .at(0, "from_the_future", json!({}))
        .at(1, "future_trouble", json!({}));
    script.events[1].level = Level::Warn;
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(
        script.lines(&mut timeline(folder.path(), None)),
        "   0.001  ! future_trouble"
    );
}
