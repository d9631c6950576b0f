//! Installing, granting, listing, removing.

use serde_json::{Value, json};

use super::guest::{Guest, RANDOM};
use super::stage::Stage;

fn random() -> Guest {
    Guest {
        imports: RANDOM,
        ..Guest::default()
    }
}

#[test]
fn what_asks_for_nothing_is_on_at_once_and_told_in_full() {
    let stage = Stage::new();
    let package = stage.package("1.0.0", &Guest::default());
    let (code, report) = stage.install(&package, &[]);
    assert_eq!((code, &report["outcome"]), (Some(0), &json!("installed")));
    let extension = stage.extension();
    assert_eq!(report["extension"], extension);
    let told = json!([
        extension["id"],
        extension["version"],
        extension["publisher"],
        extension["description"],
        extension["state"],
        extension["capabilities"],
        extension["tools"],
    ]);
    let expected = json!([
        "mood",
        "1.0.0",
        "Lantern Press",
        "Tells moods.",
        "on",
        [],
        ["extension/mood:hostile.act"],
    ]);
    assert_eq!(told, expected);
    let (_, listed) = stage.json(&["tools", "list"]);
    let tool = listed["tools"]
        .as_array()
        .unwrap()
        .iter()
        .find(|tool| tool["source"] == "extension")
        .unwrap();
    assert_eq!(
        (&tool["id"], &tool["modelAlias"], &listed["diagnostics"]),
        (
            &json!("extension/mood:hostile.act"),
            &json!("ext__mood__hostile_act"),
            &json!([])
        )
    );
}

#[test]
fn what_is_not_granted_keeps_it_off_until_it_is() {
    let stage = Stage::new();
    let package = stage.package("1.0.0", &random());
    let (code, report) = stage.install(&package, &[]);
    let extension = &report["extension"];
    assert_eq!((code, &extension["state"]), (Some(0), &json!("off")));
    assert_eq!(extension["problem"]["code"], "extension.grant_missing");
    let hint = extension["problem"]["hint"].as_str().unwrap();
    assert!(hint.contains("`innkeeper extension grant mood random`"), "{hint}");
    let (_, tools) = stage.json(&["tools", "list"]);
    let diagnostic = &tools["diagnostics"][0];
    assert_eq!(
        (&diagnostic["extensionId"], &diagnostic["code"]),
        (&json!("mood"), &json!("extension.grant_missing"))
    );

    let asked =
        json!([{"name": "random", "words": "draw random numbers", "reason": "To choose at random.", "granted": true}]);
    let (code, change) = stage.json(&["extension", "grant", "mood", "random"]);
    assert_eq!(
        (code, &change["changed"], &change["extension"]["state"]),
        (Some(0), &json!(true), &json!("on"))
    );
    assert_eq!(stage.extension()["capabilities"], asked);
    let (_, change) = stage.json(&["extension", "grant", "mood", "random"]);
    assert_eq!(change["changed"], false);
    let (_, change) = stage.json(&["extension", "revoke", "extension/mood", "random"]);
    assert_eq!(
        (&change["changed"], &change["extension"]["state"]),
        (&json!(true), &json!("off"))
    );
}

#[test]
fn nothing_but_what_is_asked_for_can_be_granted() {
    let stage = Stage::new();
    let package = stage.package("1.0.0", &random());
    for capability in ["chat", "run-control", "everything"] {
        let (code, error) = stage.install(&package, &["--grant", capability]);
        assert_eq!(
            (code, &error["error"]["code"]),
            (Some(2), &json!("extension.grant_refused")),
            "{capability}"
        );
    }
    assert!(!stage.lock_file().exists());
    assert_eq!(
        stage.install(&package, &["--grant", "random"]).1["extension"]["state"],
        "on"
    );
    let (code, error) = stage.json(&["extension", "grant", "mood", "chat"]);
    assert_eq!(
        (code, &error["error"]["hint"]),
        (Some(2), &json!("It asks for random."))
    );
    let (code, error) = stage.json(&["extension", "grant", "other", "chat"]);
    assert_eq!(
        (code, &error["error"]["code"]),
        (Some(2), &json!("extension.not_installed"))
    );
}

