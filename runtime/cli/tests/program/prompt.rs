//! What a run's first request is made of: a card, books, or a front end's own prompt; and what is said when they cannot be used.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{chat, error_code, run, script};

/// A run in a folder of its own, over the usual chat and with a model that finishes at once.
struct Stage {
    folder: tempfile::TempDir,
    chat: String,
    model: String,
}

impl Stage {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let turns = json!({"turns": [{"calls": [
            {"name": "worldinfo_read_activated", "arguments": {}},
            {"name": "workspace_write_file", "arguments": {"path": "output/main.md", "content": "The storm breaks."}},
            {"name": "workspace_finish", "arguments": {}},
        ]}]});
        Self {
            chat: chat(folder.path()),
            model: script(folder.path(), &turns),
            folder,
        }
    }

    fn put(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn run(&self, more: &[&str]) -> (Option<i32>, String, String) {
        let always = [
            "run",
            "--chat",
            &self.chat,
            "--model",
            &self.model,
            "--background",
            "--json",
        ];
        run(&self.folder.path().join("data"), &[&always[..], more].concat())
    }

    /// The prompt snapshot that the only run has kept.
    fn kept(&self) -> Value {
        let found = find(&self.folder.path().join("data"), "prompt_snapshot.json");
        serde_json::from_slice(&std::fs::read(found.unwrap()).unwrap()).unwrap()
    }

    /// The texts of the first request, one for each message.
    fn texts(&self) -> Vec<String> {
        let kept = self.kept();
        let messages = kept["chatCompletionPayload"]["messages"].as_array().unwrap().clone();
        let text = |message: Value| message["parts"][0]["text"].as_str().unwrap_or_default().to_owned();
        messages.into_iter().map(text).collect()
    }
}

fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let file = files
        .into_iter()
        .find(|path| path.file_name().is_some_and(|found| found == name));
    file.or_else(|| folders.iter().find_map(|folder| find(folder, name)))
}

fn wren() -> Value {
    json!({"spec": "chara_card_v3", "spec_version": "3.0", "data": {
        "name": "Wren", "description": "{{char}} steers the Patience for {{user}}.", "first_mes": "Mind the step.",
        "post_history_instructions": "Never speak for {{user}}.",
        "character_book": {"entries": [{"keys": ["key"], "content": "The river takes keys.", "insertion_order": 5, "enabled": true}]},
    }})
}

fn river() -> Value {
    json!({"entries": {
        "0": {"key": ["lurches", "/no such/"], "content": "The buoy rings.", "position": 4, "depth": 1, "role": 0},
        "1": {"key": ["dragon"], "content": "Dragons."},
    }})
}

#[test]
fn a_card_and_a_book_go_into_the_prompt_and_the_tool_lists_them() {
    let stage = Stage::new();
    let card = stage.put("wren.json", wren().to_string());
    let book = stage.put("river.json", river().to_string());
    let (code, stdout, stderr) = stage.run(&["--card", &card, "--worldinfo", &book, "--instruction", "Let it storm."]);
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    let texts = stage.texts();
    let system = &texts[0];
    for part in [
        "Wren steers the Patience for Ilo.",
        "The river takes keys.",
        "## Character: Wren",
    ] {
        assert!(system.contains(part), "{part} in {system}");
    }
    assert!(!system.contains("Mind the step"), "the chat has begun");
    let [.., entry, _, last, instruction] = &texts[..] else {
        panic!("{texts:?}")
    };
    assert_eq!(entry, "The buoy rings.");
    assert_eq!([last.as_str(), instruction], ["Never speak for Ilo.", "Let it storm."]);
    let entries = stage.kept()["worldInfoActivation"]["entries"].clone();
    let contents: Vec<&str> = entries
        .as_array()
        .unwrap()
        .iter()
        .map(|e| e["content"].as_str().unwrap())
        .collect();
    assert_eq!(contents, ["The river takes keys.", "The buoy rings."]);
    assert!(
        stdout.contains("worldinfo:river#0"),
        "the tool's reply names the entry: {stdout}"
    );
}

#[test]
fn a_profile_may_keep_world_info_out_of_the_prompt() {
    let stage = Stage::new();
    let profile = json!({
        "schemaVersion": 3, "kind": "tauritavern.agentProfile", "id": "bare", "displayName": "Bare",
        "preset": {"mode": "none"}, "model": {"mode": "currentPromptSnapshot"}, "run": {"presentation": "background"},
        "context": {"includeActivatedWorldInfo": false},
        "tools": {
            "allow": ["builtin:worldinfo.read_activated", "builtin:workspace.write_file", "builtin:workspace.finish"], "maxRounds": 5,
        },
        "skills": {"visible": ["*"]}, "workspace": {"visibleRoots": ["output"], "writableRoots": ["output"]},
        "plan": {"mode": "none"},
        "output": {"artifacts": [{"id": "main", "path": "output/main.md", "kind": "markdown", "target": "messageBody"}]},
    });
    let profile = stage.put("bare.json", profile.to_string());
    let book = stage.put("river.json", river().to_string());
    let (code, stdout, stderr) = stage.run(&["--worldinfo", &book, "--profile", &profile]);
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    assert!(!stage.texts().join("\n").contains("The buoy rings."));
    assert_eq!(
        stage.kept()["worldInfoActivation"]["entries"].as_array().unwrap().len(),
        1
    );
}

