//! What is taken out of a stored turn, what never is, and files that hold something else.

use innkeeper_protocol::id::RunId;
use serde_json::json;

use super::*;
use crate::journal::testing::{draft, stamp};
use crate::journal::{Durability, Journal};

struct Run {
    folder: tempfile::TempDir,
    tree: Tree,
    journal: Location,
}

impl Run {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let journal = Location {
            dir: folder.path().to_owned(),
            run_id: RunId::parse("run_1").unwrap(),
        };
        let tree = Tree::open(folder.path()).unwrap();
        Self { folder, tree, journal }
    }

    fn put(&self, path: &str, value: &Value) {
        let path = self.folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, value.to_string()).unwrap();
    }

    fn read(&self, invocation: &str, round: u32) -> Result<ShownTurn, TurnError> {
        read_turn(
            &self.tree,
            &self.journal,
            &InvocationId::parse(invocation).unwrap(),
            round,
        )
    }

    fn code(&self, invocation: &str, round: u32) -> &'static str {
        self.read(invocation, round).unwrap_err().code()
    }
}

fn stored(invocation: &str, round: u32) -> Value {
    let call = json!({"callId": "c1", "alias": "dice_roll", "arguments": {"formula": "SECRET"}, "providerMetadata": {"signature": "SECRET"}});
    json!({
        "round": round, "invocationId": invocation,
        "response": {
            "message": {"role": "assistant", "parts": [
                {"type": "reasoning", "text": "  hm  ", "providerMetadata": {"signature": "SECRET"}},
                {"type": "reasoning", "text": " "},
                {"type": "reasoning", "providerMetadata": {"encrypted": "SECRET"}},
                {"type": "reasoning", "text": "more", "providerMetadata": {"source": "thinking"}},
                {"type": "text", "text": "Rolling."},
                {"type": "native", "provider": "x", "value": {"text": "SECRET"}},
                {"type": "toolCall", "call": call},
            ]},
            "toolCalls": [call], "text": "Rolling.", "reasoning": "hm",
            "providerMetadata": {"id": "resp_1", "model": "m", "usage": {"total": 3}, "chatCompletionSource": "custom", "providerFormat": "f"},
            "rawResponse": {"text": "SECRET"},
        },
    })
}

#[test]
fn what_may_be_shown_is_taken_and_nothing_else() {
    let run = Run::new();
    run.put("model-responses/round-001.json", &stored("inv_root", 1));
    let mut journal = Journal::create(run.journal.clone(), Durability::Batched).unwrap();
    let call = |round: u32, tool: &str| {
        let payload = json!({
            "round": round, "invocationId": "inv_root", "callId": "c1", "toolId": format!("builtin:{tool}"), "name": tool,
        });
        draft("tool_call_requested", payload)
    };
    journal.append(call(1, "dice.roll"), stamp(1)).unwrap();
    journal.append(call(2, "chat.search"), stamp(2)).unwrap();
    let turn = run.read("inv_root", 1).unwrap();
    let expected = ShownTurn {
        path: WorkspacePath::parse("model-responses/round-001.json").unwrap(),
        provider: TurnProvider {
            id: Some("resp_1".to_owned()),
            model: Some("m".to_owned()),
            usage: Some(json!({"total": 3})),
            chat_completion_source: "custom".to_owned(),
            provider_format: "f".to_owned(),
        },
        text: "Rolling.".to_owned(),
        reasoning: [("reasoning_content", "hm"), ("thinking", "more")]
            .map(|(source, text)| (source.to_owned(), text.to_owned()))
            .to_vec(),
        calls: vec![ShownCall {
            call_id: "c1".to_owned(),
            alias: "dice_roll".to_owned(),
            tool: Some(("builtin:dice.roll".to_owned(), "dice.roll".to_owned())),
        }],
    };
    assert_eq!(turn, expected);
    assert!(!format!("{turn:?}").contains("SECRET"));
}

#[test]
fn other_invocations_have_folders_and_rounds_three_digits_or_more() {
    let path = |invocation: &str, round| {
        let invocation = InvocationId::parse(invocation).unwrap();
        turn_path(&invocation, round).unwrap().to_string()
    };
    assert_eq!(path("inv_root", 7), "model-responses/round-007.json");
    assert_eq!(path("inv_a", 1_234), "model-responses/inv_a/round-1234.json");
}

#[test]
fn a_file_that_holds_something_else_has_a_code_of_its_own() {
    let run = Run::new();
    run.put("model-responses/round-002.json", &stored("inv_root", 1));
    run.put("model-responses/inv_a/round-001.json", &stored("inv_b", 1));
    run.put("model-responses/round-003.json", &json!({"round": "SECRET"}));
    std::fs::create_dir_all(run.folder.path().join("model-responses/round-004.json")).unwrap();
    assert_eq!(run.code("inv_root", 1), "agent.not_found");
    assert_eq!(run.code("inv_root", 2), "agent.model_response_round_mismatch");
    assert_eq!(run.code("inv_a", 1), "agent.model_response_invocation_mismatch");
    assert_eq!(run.code("inv_root", 3), "agent.model_response_parse_failed");
    assert_eq!(run.code("inv_root", 4), "agent.model_response_parse_failed");
    let error = run.read("inv_root", 3).unwrap_err().to_string();
    assert!(!error.contains("SECRET"), "{error}");
}
