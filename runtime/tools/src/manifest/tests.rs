//! Manifests: a whole one, and every way in which one can be wrong.

use innkeeper_protocol::limits::Limits;

use super::*;

const WHOLE: &str = r#"
id = "mood"
version = "1.2.0"
publisher = "Lantern Press"
description = "Tells the mood of the newest messages."
wit = "0.1.0"
component = "build/mood.wasm"
sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

[capabilities]
random = "To choose among moods."
chat = "To read the messages."

[limits]
wall-ms = 2000
memory-mib = 8

[permissions]
"mood.read" = "ask"
"#;

fn refusal(from: &str, to: &str) -> String {
    assert!(WHOLE.contains(from), "{from}");
    let error = Manifest::parse(WHOLE.replace(from, to).as_bytes()).unwrap_err();
    format!("{} {error}", error.code())
}

fn imports(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| format!("innkeeper:{name}@0.1.0")).collect()
}

#[test]
fn a_manifest_says_what_is_asked_for_and_why() {
    let manifest = Manifest::parse(WHOLE.as_bytes()).unwrap();
    let ask = |name: &str, reason: &str| Ask {
        grant: Grant::parse(name).unwrap(),
        name: name.to_owned(),
        reason: reason.to_owned(),
    };
    let expected = Manifest {
        id: ExtensionId::parse("mood").unwrap(),
        version: Version::new(1, 2, 0),
        publisher: "Lantern Press".to_owned(),
        description: "Tells the mood of the newest messages.".to_owned(),
        wit: Version::new(0, 1, 0),
        component: WorkspacePath::parse("build/mood.wasm").unwrap(),
        sha256: Sha256::of(b""),
        asks: vec![
            ask("chat", "To read the messages."),
            ask("random", "To choose among moods."),
        ],
        limits: SuggestedLimits {
            wall_ms: Some(2_000),
            memory_mib: Some(8),
            ..SuggestedLimits::default()
        },
        permissions: BTreeMap::from([(ToolName::parse("mood.read").unwrap(), Permission::Ask)]),
    };
    assert_eq!(manifest, expected);
}

#[test]
fn what_is_wrong_is_named() {
    let invalid = |text: &str| format!("extension.manifest_invalid extension.toml{text}");
    assert_eq!(
        refusal("wit =", "wit_version ="),
        invalid(
            ", line 6, column 1: unknown field `wit_version`, expected one of `id`, `version`, `publisher`, `description`, `wit`, \
             `component`, `sha256`, `capabilities`, `limits`, `permissions`"
        )
    );
    for (from, to, word) in [
        ("\"mood\"", "\"Mood\"", "`id` cannot be used"),
        ("\"1.2.0\"", "\"one\"", "`version` cannot be used"),
        (
            "\"Lantern Press\"",
            "\"  \"",
            "`publisher` cannot be used: it says nothing",
        ),
        (
            "Tells the",
            "Tells\\u202e the",
            "`description` cannot be used: it holds characters that nobody can see",
        ),
        ("build/mood", "../mood", "`component` cannot be used"),
        ("e3b0c4", "E3b0c4", "`sha256` cannot be used"),
        ("To read the messages.", "", "`chat` cannot be used: it says nothing"),
        (
            "chat =",
            "run-control =",
            "asks for \"run-control\", which cannot be granted",
        ),
        ("wall-ms = 2000", "wall-ms = 0", "`wall-ms` cannot be used"),
        ("wall-ms = 2000", "wall-ms = -1", "line 15"),
        ("\"mood.read\"", "\"Mood Read\"", "`permissions` cannot be used"),
        ("\"ask\"", "\"maybe\"", "line 19"),
        ("description =", "id = 'x'\ndescription =", "duplicate key"),
    ] {
        let told = refusal(from, to);
        assert!(told.starts_with(&invalid("")) && told.contains(word), "{to}: {told}");
    }
    assert_eq!(Manifest::parse(b"id = \"\xff\"").unwrap_err(), ManifestError::NotText);
}

#[test]
fn a_package_for_another_contract_says_both_versions() {
    let told = "extension.invalid_component extension.toml: built for innkeeper:tool/tool@0.2.0, this host serves innkeeper:tool 0.1.0";
    assert_eq!(refusal("wit = \"0.1.0\"", "wit = \"0.2.0\""), told);
}

