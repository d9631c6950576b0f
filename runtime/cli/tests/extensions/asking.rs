//! The dialogue of `extension install` at a terminal, which `script` of util-linux gives it.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use super::guest::{Guest, RANDOM};
use super::stage::Stage;

const DRAWS: Guest = Guest {
    imports: RANDOM,
    ..Guest::PLAIN
};

/// Installs a package at a terminal and types; the exit code and what the terminal showed.
fn typed(stage: &Stage, package: &Path, keys: &str) -> (Option<i32>, String) {
    let program = assert_cmd::cargo::cargo_bin("innkeeper");
    let command = format!("{} extension install {}", program.display(), package.display());
    let mut child = Command::new("script")
        .args(["-qfec", &command, "/dev/null"])
        .env("INNKEEPER_DATA", stage.path("data"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(keys.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout).replace('\r', "");
    (output.status.code(), shown)
}

#[test]
fn whoever_says_yes_grants_what_was_shown() {
    let stage = Stage::new();
    let (code, shown) = typed(&stage, &stage.package("1.0.0", &DRAWS), "y\n\n");
    assert_eq!(code, Some(0), "{shown}");
    for told in [
        "Lantern Press",
        "To choose at random.",
        "Install it and grant random? [y/N]",
    ] {
        assert!(shown.contains(told), "{told:?} is not in {shown}");
    }
    let extension = stage.extension();
    assert_eq!(
        (&extension["state"], &extension["capabilities"][0]["granted"]),
        (&"on".into(), &true.into())
    );
}

#[test]
fn whoever_says_anything_else_has_nothing_installed() {
    for keys in ["n\n", "\n", "maybe\n"] {
        let stage = Stage::new();
        let (code, shown) = typed(&stage, &stage.package("1.0.0", &DRAWS), keys);
        assert_eq!(code, Some(130), "{keys:?}: {shown}");
        assert!(shown.contains("nothing was installed"), "{keys:?}: {shown}");
        assert!(!stage.lock_file().exists(), "{keys:?}");
        let left = std::fs::read_dir(stage.home()).map_or(0, Iterator::count);
        assert_eq!(left, 0, "{keys:?}");
    }
}

#[test]
fn whoever_refuses_an_update_keeps_what_was_there() {
    let stage = Stage::new();
    stage.install(&stage.package("1.0.0", &DRAWS), &["--grant", "random"]);
    let before = (stage.extension(), std::fs::read(stage.lock_file()).unwrap());
    let other = Guest {
        description: "Other now.",
        ..DRAWS
    };
    let (code, shown) = typed(&stage, &stage.package("2.0.0", &other), "n\n");
    assert_eq!(code, Some(130), "{shown}");
    assert!(shown.contains("which a model reads, is another"), "{shown}");
    assert_eq!((stage.extension(), std::fs::read(stage.lock_file()).unwrap()), before);
}
