//! Writing an extension: what `extension new` makes, and what `extension test` says of packages that behave and of packages that don't.
//!
//! Whether a new package builds with its language's own tools is tried by `plugins/examples/check.sh`, which may ask a registry.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that meets what it does not expect shall fail"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use assert_cmd::Command;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

/// Longer than any command here may take, also on a busy machine: what takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(120);

fn innkeeper(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::cargo_bin("innkeeper")
        .unwrap()
        .env(
            "INNKEEPER_DATA",
            concat!(env!("CARGO_TARGET_TMPDIR"), "/innkeeper-authors"),
        )
        .env_remove("NO_COLOR")
        .timeout(PATIENCE)
        .args(arguments)
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A new package in a folder of its own.
fn new(name: &str, language: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("package");
    let (code, _, stderr) = innkeeper(&[
        "extension",
        "new",
        name,
        "--lang",
        language,
        "--dir",
        dir.to_str().unwrap(),
    ]);
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    (folder, dir)
}

/// A package around a built-in component, which serves as a stranger's.
fn package(family: &str, capabilities: &str) -> (TempDir, PathBuf) {
    let component = fs::read(repository().join(format!("runtime/builtins/components/{family}.wasm"))).unwrap();
    package_of(&component, capabilities)
}

fn package_of(component: &[u8], capabilities: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("tried");
    fs::create_dir_all(dir.join("cases")).unwrap();
    fs::write(dir.join("tool.wasm"), component).unwrap();
    let digest: String = Sha256::digest(component)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let manifest = format!(
        "id = \"tried\"\nversion = \"0.1.0\"\npublisher = \"P\"\ndescription = \"D\"\nwit = \"0.1.0\"\ncomponent = \"tool.wasm\"\n\
         sha256 = \"{digest}\"\n\n[capabilities]\n{capabilities}\n"
    );
    fs::write(dir.join("extension.toml"), manifest).unwrap();
    (folder, dir)
}

fn test(dir: &Path, more: &[&str]) -> (Option<i32>, Value) {
    let line = [
        &["--json", "extension", "test", dir.to_str().unwrap(), "--rounds", "16"],
        more,
    ]
    .concat();
    let (code, stdout, stderr) = innkeeper(&line);
    let value = serde_json::from_str(&stdout).unwrap_or_else(|e| panic!("{e}: {stdout}{stderr}"));
    (code, value)
}

const DICE: &str = "random = \"To roll.\"";
const GOOD_CASE: &str = "title = 'A die'\nrule = 'A die shows a side.'\n[[call]]\ntool = 'dice.roll'\narguments = { formula = '1d1' }\n\
                         structured = { total = 1 }\n";

#[test]
fn each_language_gets_a_whole_package_and_three_commands() {
    for (language, source) in [("rust", "src/lib.rs"), ("js", "src/tool.js"), ("python", "src/app.py")] {
        let (_folder, dir) = new("my-moods", language);
        let manifest = fs::read_to_string(dir.join("extension.toml")).unwrap();
        assert!(manifest.contains("id = \"my-moods\"") && manifest.contains("component = \"my-moods.wasm\""));
        assert!(fs::read_to_string(dir.join(source)).unwrap().contains("my_moods.pick"));
        for file in ["README.md", ".gitignore", "cases/pick.toml", "cases/refused.toml"] {
            assert!(dir.join(file).is_file(), "{language}: {file}");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("m");
    let line = [
        "extension",
        "new",
        "moods",
        "--lang",
        "js",
        "--dir",
        dir.to_str().unwrap(),
    ];
    let (_, stdout, _) = innkeeper(&line);
    let commands: Vec<&str> = stdout
        .lines()
        .skip_while(|line| *line != "next")
        .skip(1)
        .map(str::trim)
        .collect();
    let build = format!("cd {} && npm install && npm run build", dir.display());
    let expected = [
        build.as_str(),
        "innkeeper extension test . --seal",
        "innkeeper extension install .",
        "",
    ];
    assert_eq!(commands, expected);
}

#[test]
fn nothing_that_exists_is_overwritten() {
    let (_folder, dir) = new("moods", "js");
    let line = [
        "extension",
        "new",
        "moods",
        "--lang",
        "rust",
        "--dir",
        dir.to_str().unwrap(),
        "--json",
    ];
    let (code, stdout, _) = innkeeper(&line);
    let error: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(
        (code, &error["error"]["code"]),
        (Some(2), &json!("cli.folder_not_empty"))
    );
    assert!(!dir.join("Cargo.toml").exists());
    let (code, _, stderr) = innkeeper(&["extension", "new", "My Moods", "--lang", "rust"]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("lower-case letters"), "{stderr}");
}

/// Files that an example shares with every new package of its language are the same in both.
#[test]
fn the_examples_are_in_step_with_new_packages() {
    let shared = [
        (
            "rust",
            "cast",
            &[
                "pack/src/main.rs",
                "pack/Cargo.toml",
                "build.rs",
                ".cargo/config.toml",
                ".gitignore",
            ][..],
        ),
        ("js", "oracle", &["src/innkeeper.js", "package.json", ".gitignore"]),
        (
            "python",
            "diction",
            &["src/innkeeper.py", "build.py", "requirements.txt", ".gitignore"],
        ),
    ];
    for (language, id, files) in shared {
        let (_folder, dir) = new(id, language);
        let example = repository().join("plugins/examples").join(language);
        let mut files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
        let contract = example.join("wit/deps");
        if contract.is_dir() {
            let packages = fs::read_dir(contract).unwrap().map(|entry| entry.unwrap().file_name());
            files.extend(packages.map(|package| {
                let name = package.to_str().unwrap().trim_start_matches("innkeeper-").to_owned();
                Path::new("wit/deps").join(&package).join(format!("{name}.wit"))
            }));
        }
        for file in files {
            let text = |folder: &Path| fs::read_to_string(folder.join(&file)).unwrap();
            assert_eq!(text(&example), text(&dir), "{language}: {}", file.display());
        }
    }
}

#[test]
fn a_package_that_behaves_passes_every_check() {
    let (_folder, dir) = package("dice", DICE);
    fs::write(dir.join("cases/die.toml"), GOOD_CASE).unwrap();
    let (code, report) = test(&dir, &[]);
    assert_eq!((code, &report["passed"]), (Some(0), &json!(true)), "{report:#}");
    assert_eq!(
        report["cases"],
        json!([{"file": "die.toml", "title": "A die", "passed": true}])
    );
    let checks: Vec<&Value> = report["trial"]["tools"][0]["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| &c["check"])
        .collect();
    assert_eq!(checks, ["arguments", "unicode", "repeat", "cancel", "limits", "uses"]);
    let (_, again) = test(&dir, &[]);
    assert_eq!(
        without_times(report["trial"].clone()),
        without_times(again["trial"].clone()),
        "the same seed makes the same trial"
    );
}

/// A trial without what the clock says.
fn without_times(mut trial: Value) -> Value {
    for tool in trial["tools"].as_array_mut().unwrap() {
        tool["most"] = json!(null);
    }
    trial
}

#[test]
fn a_case_that_fails_is_named_with_the_reason() {
    let (_folder, dir) = package("dice", DICE);
    fs::write(dir.join("cases/a.toml"), GOOD_CASE.replace("total = 1", "total = 7")).unwrap();
    fs::write(dir.join("cases/b.toml"), "title = 'x'\nrul = 'y'\n").unwrap();
    let (code, report) = test(&dir, &["--seal"]);
    let why = |case: usize| report["cases"][case]["why"].as_str().unwrap_or_default();
    assert_eq!(code, Some(1));
    assert_eq!(why(0), "call 1 (dice.roll): structured.total is 1, expected 7");
    assert!(why(1).contains("rul"), "{}", why(1));
}

#[test]
fn what_goes_over_a_limit_is_a_problem_with_the_call_that_shows_it() {
    let (_folder, dir) = package("dice", &format!("{DICE}\n[limits]\nhost-calls = 1"));
    fs::write(
        dir.join("cases/dice.toml"),
        GOOD_CASE.replace("1d1", "3d1").replace("total = 1", "total = 3"),
    )
    .unwrap();
    let (code, report) = test(&dir, &[]);
    let first = &report["trial"]["tools"][0]["checks"][0];
    assert_eq!(
        (code, &first["check"], &first["passed"]),
        (Some(1), &json!("arguments"), &json!(false)),
        "{report:#}"
    );
    let finding = &first["findings"][0];
    assert_eq!(
        (&finding["code"], &finding["arguments"], &finding["weight"]),
        (
            &json!("tool.host_call_limit"),
            &json!({"formula": "3d1"}),
            &json!("problem")
        ),
        "{finding:#}"
    );
    let (_, stdout, _) = innkeeper(&["extension", "test", dir.to_str().unwrap(), "--rounds", "16"]);
    assert!(
        stdout.contains("--args '{\"formula\":\"3d1\"}'") && stdout.contains("1 case and 1 check failed"),
        "{stdout}"
    );
}

#[test]
fn only_sealing_writes_the_digest_and_only_of_what_passes() {
    let (_folder, dir) = package("dice", DICE);
    fs::write(dir.join("cases/die.toml"), GOOD_CASE).unwrap();
    let path = dir.join("extension.toml");
    let good = fs::read_to_string(&path).unwrap();
    let digest = good.lines().find(|line| line.starts_with("sha256")).unwrap().to_owned();
    let unsealed = good.replace(&digest, &format!("# built anew\nsha256 = \"{}\"", "0".repeat(64)));
    fs::write(&path, &unsealed).unwrap();

    let (code, report) = test(&dir, &[]);
    assert_eq!(
        (code, &report["passed"], &report["package"]["sealed"]),
        (Some(1), &json!(false), &json!(false))
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), unsealed);

    let (code, report) = test(&dir, &["--seal"]);
    assert_eq!(
        (code, &report["package"]["sealed"]),
        (Some(0), &json!(true)),
        "{report:#}"
    );
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        unsealed.replace(&"0".repeat(64), digest.split('"').nth(1).unwrap())
    );
}

#[test]
fn a_package_that_is_not_built_or_asks_for_something_else_is_refused() {
    let (_folder, dir) = new("moods", "rust");
    let (code, _, stderr) = innkeeper(&["extension", "test", dir.to_str().unwrap()]);
    assert_eq!(code, Some(2));
    assert!(
        stderr.contains("moods.wasm") && stderr.contains("Build the component first"),
        "{stderr}"
    );
    let (_folder, dir) = package("dice", "chat = \"To read.\"");
    let (code, error) = test(&dir, &[]);
    assert_eq!(
        (code, &error["error"]["code"]),
        (Some(2), &json!("extension.manifest_invalid")),
        "{error}"
    );
}
