//! `tools`: lists, calls and scripts of calls.

use serde_json::{Value, json};

use super::{error_code, innkeeper, run, shared, told};

#[test]
fn an_error_for_the_model_is_a_result_with_exit_code_1() {
    let (code, stdout, stderr) = run(shared(), &["tools", "call", "dice.roll", "--args", "{}", "--json"]);
    let result: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, stderr.as_str()), (Some(1), ""));
    assert_eq!(
        (&result["isError"], &result["errorCode"]),
        (&json!(true), &json!("tool.invalid_arguments"))
    );
}

#[test]
fn a_script_shares_what_was_read_and_lists_what_it_did_not_carry_out() {
    let folder = tempfile::tempdir().unwrap();
    let calls = json!([
        {"tool": "workspace.write_file", "arguments": {"path": "output/main.md", "content": "one two"}},
        {"tool": "workspace_apply_patch", "arguments": {"path": "output/main.md", "old_string": "two", "new_string": "three"}},
        {"tool": "builtin:workspace.commit", "arguments": {}},
        {"tool": "workspace.finish"},
    ]);
    let workspace = folder.path().join("w");
    let output = innkeeper(shared())
        .args([
            "tools",
            "script",
            "-",
            "--json",
            "--workspace",
            workspace.to_str().unwrap(),
        ])
        .write_stdin(calls.to_string())
        .output()
        .unwrap();
    let (code, stdout, stderr) = told(&output);
    assert_eq!((code, stderr.as_str()), (Some(0), ""), "{stdout}");
    let results: Vec<Value> = serde_json::from_str(&stdout).unwrap();
    let effects: Vec<&Value> = results
        .iter()
        .flat_map(|result| result["effects"].as_array().unwrap())
        .collect();
    let types: Vec<&str> = effects.iter().map(|effect| effect["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["write", "patch", "commit", "finish"]);
    assert_eq!(
        std::fs::read_to_string(workspace.join("output/main.md")).unwrap(),
        "one three"
    );
}

#[test]
fn a_profile_that_denies_a_tool_is_exit_code_3() {
    let arguments = [
        "tools",
        "call",
        "dice.roll",
        "--args",
        "{\"formula\":\"d6\"}",
        "--profile",
        "default-writer",
        "--json",
    ];
    let (code, stdout, _) = run(shared(), &arguments);
    assert_eq!(
        (code, error_code(&stdout).as_str()),
        (Some(3), "agent.tool_policy_denied")
    );
}

#[test]
fn a_megabyte_of_arguments_is_no_trouble() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    let content = "渡".repeat(350_000);
    std::fs::write(&path, json!({"path": "output/main.md", "content": content}).to_string()).unwrap();
    let arguments = format!("@{}", path.to_str().unwrap());
    let (code, stdout, _) = run(
        folder.path(),
        &["tools", "call", "workspace.write_file", "--args", &arguments, "--json"],
    );
    let result: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(
        (code, &result["effects"][0]["chars"]),
        (Some(0), &json!(350_000)),
        "{result}"
    );
}

#[test]
fn one_seed_gives_the_same_roll_and_a_lowered_limit_counts() {
    let roll = |more: &[&str]| {
        let line = [
            "tools",
            "call",
            "dice.roll",
            "--args",
            "{\"formula\":\"9d1000\"}",
            "--json",
            "--seed",
            "3",
        ];
        let (_, stdout, _) = run(shared(), &[&line, more].concat());
        serde_json::from_str::<Value>(&stdout).unwrap()
    };
    assert_eq!(roll(&[])["structured"], roll(&[])["structured"]);
    assert_eq!(roll(&["--limit", "host-calls=2"])["errorCode"], "tool.host_call_limit");
}

#[test]
fn colours_are_for_terminals_or_on_request() {
    assert!(!run(shared(), &["tools", "list"]).1.contains('\u{1b}'));
    assert!(
        run(shared(), &["tools", "list", "--color", "always"])
            .1
            .contains('\u{1b}')
    );
}

#[test]
fn the_list_shows_source_and_permission_of_every_tool() {
    let (code, stdout, _) = run(shared(), &["tools", "list"]);
    assert_eq!(code, Some(0));
    let columns = |line: &str| {
        line.split("  ")
            .map(str::trim)
            .filter(|cell| !cell.is_empty())
            .collect::<Vec<_>>()
            .join("|")
    };
    let rows: Vec<String> = stdout.lines().map(columns).collect();
    assert_eq!(rows[0], "tool|title|source|permission|may reach");
    let dice = "dice.roll|Roll dice|builtin|allow|random/random, off by default".to_owned();
    assert!(rows.contains(&dice), "{stdout}");
}

#[test]
fn a_script_that_cannot_go_on_tells_what_was_done_before() {
    let calls = json!([
        {"tool": "dice.roll", "arguments": {"formula": "2d1"}},
        {"tool": "dice.no_such", "arguments": {}},
        {"tool": "dice.roll", "arguments": {"formula": "2d1"}},
    ]);
    let output = innkeeper(shared())
        .args(["tools", "script", "-", "--json", "--allow", "random", "--component"])
        .arg(super::built_in("dice"))
        .write_stdin(calls.to_string())
        .output()
        .unwrap();
    let (code, stdout, stderr) = told(&output);
    let value: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, error_code(&stdout).as_str()), (Some(2), "tool.not_found"));
    let totals: Vec<&Value> = value["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|call| &call["structured"]["total"])
        .collect();
    assert_eq!(totals, [&json!(2)]);
    assert!(stderr.starts_with("error: there is no tool"), "{stderr}");
}

#[test]
fn a_call_reads_the_skills_of_a_folder() {
    let skills = concat!(env!("CARGO_MANIFEST_DIR"), "/demo/skill");
    let (code, stdout, _) = run(shared(), &["tools", "call", "skill.list", "--skills", skills]);
    assert_eq!(code, Some(0));
    assert!(stdout.contains("wren-voice"), "{stdout}");
    let (code, stdout, _) = run(
        shared(),
        &["tools", "call", "skill.list", "--skills", "/no/such", "--json"],
    );
    assert_eq!(
        (code, error_code(&stdout).as_str()),
        (Some(2), "skill.folder_unreadable")
    );
}
