//! What the flags of a bench mean, without a sandbox.

use super::*;

fn roots(visible: Option<&[&str]>, writable: Option<&[&str]>) -> Result<Roots, Failure> {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let args = BenchArgs {
        workspace: None,
        chat: None,
        boundary: None,
        activation: None,
        skills: None,
        profile: None,
        seed: None,
        visible: visible.map(owned),
        writable: writable.map(owned),
        component: None,
        allow: Vec::new(),
        limit: Vec::new(),
    };
    Roots::of(&args, None)
}

#[test]
fn a_root_that_is_written_must_be_seen() {
    assert_eq!(
        roots(Some(&["output"]), Some(&["plan"])).unwrap_err().code,
        "agent.profile_workspace_root_invalid"
    );
    let expected = Roots {
        visible: Some(vec!["output".into(), "plan".into()]),
        writable: Some(vec!["plan".into()]),
    };
    assert_eq!(roots(Some(&["output", " plan"]), Some(&["plan "])).unwrap(), expected);
}

#[test]
fn capabilities_are_granted_by_name_and_control_of_a_run_never() {
    let code = |name| grant(name).unwrap_err().code;
    assert_eq!(grant("chat").unwrap().to_string(), "chat");
    assert_eq!(
        grant("http=example.org").unwrap().to_string(),
        "http=https://example.org"
    );
    assert_eq!(code("http"), "cli.unknown_capability");
    assert_eq!(code("run-control"), "cli.unknown_capability");
}

#[test]
fn a_script_is_a_list_of_tool_and_arguments() {
    let calls: Vec<ScriptedCall> = parse_json("the script", br#"[{"tool":"dice.roll"}]"#).unwrap();
    assert_eq!(
        calls,
        [ScriptedCall {
            tool: "dice.roll".into(),
            arguments: json!({})
        }]
    );
    let failure = parse_json::<Vec<ScriptedCall>>("the script", br#"[{"tool":"a","args":{}}]"#).unwrap_err();
    assert!(failure.message.contains("unknown field `args`"), "{}", failure.message);
}

#[test]
fn arguments_are_named_by_where_they_come_from() {
    assert_eq!(arguments(r#"{"a":1}"#).unwrap(), json!({"a": 1}));
    assert_eq!(
        arguments("{").unwrap_err().message,
        "--args cannot be used: EOF while parsing an object at line 1 column 1"
    );
    assert!(
        arguments("@/nowhere/x.json")
            .unwrap_err()
            .message
            .starts_with("the arguments file /nowhere/x.json cannot be read")
    );
}