#[test]
fn the_person_reads_what_it_asks_for_and_why() {
    let stage = Stage::new();
    let package = stage.package("1.0.0", &random());
    std::fs::create_dir(package.join("src")).unwrap();
    let (code, stdout, stderr) = stage.run(&["extension", "install", package.to_str().unwrap()]);
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    for words in [
        "mood 1.0.0  published by Lantern Press (nobody has checked that)",
        "to draw random numbers",
        "\u{201c}To choose at random.\u{201d}",
        "hostile.act  Hostile",
        "no part of the package and not installed: src",
        "is off: it asks for random and was not granted it",
    ] {
        assert!(stdout.contains(words), "{words}: {stdout}");
    }
    let (code, stdout, _) = stage.run(&["extension", "list"]);
    assert_eq!(code, Some(0));
    assert!(
        stdout.contains("mood 1.0.0  off") && stdout.contains("not granted"),
        "{stdout}"
    );
    let (code, stdout, _) = stage.run(&["extension", "check", package.to_str().unwrap()]);
    assert_eq!(code, Some(0));
    assert!(
        stdout.contains("\u{2713} usable") && stdout.contains("takes the place of 1.0.0"),
        "{stdout}"
    );
    let (code, report) = stage.json(&["extension", "check", package.to_str().unwrap()]);
    assert_eq!((code, &report["package"]["version"]), (Some(0), &json!("1.0.0")));
    assert_eq!(report["tools"], report["package"]["tools"]);
}

#[test]
fn a_single_component_gets_a_manifest_without_reasons() {
    let stage = Stage::new();
    let file = stage.path("My Tool.wasm");
    std::fs::write(&file, random().bytes()).unwrap();
    let (code, report) = stage.install(&file, &["--grant", "random"]);
    let extension = &report["extension"];
    assert_eq!(
        (code, &extension["id"], &extension["state"]),
        (Some(0), &json!("my-tool"), &json!("on"))
    );
    assert_eq!(extension["capabilities"][0]["reason"], "No reason is given.");
    let (_, report) = stage.install(&file, &["--grant", "random", "--id", "dice2"]);
    assert_eq!(report["extension"]["tools"], json!(["extension/dice2:hostile.act"]));
    let package = stage.package("1.0.0", &random());
    assert_eq!(stage.install(&package, &["--id", "x"]).0, Some(2));
}

#[test]
fn what_is_removed_is_gone_with_its_grants() {
    let stage = Stage::new();
    let package = stage.package("1.0.0", &random());
    stage.install(&package, &["--grant", "random"]);
    let (code, removed) = stage.json(&["extension", "remove", "mood"]);
    assert_eq!(
        (code, removed),
        (Some(0), json!({"removed": "mood", "version": "1.0.0"}))
    );
    assert_eq!(stage.json(&["extension", "list"]).1, json!({"extensions": []}));
    assert!(!stage.home().join("mood").exists());
    assert_eq!(stage.json(&["extension", "remove", "mood"]).0, Some(2));
    assert_eq!(stage.install(&package, &[]).1["extension"]["state"], "off");
}

#[test]
fn its_tools_are_added_to_a_profile() {
    let stage = Stage::new();
    let package = stage.package("1.0.0", &Guest::default());
    let (code, report) = stage.install(&package, &["--profile", "default-writer"]);
    let added = json!({"id": "default-writer", "added": ["extension/mood:hostile.act"]});
    assert_eq!((code, &report["profile"]), (Some(0), &added));
    let (_, shown) = stage.json(&["profiles", "show", "default-writer"]);
    let allowed: Vec<&Value> = shown["profile"]["tools"]["allow"].as_array().unwrap().iter().collect();
    assert_eq!(allowed.last(), Some(&&json!("extension/mood:hostile.act")));
    let (code, error) = stage.install(&package, &["--profile", "nobody"]);
    assert_eq!(
        (code, &error["error"]["code"]),
        (Some(2), &json!("agent.profile_not_found"))
    );
}
