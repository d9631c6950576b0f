//! `run --stream`: the draft as it comes.

use serde_json::{Value, json};

use super::{chat, run, script};

fn lines(flag: &str) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let chat = chat(folder.path());
    let content = json!({"path": "output/main.md", "content": "We climb.\nSlowly."});
    let turns = json!({"turns": [
        {"chunkChars": 4, "calls": [{"name": "workspace_write_file", "arguments": content}]},
        {"calls": [{"name": "workspace_commit", "arguments": {}}]},
        {"calls": [{"name": "workspace_finish", "arguments": {}}]},
    ]});
    let model = script(folder.path(), &turns);
    let data = folder.path().join("data");
    let arguments = ["run", "--chat", &chat, "--model", &model, "--json", flag];
    let (code, stdout, stderr) = run(&data, &arguments);
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_change_of_the_draft_is_a_line_of_its_own() {
    let lines = lines("--stream");
    let live: Vec<&Value> = lines.iter().filter_map(|line| line.get("live")).collect();
    let text: String = live
        .iter()
        .filter(|update| update["type"] == "append" && update["field"] == "content")
        .map(|update| update["text"].as_str().unwrap())
        .collect();
    assert_eq!(text, "We climb.\nSlowly.");
    let removed = live.iter().filter(|update| update["type"] == "remove").count();
    assert_eq!(removed, 1);
}

#[test]
fn an_answer_in_one_piece_shows_nothing_ahead() {
    assert!(
        lines("--no-stream")
            .iter()
            .all(|line| line.get("live").is_none_or(|update| update["type"] == "snapshot"))
    );
}
