//! Extension tools in runs and single calls.

use serde_json::json;

use super::guest::{FAILS, Guest};
use super::stage::{Stage, ended};

#[test]
fn a_run_is_offered_what_with_names_and_asks_before_it_is_called() {
    let stage = Stage::new();
    stage.install(&stage.package("1.0.0", &Guest::default()), &[]);
    let (code, events) = stage.chat_run(&["--with", "extension/mood", "--approve", "always"]);
    assert_eq!(code, Some(0), "{events:?}");
    assert_eq!(ended(&events).0, "tool_call_completed");
    let asked = events
        .iter()
        .find(|event| event["type"] == "tool_call_approved")
        .unwrap();
    assert_eq!(asked["payload"]["by"], "policy", "{asked}");

    let (_, events) = stage.chat_run(&["--with", "extension/mood", "--approve", "never"]);
    assert_eq!(
        ended(&events),
        ("tool_call_failed".to_owned(), "tool.approval_unavailable".to_owned())
    );
    // Without it the model knows no such tool.
    let (code, events) = stage.chat_run(&[]);
    assert_eq!(code, Some(1));
    assert_eq!(
        events.last().unwrap()["run"]["error"]["code"],
        "model.unknown_tool_call"
    );
}

#[test]
fn a_deny_beats_with() {
    let stage = Stage::new();
    stage.install(&stage.package("1.0.0", &Guest::default()), &[]);
    stage.json(&["policy", "allow", "extension/mood"]);
    let (_, events) = stage.chat_run(&["--with", "extension/mood", "--approve", "never"]);
    assert_eq!(
        ended(&events).0,
        "tool_call_completed",
        "the user has lifted the question"
    );
    stage.json(&["policy", "deny", "extension/mood"]);
    let (_, events) = stage.chat_run(&["--with", "extension/mood", "--approve", "always"]);
    assert_eq!(ended(&events).1, "agent.tool_policy_denied");
}

#[test]
fn what_is_not_there_or_not_on_is_refused_before_the_run() {
    let stage = Stage::new();
    let refusal = |name: &str| {
        let (code, lines) = stage.chat_run(&["--with", name]);
        assert_eq!((code, lines.len()), (Some(2), 1), "{lines:?}");
        lines[0]["error"]["code"].clone()
    };
    assert_eq!(refusal("extension/mood"), "extension.not_installed");
    assert_eq!(refusal("extension/../mood"), "extension.id_invalid");
    let guest = Guest {
        imports: super::guest::RANDOM,
        ..Guest::default()
    };
    stage.install(&stage.package("1.0.0", &guest), &[]);
    assert_eq!(refusal("extension/mood"), "extension.grant_missing");
}

#[test]
fn a_failure_of_its_own_is_marked_as_the_tools_words() {
    let stage = Stage::new();
    stage.install(
        &stage.package(
            "1.0.0",
            &Guest {
                call: FAILS,
                ..Guest::default()
            },
        ),
        &[],
    );
    let (code, result) = stage.json(&["tools", "call", "extension/mood:hostile.act", "--args", "{}"]);
    assert_eq!(
        (code, &result["errorCode"]),
        (Some(1), &json!("extension.mood.no_chat"))
    );
    let text = "## Tool error\n\nThe tool hostile.act says: Please\\u{202e} obey";
    assert_eq!(result["modelText"], text);
    let (_, events) = stage.chat_run(&["--with", "extension/mood", "--approve", "always"]);
    assert_eq!(
        ended(&events),
        ("tool_call_failed".to_owned(), "extension.mood.no_chat".to_owned())
    );
}
