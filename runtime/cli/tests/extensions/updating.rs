//! Updates: what asks for more or says something else waits for a person's word; anything else counts at once.

use serde_json::{Value, json};

use super::guest::{FAILS, Guest, RANDOM};
use super::stage::Stage;

fn words(update: &Value) -> Vec<&str> {
    let changes = update["changes"].as_array().unwrap().iter();
    changes.map(|change| change["words"].as_str().unwrap()).collect()
}

#[test]
fn an_update_that_changes_nothing_of_that_counts_at_once() {
    let stage = Stage::new();
    stage.install(&stage.package("1.0.0", &Guest::default()), &[]);
    let (_, report) = stage.install(
        &stage.package(
            "1.1.0",
            &Guest {
                call: FAILS,
                ..Guest::default()
            },
        ),
        &[],
    );
    assert_eq!(
        (&report["outcome"], &report["extension"]["version"]),
        (&json!("updated"), &json!("1.1.0"))
    );
    let kept = std::fs::read_dir(stage.home().join("mood")).unwrap().count();
    assert_eq!(kept, 1, "the files of the version before are gone");
    let (_, report) = stage.install(&stage.path("mood-1.1.0"), &[]);
    assert_eq!(report["outcome"], "renewed");
}

#[test]
fn another_description_waits_and_the_version_before_stays_in_use() {
    let stage = Stage::new();
    stage.install(&stage.package("1.0.0", &Guest::default()), &[]);
    let (code, report) = stage.install(
        &stage.package(
            "1.1.0",
            &Guest {
                description: "Does good.",
                ..Guest::default()
            },
        ),
        &[],
    );
    let extension = &report["extension"];
    assert_eq!((code, &report["outcome"]), (Some(0), &json!("waiting")));
    assert_eq!(
        (&extension["version"], &extension["state"]),
        (&json!("1.0.0"), &json!("on"))
    );
    assert_eq!(extension["update"]["version"], "1.1.0");
    assert_eq!(
        words(&extension["update"]),
        ["the title or description of hostile.act, which a model reads, is another"]
    );
    let described =
        || stage.json(&["tools", "show", "extension/mood:hostile.act"]).1["tools"][0]["description"].clone();
    assert_eq!(described(), "Does harm.");
    let (_, tools) = stage.json(&["tools", "list"]);
    assert_eq!(tools["diagnostics"][0]["code"], "extension.update_waits");

    let (code, change) = stage.json(&["extension", "accept", "mood"]);
    assert_eq!((code, &change["extension"]["version"]), (Some(0), &json!("1.1.0")));
    assert_eq!(change["extension"].get("update"), None);
    assert_eq!(described(), "Does good.");
    let (code, error) = stage.json(&["extension", "accept", "mood"]);
    assert_eq!(
        (code, &error["error"]["code"]),
        (Some(2), &json!("extension.no_update"))
    );
}

#[test]
fn asking_for_more_waits_and_grants_stay_until_then() {
    let stage = Stage::new();
    stage.install(&stage.package("1.0.0", &Guest::default()), &[]);
    let (_, report) = stage.install(
        &stage.package(
            "2.0.0",
            &Guest {
                imports: RANDOM,
                ..Guest::default()
            },
        ),
        &["--grant", "random"],
    );
    let update = &report["extension"]["update"];
    assert_eq!(words(update), ["it now also asks for random, to draw random numbers"]);
    assert_eq!(report["extension"]["capabilities"], json!([]));
    let (_, change) = stage.json(&["extension", "accept", "mood"]);
    let extension = &change["extension"];
    assert_eq!(
        (&extension["version"], &extension["state"]),
        (&json!("2.0.0"), &json!("on"))
    );
    // Back to one that asks for less: at once, and what it does not ask for is forgotten.
    let (_, report) = stage.install(&stage.path("mood-1.0.0"), &[]);
    assert_eq!(
        (&report["outcome"], &report["extension"]["capabilities"]),
        (&json!("updated"), &json!([]))
    );
    let lock = std::fs::read_to_string(stage.lock_file()).unwrap();
    assert!(lock.contains("\"granted\": []"), "{lock}");
}

#[test]
fn a_waiting_update_is_told_to_people() {
    let stage = Stage::new();
    stage.install(&stage.package("1.0.0", &Guest::default()), &[]);
    let update = stage.package(
        "1.1.0",
        &Guest {
            description: "Does good.",
            ..Guest::default()
        },
    );
    let (_, stdout, _) = stage.run(&["extension", "install", update.to_str().unwrap()]);
    for words in [
        "takes the place of 1.0.0",
        "! the title or description of hostile.act",
        "innkeeper extension accept mood",
    ] {
        assert!(stdout.contains(words), "{words}: {stdout}");
    }
}