#[test]
fn what_is_asked_for_is_what_is_imported() {
    let manifest = Manifest::parse(WHOLE.as_bytes()).unwrap();
    let check = |names: &[&str]| manifest.check_imports(&imports(names));
    assert_eq!(
        check(&["chat/history", "log/log", "random/random", "workspace/types"]),
        Ok(())
    );
    let unasked = ManifestError::Unasked {
        interface: "innkeeper:skills/library@0.1.0".to_owned(),
        capability: "skills",
    };
    assert_eq!(
        check(&["chat/history", "random/random", "skills/library"]),
        Err(unasked)
    );
    assert_eq!(
        check(&["chat/history"]),
        Err(ManifestError::Unneeded {
            capability: "random".to_owned()
        })
    );
    let tools = [ToolName::parse("mood.tell").unwrap()];
    let error = manifest.check_tools(tools.iter()).unwrap_err();
    assert_eq!(error.hint(), "Its tools are called like `mood.tell`.");
}

#[test]
fn a_component_without_a_manifest_asks_for_what_it_imports() {
    let id = ExtensionId::parse("mood").unwrap();
    let imports = imports(&["random/random", "log/log", "workspace/writer"]);
    let manifest = Manifest::parse(bare_manifest(&id, b"wasm", &imports).as_bytes()).unwrap();
    let names: Vec<&str> = manifest.names().collect();
    assert_eq!(names, ["workspace-write", "random"]);
    assert_eq!((manifest.id, manifest.sha256), (id, Sha256::of(b"wasm")));
    assert_eq!(manifest.version, Version::new(0, 0, 0));
}

#[test]
fn suggested_limits_only_lower() {
    let limits = |text: &str| {
        let limits: SuggestedLimits = toml::from_str(text).unwrap();
        limits.lower(&Limits::default())
    };
    let all = "wall-ms = 1\nmemory-mib = 1\ntable-elements = 1\nhost-calls = 1\nhost-data-kib = 1\noutput-kib = 1\nlog-lines = 1\nwrite-kib = 1";
    let host = Limits::default();
    let expected = Limits {
        wall: std::time::Duration::from_millis(1),
        memory_bytes: 1024 * 1024,
        table_elements: 1,
        host_calls: 1,
        host_bytes: 1024,
        output_bytes: 1024,
        log_lines: 1,
        write_bytes: 1024,
        ..host.clone()
    };
    assert_eq!(limits(all), expected);
    assert_eq!(limits("wall-ms = 99999999\nmemory-mib = 9223372036854775807"), host);
}

/// The manifest with these entries below `[capabilities]`.
fn asking(entries: &str) -> Result<Manifest, ManifestError> {
    let end = WHOLE.find("random =").unwrap();
    let rest = WHOLE.find("[limits]").unwrap();
    Manifest::parse(format!("{}{entries}\n{}", &WHOLE[..end], &WHOLE[rest..]).as_bytes())
}

#[test]
fn each_host_and_credential_is_asked_for_by_itself() {
    let asks = "\"http=*.example.com\" = \"b\"\n\"credential=words@a.example.com\" = \"c\"\nclock = \"d\"\n\"http=A.example.org:443\" = \"a\"";
    let manifest = asking(asks).unwrap();
    let names: Vec<&str> = manifest.names().collect();
    let expected = [
        "clock",
        "http=https://*.example.com",
        "http=https://a.example.org",
        "credential=words@https://a.example.com",
    ];
    assert_eq!(names, expected);
    assert_eq!(manifest.check_imports(&imports(&["http/fetch", "clock/clock"])), Ok(()));
    let unneeded = manifest.check_imports(&imports(&["clock/clock"])).unwrap_err();
    assert_eq!(
        unneeded.hint(),
        "Take `http=https://*.example.com` out of [capabilities]."
    );
}

#[test]
fn an_import_of_requests_needs_a_host() {
    let manifest = asking("clock = \"d\"").unwrap();
    let unasked = manifest
        .check_imports(&imports(&["http/fetch", "clock/clock"]))
        .unwrap_err();
    assert!(
        unasked.hint().starts_with("Add `\"http=HOST\" = \"why\"`"),
        "{}",
        unasked.hint()
    );
    let bare = bare_manifest(&manifest.id, b"wasm", &imports(&["http/fetch"]));
    assert_eq!(
        Manifest::parse(bare.as_bytes()).unwrap().names().count(),
        0,
        "nobody knows which hosts"
    );
}

#[test]
fn a_host_that_cannot_be_granted_is_named() {
    for (entries, word) in [
        ("\"http=ftp://a.example\" = \"x\"", "only https and http"),
        ("\"http=*.com\" = \"x\"", "two parts"),
        ("\"http=a.example/path\" = \"x\"", "no host name"),
        (
            "\"http=a.example\" = \"x\"\n\"http=A.example:443\" = \"y\"",
            "asked for twice",
        ),
        (
            "\"http=a.example\" = \"x\"\n\"credential=k@b.example\" = \"y\"",
            "credential k is for a host",
        ),
        ("http = \"x\"", "asks for \"http\", which cannot be granted"),
    ] {
        let told = asking(entries).unwrap_err().to_string();
        assert!(told.contains(word), "{entries}: {told}");
    }
}