#[test]
fn a_front_ends_prompt_is_taken_as_it_is_with_the_instruction_behind_it() {
    let stage = Stage::new();
    let snapshot = json!({
        "chatCompletionPayload": {"messages": [{"role": "system", "content": "Be Wren."}], "temperature": 0.3},
        "contextPolicy": {}, "generationIntent": {"button": "send"},
    });
    let snapshot = stage.put("snapshot.json", snapshot.to_string());
    let (code, stdout, stderr) = stage.run(&["--snapshot", &snapshot, "--instruction", "Go on."]);
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    assert_eq!(
        stage.kept()["chatCompletionPayload"],
        json!({
            "messages": [{"role": "system", "content": "Be Wren."}, {"role": "user", "content": "Go on."}],
            "temperature": 0.3, "stream": false, "chat_completion_source": "openai",
        })
    );
    let recorded = stdout.lines().find(|line| line.contains("generation_intent_recorded"));
    assert!(
        recorded.is_some_and(|line| line.contains("\"button\":\"send\"")),
        "{stdout}"
    );
}

#[test]
fn what_cannot_be_used_is_refused_before_anything_is_written() {
    let stage = Stage::new();
    let book = stage.put("book.json", river().to_string());
    let tools = json!({"chatCompletionPayload": {"messages": [], "tools": [{}]}, "contextPolicy": {}});
    let policy = json!({"prompt": "p", "contextPolicy": {"maxPromptChars": 1}});
    let marker = json!({"messages": [{"_tauritavern_agent_prompt_marker": "x"}], "contextPolicy": {}});
    for (flag, name, content, expected) in [
        (
            "--card",
            "a.json",
            json!({"data": {"name": 5}}).to_string(),
            "card.invalid",
        ),
        ("--card", "b.png", "\u{89}PNG".to_owned(), "card.damaged"),
        ("--card", "c.json", "{\"name\":".to_owned(), "card.damaged"),
        ("--worldinfo", "d.json", "[]".to_owned(), "worldinfo.book_invalid"),
        ("--worldinfo", "e.json", "{".to_owned(), "worldinfo.book_invalid"),
        ("--snapshot", "f.json", "{".to_owned(), "cli.invalid_json"),
        ("--snapshot", "g.json", "{}".to_owned(), "agent.invalid_prompt_snapshot"),
        (
            "--snapshot",
            "h.json",
            tools.to_string(),
            "agent.external_tools_unsupported",
        ),
        (
            "--snapshot",
            "i.json",
            policy.to_string(),
            "agent.context_policy_mismatch",
        ),
        (
            "--snapshot",
            "j.json",
            marker.to_string(),
            "agent.prompt_marker_unmaterialized",
        ),
    ] {
        let path = stage.put(name, content);
        let (code, stdout, stderr) = stage.run(&[flag, &path]);
        assert_eq!(
            (code, error_code(&stdout).as_str()),
            (Some(2), expected),
            "{flag} {name} {stderr}"
        );
        assert!(stdout.contains("\"hint\":\""), "{stdout}");
    }
    let nowhere = stage.folder.path().join("nowhere");
    let nowhere = nowhere.to_str().unwrap();
    for (arguments, expected) in [
        (&["--card", nowhere][..], "card.not_found"),
        (&["--worldinfo", nowhere], "worldinfo.book_not_found"),
        (&["--snapshot", nowhere], "cli.file_unreadable"),
        (&["--snapshot", &book, "--worldinfo", &book], "cli.usage"),
    ] {
        let (code, stdout, _) = stage.run(arguments);
        assert_eq!(
            (code, error_code(&stdout).as_str()),
            (Some(2), expected),
            "{arguments:?}"
        );
    }
    assert_eq!(find(&stage.folder.path().join("data"), "prompt_snapshot.json"), None);
}

#[test]
fn a_card_says_who_speaks_where_the_chat_does_not() {
    let stage = Stage::new();
    std::fs::write(&stage.chat, "{\"chat_metadata\":{}}").unwrap();
    let (code, stdout, _) = stage.run(&[]);
    assert_eq!(
        (code, error_code(&stdout).as_str()),
        (Some(2), "store.chat_speaker_unknown")
    );
    let card = stage.put("wren.json", wren().to_string());
    let (code, stdout, stderr) = stage.run(&["--card", &card, "--as", "Somebody"]);
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    assert!(
        stage.texts()[0].contains("Mind the step."),
        "a chat that has not begun shows the greeting"
    );
}
