//! `extension check`: components of others, and every other kind of file.

use std::path::Path;

use serde_json::{Value, json};

use super::{built_in, error_code, run, shared};

fn check(file: &Path, more: &[&str]) -> (Option<i32>, String, String) {
    run(
        shared(),
        &[&["extension", "check", file.to_str().unwrap()], more].concat(),
    )
}

/// What the check says of a file with these bytes: exit code, code, and the one sentence.
fn said_of(bytes: &[u8]) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tool.wasm");
    std::fs::write(&file, bytes).unwrap();
    let (code, stdout, stderr) = check(&file, &["--json"]);
    assert_eq!(
        stderr.lines().filter(|line| line.starts_with("error: ")).count(),
        1,
        "{stderr}"
    );
    assert!(stderr.lines().count() <= 2, "{stderr}");
    let value: Value = serde_json::from_str(&stdout).unwrap();
    let message = value["error"]["message"].as_str().unwrap();
    assert_eq!(message.lines().count(), 1, "{message}");
    (
        code,
        error_code(&stdout),
        message.replace(file.to_str().unwrap(), "FILE"),
    )
}

#[test]
fn a_good_component_is_told_in_full() {
    let (code, stdout, stderr) = check(&built_in("dice"), &[]);
    assert_eq!((code, stderr.as_str()), (Some(0), ""), "{stdout}");
    for words in [
        "draw random numbers; granted with --allow random",
        "dice.roll  Roll dice",
        "formula string, required",
        "only reads",
        "suggests calls without asking",
        "✓ usable",
        "--component",
    ] {
        assert!(stdout.contains(words), "{words}: {stdout}");
    }
}

#[test]
fn the_json_is_the_report() {
    let (code, stdout, _) = check(&built_in("dice"), &["--json"]);
    let report: Value = serde_json::from_str(&stdout).unwrap();
    let bytes = std::fs::read(built_in("dice")).unwrap();
    let tool = &report["tools"][0];
    assert_eq!(
        (code, &report["bytes"], &tool["id"], report.get("refusal")),
        (Some(0), &json!(bytes.len()), &json!("extension/dice:dice.roll"), None)
    );
    let granted: Vec<&Value> = report["imports"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|import| import.get("capability"))
        .collect();
    assert_eq!(granted, [&json!("random")]);
}

#[test]
fn a_component_that_this_host_would_not_load_is_refused_with_the_reason() {
    let (code, stdout, _) = check(&built_in("workspace"), &["--json"]);
    let report: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(
        (code, &report["refusal"]["code"]),
        (Some(1), &json!("extension.import_refused"))
    );
    let (code, stdout, _) = check(&built_in("workspace"), &[]);
    assert_eq!(code, Some(1));
    assert!(
        stdout.contains("✗ refused") && stdout.contains("innkeeper:run/control"),
        "{stdout}"
    );

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bare.wasm");
    std::fs::write(&file, wat::parse_str("(component)").unwrap()).unwrap();
    let (code, stdout, _) = check(&file, &[]);
    assert_eq!(code, Some(1));
    assert!(stdout.contains("[extension.invalid_component]"), "{stdout}");
}

#[test]
fn what_is_no_component_is_named_in_one_sentence() {
    let invalid = |message: &str| (Some(2), "extension.invalid_component".to_owned(), message.to_owned());
    let module = wat::parse_str("(module (func))").unwrap();
    assert_eq!(
        said_of(&module),
        invalid("FILE cannot be used: this is a core module, not a component")
    );
    assert_eq!(said_of(b""), invalid("FILE cannot be used: the file is empty"));
    assert_eq!(
        said_of(b"{\"a\": 1}\n"),
        invalid("FILE cannot be used: this is no WebAssembly")
    );
    let text = invalid("FILE cannot be used: this is WebAssembly text, not a binary component");
    assert_eq!(said_of(b"(component)"), text);
    let later = said_of(b"\0asm\x7f\0\x01\0");
    assert!(
        later.2.starts_with("FILE cannot be used: ") && later.2.contains("version"),
        "{}",
        later.2
    );
    assert_eq!((later.0, later.1.as_str()), (Some(2), "extension.invalid_component"));
}

#[test]
fn a_component_that_is_cut_off_anywhere_is_unusable() {
    let whole = std::fs::read(built_in("dice")).unwrap();
    let lengths = [1, 7, 8, 9, 100, whole.len() / 2, whole.len() - 1];
    for length in lengths {
        let (code, error, message) = match whole.get(..length) {
            // A component without sections is one, which holds nothing.
            Some(part) if length == 8 => {
                let folder = tempfile::tempdir().unwrap();
                std::fs::write(folder.path().join("t.wasm"), part).unwrap();
                assert_eq!(check(&folder.path().join("t.wasm"), &[]).0, Some(1));
                continue;
            }
            part => said_of(part.unwrap()),
        };
        assert_eq!(
            (code, error.as_str()),
            (Some(2), "extension.invalid_component"),
            "{length}: {message}"
        );
    }
}

#[test]
fn a_file_that_is_too_large_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("huge.wasm");
    // A hole: it takes no room on the disk.
    std::fs::File::create(&file).unwrap().set_len(1 << 36).unwrap();
    let (code, stdout, _) = check(&file, &["--json"]);
    assert_eq!((code, error_code(&stdout).as_str()), (Some(2), "extension.too_large"));
}

#[test]
fn a_folder_that_is_no_package_is_refused_clearly_and_a_missing_file_too() {
    let folder = tempfile::tempdir().unwrap();
    let (code, _, stderr) = check(folder.path(), &[]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("extension.toml is not there"), "{stderr}");
    let (code, stdout, _) = check(&folder.path().join("x.wasm"), &["--json"]);
    assert_eq!((code, error_code(&stdout).as_str()), (Some(2), "cli.file_unreadable"));
}

#[test]
fn a_call_on_something_else_than_a_component_says_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("module.wasm");
    std::fs::write(&file, wat::parse_str("(module)").unwrap()).unwrap();
    let line = ["tools", "call", "x.y", "--json", "--component", file.to_str().unwrap()];
    let (code, stdout, stderr) = run(shared(), &line);
    assert_eq!(
        (code, error_code(&stdout).as_str()),
        (Some(2), "extension.invalid_component")
    );
    assert!(stderr.contains("this is a core module, not a component"), "{stderr}");
}
