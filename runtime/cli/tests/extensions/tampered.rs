//! Installed extensions that somebody changed: they are off, told of by name, and in nobody's way.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::guest::Guest;
use super::stage::Stage;

fn installed() -> (Stage, PathBuf) {
    let stage = Stage::new();
    stage.install(&stage.package("1.0.0", &Guest::default()), &[]);
    let folder = stage.extension()["folder"].as_str().unwrap().into();
    (stage, folder)
}

/// The problem that the list and the tools tell of; the host works all the same.
fn problem(stage: &Stage, state: &str) -> Value {
    let extension = stage.extension();
    assert_eq!((&extension["state"], &extension["tools"]), (&json!(state), &json!([])));
    let (code, tools) = stage.json(&["tools", "list"]);
    let diagnostic = &tools["diagnostics"][0];
    assert_eq!(
        (code, &diagnostic["extensionId"], &diagnostic["code"]),
        (Some(0), &json!("mood"), &extension["problem"]["code"])
    );
    let (code, events) = stage.chat_run(&["--with", "extension/mood"]);
    assert_eq!(
        (code, &events[0]["error"]["code"]),
        (Some(2), &extension["problem"]["code"])
    );
    extension["problem"].clone()
}

#[test]
fn other_bytes_are_refused_and_installing_again_mends_them() {
    let (stage, folder) = installed();
    let component = folder.join("mood.wasm");
    let whole = std::fs::read(&component).unwrap();
    let other = Guest {
        description: "Does good.",
        ..Guest::default()
    }
    .bytes();
    for bytes in [other.as_slice(), &whole[..whole.len() / 2], b""] {
        std::fs::write(&component, bytes).unwrap();
        let problem = problem(&stage, "damaged");
        assert_eq!(problem["code"], "extension.damaged");
        let message = problem["message"].as_str().unwrap();
        assert!(
            message.contains("the extension mood is damaged") && message.contains("mood.wasm"),
            "{message}"
        );
    }
    let (_, report) = stage.install(&stage.path("mood-1.0.0"), &[]);
    assert_eq!(
        (&report["outcome"], &report["extension"]["state"]),
        (&json!("renewed"), &json!("on"))
    );
}

#[test]
fn a_manifest_that_was_changed_or_a_folder_that_is_gone() {
    let (stage, folder) = installed();
    let manifest = std::fs::read_to_string(folder.join("extension.toml")).unwrap();
    std::fs::write(folder.join("extension.toml"), manifest.replace("Lantern", "Other")).unwrap();
    assert_eq!(problem(&stage, "damaged")["code"], "extension.damaged");
    std::fs::remove_dir_all(&folder).unwrap();
    let message = problem(&stage, "damaged")["message"].clone();
    assert!(message.as_str().unwrap().ends_with("is missing"), "{message}");
}

#[test]
fn tools_that_say_something_else_than_what_was_agreed_to_are_off() {
    let (stage, _) = installed();
    let mut lock: Value = serde_json::from_slice(&std::fs::read(stage.lock_file()).unwrap()).unwrap();
    // As if the component had said this when it was installed.
    lock["extensions"]["mood"]["active"]["specs"]["hostile.act"]["words"] = json!("0".repeat(64));
    std::fs::write(stage.lock_file(), lock.to_string()).unwrap();
    let problem = problem(&stage, "off");
    assert_eq!(problem["code"], "extension.changed");
    let message = problem["message"].as_str().unwrap();
    assert!(
        message.ends_with("the title or description of hostile.act, which a model reads, is another"),
        "{message}"
    );
}

#[test]
fn a_lock_file_that_makes_no_sense_is_told_of_and_stops_no_run() {
    let (stage, _) = installed();
    std::fs::write(stage.lock_file(), "{\"schemaVersion\": 1").unwrap();
    let (code, tools) = stage.json(&["tools", "list"]);
    assert_eq!(
        (code, &tools["diagnostics"][0]["code"]),
        (Some(0), &json!("store.extensions_damaged"))
    );
    let (code, error) = stage.json(&["extension", "list"]);
    assert_eq!(
        (code, &error["error"]["code"]),
        (Some(2), &json!("store.extensions_damaged"))
    );
    let (code, error) = stage.install(&stage.path("mood-1.0.0"), &[]);
    assert_eq!(
        (code, &error["error"]["code"]),
        (Some(2), &json!("store.extensions_damaged"))
    );
    let (code, events) = stage.chat_run(&["--with", "extension/mood"]);
    assert_eq!(
        (code, &events[0]["error"]["code"]),
        (Some(2), &json!("store.extensions_damaged"))
    );
    assert_eq!(
        std::fs::read_to_string(stage.lock_file()).unwrap(),
        "{\"schemaVersion\": 1"
    );
}
