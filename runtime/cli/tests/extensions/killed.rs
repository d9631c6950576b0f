//! An installation that is killed leaves what was there, or what was to be there, and what it was granted.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::json;

use super::guest::{FAILS, Guest, RANDOM};
use super::stage::Stage;

fn of(call: Option<&'static str>) -> Guest {
    let guest = Guest {
        imports: RANDOM,
        ..Guest::default()
    };
    Guest {
        call: call.unwrap_or(guest.call),
        ..guest
    }
}

fn start(stage: &Stage, package: &Path) -> Child {
    Command::new(assert_cmd::cargo::cargo_bin("innkeeper"))
        .env("INNKEEPER_DATA", stage.path("data"))
        .args(["extension", "install", "--json"])
        .arg(package)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Kills the installation as soon as this is so; one that ends before is as good.
fn killed_once(child: &mut Child, is_time: impl Fn() -> bool) {
    while !is_time() && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    let _ = child.kill();
    child.wait().unwrap();
}

/// That one of these versions is there, whole and granted, with nothing of others beside it.
fn check(stage: &Stage, versions: &[&str]) {
    let extension = stage.extension();
    let version = extension["version"].as_str().unwrap();
    assert!(versions.contains(&version), "{extension}");
    assert_eq!(
        (&extension["state"], &extension["capabilities"][0]["granted"]),
        (&json!("on"), &json!(true))
    );
    let entries = |path: &Path| std::fs::read_dir(path).map_or(0, Iterator::count);
    assert_eq!(
        (
            entries(&stage.home().join(".staging")),
            entries(&stage.home().join("mood"))
        ),
        (0, 1)
    );
    assert_eq!(
        stage
            .json(&["tools", "call", "dice.roll", "--args", "{\"formula\":\"1d6\"}"])
            .0,
        Some(0)
    );
}

#[test]
fn an_update_that_is_killed_at_any_time() {
    let stage = Stage::new();
    stage.install(&stage.package("1.0.0", &of(None)), &["--grant", "random"]);
    let update = stage.package("1.1.0", &of(Some(FAILS)));
    let (staging, folder, lock) = (
        stage.home().join(".staging"),
        stage.home().join("mood"),
        stage.lock_file(),
    );
    let before = std::fs::read(&lock).unwrap();
    let count = |path: &Path| std::fs::read_dir(path).map_or(0, Iterator::count);
    let moments: [&dyn Fn() -> bool; 4] = [
        &|| staging.exists(),
        &|| count(&staging) > 0,
        &|| count(&folder) > 1,
        &|| std::fs::read(&lock).is_ok_and(|now| now != before),
    ];
    for is_time in moments {
        killed_once(&mut start(&stage, &update), is_time);
        check(&stage, &["1.0.0", "1.1.0"]);
        stage.install(&stage.path("mood-1.0.0"), &[]);
        check(&stage, &["1.0.0"]);
    }
    stage.install(&update, &[]);
    check(&stage, &["1.1.0"]);
}

#[test]
fn what_a_killed_installation_leaves_is_swept_and_means_nothing() {
    let stage = Stage::new();
    stage.install(&stage.package("1.0.0", &of(None)), &["--grant", "random"]);
    let half = stage.home().join(".staging/0f8fad5b-d9cb-469f-a165-70867728950e");
    std::fs::create_dir_all(half.join("cases")).unwrap();
    std::fs::write(half.join("mood.wasm"), "half").unwrap();
    let unnamed = stage.home().join("mood").join("0".repeat(32));
    std::fs::create_dir(&unnamed).unwrap();
    std::fs::write(unnamed.join("mood.wasm"), "whole, and in no lock file").unwrap();
    let temporary = stage
        .home()
        .join("extensions.lock.json.0f8fad5b-d9cb-469f-a165-70867728950e.tmp");
    std::fs::write(&temporary, "{").unwrap();
    check(&stage, &["1.0.0"]);
    assert!(!temporary.exists());
}
