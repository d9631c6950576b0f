//! Ids and digests: the pattern of a schema takes what the parser takes, and nothing else.
//!
//! Paths are not here: their schema tells the normal form, and much that a path may not be goes beyond a pattern.

use innkeeper::protocol::digest::Sha256;
use innkeeper::protocol::id::{CallId, ModelAlias, ProfileId, RunId, StableChatId, ToolId, ToolName};
use serde_json::{Value, json};

use super::book;

const UUID: &str = "0f8fad5b-d9cb-469f-a165-70867728950e";

/// Texts of every sort, good for some and bad for others.
fn texts() -> Vec<String> {
    let fixed = [
        "",
        " ",
        "\n",
        "a",
        "run_01",
        "Run-9",
        "a b",
        " a",
        "a ",
        "../x",
        "呼び出し/😀",
        "default-writer",
        "dice.roll",
        "dice..roll",
        "dice.",
        "9.x",
        "dice",
        "builtin:dice.roll",
        "builtin:dice",
        "builtin:Dice",
        "builtin:",
        ":x",
        "chat.search",
        "extension/mood:mood.read",
        "extension/-m:x",
        "extension/:x",
        "skill/a:b",
        "other:x",
        "a\nb",
    ];
    let mut texts: Vec<String> = fixed.map(str::to_owned).into();
    for name in ["get forecast", "%E6%9F%A5", "%e6", "100%", "a:b", "查询", "", "\u{7f}"] {
        texts.push(format!("mcp/{UUID}:{name}"));
    }
    texts.push(format!("mcp/{}:x", UUID.to_uppercase()));
    for length in [63, 64, 65, 128, 129, 256, 257, 512, 513] {
        let long = "a".repeat(length);
        texts.extend([
            format!("builtin:{long}"),
            format!("mcp/{UUID}:{long}"),
            format!("extension/{long}:x"),
            long,
        ]);
    }
    texts.extend(["0".repeat(64), "0".repeat(63), "F".repeat(64), "g".repeat(64)]);
    texts
}

/// Checks one kind of text, as a member of something that is exported.
fn agree(path: &str, member: &str, is_valid: impl Fn(&str) -> bool) {
    let schema = innkeeper::schema_files()
        .into_iter()
        .find(|file| file.path == path)
        .unwrap()
        .content;
    let mut narrow = json!({"$defs": schema["$defs"]});
    let found = schema["properties"]
        .get(member)
        .unwrap_or_else(|| panic!("{path} has no {member}"));
    narrow
        .as_object_mut()
        .unwrap()
        .extend(found.as_object().unwrap().clone());
    let validator = jsonschema::validator_for(&narrow).unwrap();
    let differing: Vec<String> = texts()
        .into_iter()
        .filter(|text| validator.is_valid(&Value::from(text.as_str())) != is_valid(text))
        .collect();
    assert_eq!(differing, Vec::<String>::new(), "{path} {member}");
}

#[test]
fn patterns_take_what_parsers_take() {
    agree("output/AgentRun.json", "runId", |text| RunId::parse(text).is_ok());
    agree("output/AgentRun.json", "stableChatId", |text| {
        StableChatId::parse(text).is_ok()
    });
    agree("output/AnsweredToolCall.json", "callId", |text| {
        CallId::parse(text).is_ok()
    });
    agree("output/ProfileHealth.json", "profileId", |text| {
        ProfileId::parse(text).is_ok()
    });
    agree("output/BenchResult.json", "toolId", |text| ToolId::parse(text).is_ok());
    agree("output/WorkspaceFileView.json", "sha256", |text| {
        Sha256::parse(text).is_ok()
    });
}

#[test]
fn names_of_tools_have_patterns_too() {
    let tool = |member: &'static str, is_valid: fn(&str) -> bool| {
        let schema = innkeeper::schema_files()
            .into_iter()
            .find(|file| file.path == "output/ToolList.json");
        let definitions = schema.unwrap().content["$defs"].clone();
        let pattern = definitions[member]["pattern"].as_str().unwrap().to_owned();
        let validator = jsonschema::validator_for(&json!({"pattern": pattern})).unwrap();
        let differs = |text: &String| validator.is_valid(&Value::from(text.as_str())) != is_valid(text);
        assert_eq!(
            texts().into_iter().filter(differs).collect::<Vec<_>>(),
            Vec::<String>::new(),
            "{member}"
        );
    };
    tool("ToolName", |text| ToolName::parse(text).is_ok());
    tool("ModelAlias", |text| ModelAlias::parse(text).is_ok());
}

#[test]
fn a_schema_refuses_what_is_no_payload() {
    for (kind, path) in book::index()["payloads"].as_object().unwrap() {
        // This one is whatever the front end says.
        let is_free = kind == "generation_intent_recorded";
        let complaints = book::complaints(path.as_str().unwrap(), &json!(5));
        assert_eq!(complaints.is_empty(), is_free, "{kind}");
    }
}
