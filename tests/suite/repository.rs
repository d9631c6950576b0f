//! Checks on the repository itself: how files begin and how long they are, what the map names, which error codes exist, and that the
//! contract in `wit/` does not change by accident.
//!
//! Style beyond that is for formatter, linter and readers.

pub mod codes;
pub mod sources;

use sha2::{Digest as _, Sha256};

use crate::host;
use sources::{files_below, relative, rust_files};

/// Above this a file is taken apart.
const MAX_LINES: usize = 800;

#[test]
fn every_rust_file_says_at_its_head_what_it_is() {
    let silent: Vec<String> = rust_files()
        .into_iter()
        .filter(|(_, text)| !text.starts_with("//!"))
        .map(|(path, _)| path)
        .collect();
    assert_eq!(silent, Vec::<String>::new());
}

#[test]
fn no_rust_file_is_too_long() {
    let long: Vec<(String, usize)> = rust_files()
        .into_iter()
        .map(|(path, text)| (path, text.lines().count()))
        .filter(|(_, lines)| *lines > MAX_LINES)
        .collect();
    assert_eq!(long, Vec::<(String, usize)>::new());
}

#[test]
fn the_check_sees_the_files() {
    let paths: Vec<String> = rust_files().into_iter().map(|(path, _)| path).collect();
    for expected in [
        "runtime/builtins/src/list.rs",
        "plugins/dice/src/guest.rs",
        "tests/suite/repository.rs",
    ] {
        assert!(paths.iter().any(|path| path == expected), "{expected}");
    }
    assert!(!paths.iter().any(|path| path.contains("/target/")));
}

#[test]
fn no_test_file_is_forgotten() {
    let suite = host::package().join("suite");
    for (path, _) in rust_files().iter().filter(|(path, _)| path.starts_with("tests/suite/")) {
        let file = host::repository().join(path);
        let module = file.file_stem().unwrap().to_str().unwrap();
        let folder = file.parent().unwrap();
        let parent = if folder == suite {
            suite.join("main.rs")
        } else {
            folder.with_extension("rs")
        };
        let text = std::fs::read_to_string(&parent).unwrap();
        let declaration = format!("mod {module};");
        let is_declared = text
            .lines()
            .any(|line| line == declaration || line == format!("pub {declaration}"));
        assert!(is_declared || module == "main", "{path} is in no module list");
    }
}

#[test]
fn the_map_names_every_crate() {
    let readme = std::fs::read_to_string(host::repository().join("README.md")).unwrap();
    let runtime = std::fs::read_dir(host::repository().join("runtime")).unwrap();
    let missing: Vec<String> = runtime
        .map(|entry| format!("runtime/{}", entry.unwrap().file_name().into_string().unwrap()))
        .filter(|folder| !readme.contains(&format!("`{folder}`")) && !readme.contains(&format!("`{}`", &folder[8..])))
        .collect();
    assert_eq!(missing, Vec::<String>::new(), "folders that README.md does not name");
}

#[test]
fn every_error_code_is_listed() {
    let table: Vec<String> = codes::in_sources().into_iter().collect();
    insta::with_settings!({
        description => "Every error code in the sources of host and guests. A code is a promise to programs: add, never rename.",
        omit_expression => true,
    }, {
        insta::assert_snapshot!("error_codes", table.join("\n"));
    });
}

#[test]
fn codes_of_closed_lists_are_among_those_found() {
    let found = codes::in_sources();
    let limits = innkeeper::protocol::limits::LimitKind::ALL.map(|kind| kind.code());
    let network = innkeeper::protocol::model::NetworkFailure::ALL.map(|failure| failure.code());
    for code in limits.iter().chain(&network) {
        assert!(found.contains(*code), "{code}");
    }
}

#[test]
fn the_contract_is_frozen() {
    let wit = host::repository().join("wit");
    let digests: Vec<String> = files_below(&wit)
        .into_iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "wit"))
        .map(|path| {
            let digest = Sha256::digest(std::fs::read(&path).unwrap());
            let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("{} {hex}", relative(&path))
        })
        .collect();
    assert!(!digests.is_empty());
    insta::with_settings!({
        description => "Guests are built against these files. To change a released package: copy its folder to NAME@VERSION, serve the copy \
                        through an adapter, raise the version in the plain folder, write it into CHANGELOG.md, rebuild the guests with \
                        `cargo xtask guests`, and accept this snapshot (INSTA_UPDATE=always).",
        omit_expression => true,
    }, {
        insta::assert_snapshot!("frozen_wit", digests.join("\n"));
    });
}
