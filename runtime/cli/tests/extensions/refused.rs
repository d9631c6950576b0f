//! Packages and components that are refused as a whole: nothing of them is written.

use std::path::Path;

use serde_json::json;

use super::guest::{Guest, RANDOM};
use super::stage::Stage;

/// That a package is refused with this code, in words that hold this one, and that nothing is left of it.
fn refused(stage: &Stage, package: &Path, code: &str, word: &str) {
    let (exit, error) = stage.install(package, &[]);
    assert_eq!((exit, &error["error"]["code"]), (Some(2), &json!(code)), "{error}");
    let message = error["error"]["message"].as_str().unwrap();
    assert!(message.contains(word), "{message}");
    assert!(error["error"]["hint"].is_string(), "{error}");
    assert!(!stage.lock_file().exists() && !stage.home().join("mood").exists());
}

fn edited(stage: &Stage, from: &str, to: &str) -> std::path::PathBuf {
    let package = stage.package("1.0.0", &Guest::default());
    let file = package.join("extension.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains(from), "{text}");
    std::fs::write(file, text.replace(from, to)).unwrap();
    package
}

#[test]
fn control_of_the_run_is_for_built_ins_only() {
    let stage = Stage::new();
    let imports = r#"(import "innkeeper:run/control@0.1.0" (instance))"#;
    let package = stage.package(
        "1.0.0",
        &Guest {
            imports,
            ..Guest::default()
        },
    );
    refused(
        &stage,
        &package,
        "extension.import_refused",
        "`innkeeper:run/control@0.1.0`, which is for built-in tools only",
    );
    let file = stage.path("mood.wasm");
    std::fs::copy(package.join("mood.wasm"), &file).unwrap();
    refused(&stage, &file, "extension.import_refused", "is for built-in tools only");
}

#[test]
fn what_this_host_does_not_serve_is_named() {
    let stage = Stage::new();
    let of = |imports| {
        stage.package(
            "1.0.0",
            &Guest {
                imports,
                ..Guest::default()
            },
        )
    };
    let wasi = r#"(import "wasi:http/types@0.2.0" (instance))"#;
    refused(&stage, &of(wasi), "extension.import_refused", "`wasi:http/types@0.2.0`");
    let later = r#"(import "innkeeper:random/random@0.2.0" (instance))"#;
    let words = "built for innkeeper:random/random@0.2.0, this host serves innkeeper:random 0.1.0";
    refused(&stage, &of(later), "extension.import_refused", words);
    let version = "0.2.0";
    let package = stage.package(
        "1.0.0",
        &Guest {
            version,
            ..Guest::default()
        },
    );
    let words = "built for innkeeper:tool/tool@0.2.0, this host serves innkeeper:tool 0.1.0";
    refused(&stage, &package, "extension.invalid_component", words);
    refused(
        &stage,
        &edited(&stage, "wit = \"0.1.0\"", "wit = \"3.0.0\""),
        "extension.invalid_component",
        "tool@3.0.0, this host serves",
    );
}

#[test]
fn an_import_without_a_reason_and_a_reason_without_an_import() {
    let stage = Stage::new();
    let silent = stage.package(
        "1.0.0",
        &Guest {
            imports: RANDOM,
            ..Guest::default()
        },
    );
    let text = std::fs::read_to_string(silent.join("extension.toml")).unwrap();
    let (head, _) = text.split_once("[capabilities]").unwrap();
    std::fs::write(silent.join("extension.toml"), head).unwrap();
    refused(
        &stage,
        &silent,
        "extension.manifest_invalid",
        "gives no reason for `random`",
    );
    let greedy = edited(&stage, "wit =", "capabilities = {chat = \"Just so.\"}\nwit =");
    refused(
        &stage,
        &greedy,
        "extension.manifest_invalid",
        "asks for `chat`, and the component imports nothing that needs it",
    );
}

#[test]
fn a_manifest_that_is_wrong() {
    let stage = Stage::new();
    let manifest = "extension.manifest_invalid";
    refused(
        &stage,
        &edited(&stage, "id = \"mood\"", "id = \"../mood\""),
        manifest,
        "`id` cannot be used",
    );
    refused(
        &stage,
        &edited(&stage, "publisher", "author"),
        manifest,
        "unknown field `author`",
    );
    refused(
        &stage,
        &edited(&stage, "\"mood.wasm\"", "\"../mood.wasm\""),
        manifest,
        "`component` cannot be used",
    );
    refused(
        &stage,
        &edited(&stage, "\"mood.wasm\"", "\"/etc/passwd\""),
        manifest,
        "`component` cannot be used",
    );
    refused(
        &stage,
        &edited(&stage, "\"mood.wasm\"", "\"no.wasm\""),
        "extension.package_invalid",
        "no.wasm is not there",
    );
    let permission = edited(&stage, "wit =", "permissions = {\"mood.no\" = \"allow\"}\nwit =");
    refused(
        &stage,
        &permission,
        manifest,
        "the tool `mood.no`, which the component does not have",
    );
    let other = edited(&stage, "wit =", "wit =");
    std::fs::write(
        other.join("mood.wasm"),
        Guest {
            description: "Does good.",
            ..Guest::default()
        }
        .bytes(),
    )
    .unwrap();
    refused(
        &stage,
        &other,
        "extension.digest_mismatch",
        "the component has the digest",
    );
    refused(
        &stage,
        &stage.path("data"),
        "extension.package_invalid",
        "extension.toml is not there",
    );
}

#[cfg(unix)]
#[test]
fn a_link_refuses_the_whole_package() {
    let stage = Stage::new();
    let package = stage.package("1.0.0", &Guest::default());
    let link = |name: &str| {
        let _ = std::fs::remove_file(package.join(name));
        std::os::unix::fs::symlink("/etc/hostname", package.join(name)).unwrap();
        refused(
            &stage,
            &package,
            "extension.package_invalid",
            &format!("{name} is a link"),
        );
        std::fs::remove_file(package.join(name)).unwrap();
    };
    ["cases/two.toml", "README.md", "notes", "mood.wasm", "extension.toml"]
        .into_iter()
        .for_each(link);
}

#[test]
fn a_file_that_is_too_large() {
    let stage = Stage::new();
    let package = stage.package("1.0.0", &Guest::default());
    let grown = |name: &str, bytes: u64| {
        let file = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(package.join(name))
            .unwrap();
        // A hole: it takes no room on the disk.
        file.set_len(bytes).unwrap();
        refused(
            &stage,
            &package,
            "extension.package_invalid",
            &format!("{name} has more than"),
        );
        std::fs::remove_file(package.join(name)).unwrap();
    };
    grown("LICENSE", 1 << 32);
    grown("mood.wasm", 1 << 36);
    grown("extension.toml", 1 << 30);
}
