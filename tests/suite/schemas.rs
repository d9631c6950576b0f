//! The exported JSON Schemas: the committed files are those of the types, they are well-formed, and what the host really gives fits them.
//!
//! Every run of the suite is checked against the schemas of its events where it ends (`run/stage.rs`); what is here is everything else.

pub mod book;
mod given;
mod taken;
mod texts;

use std::collections::BTreeSet;
use std::path::PathBuf;

use innkeeper::schema_files;
use serde_json::Value;

use crate::host;
use crate::repository::sources::{files_below, rust_files};

/// Set, it writes the files instead of comparing them.
const UPDATE: &str = "INNKEEPER_UPDATE_SCHEMAS";

fn folder() -> PathBuf {
    host::repository().join("runtime/innkeeper/schemas")
}

/// The files as they should be: path below the folder, and text.
fn expected() -> Vec<(String, String)> {
    let text = |content: &Value| format!("{}\n", serde_json::to_string_pretty(content).unwrap());
    schema_files()
        .into_iter()
        .map(|file| (file.path, text(&file.content)))
        .collect()
}

fn committed() -> Vec<(String, String)> {
    let name = |path: &PathBuf| {
        path.strip_prefix(folder())
            .unwrap()
            .to_str()
            .unwrap()
            .replace('\\', "/")
    };
    files_below(&folder())
        .iter()
        .map(|path| (name(path), std::fs::read_to_string(path).unwrap()))
        .collect()
}

fn write() {
    let _ = std::fs::remove_dir_all(folder());
    for (path, text) in expected() {
        let path = folder().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

#[test]
fn the_committed_files_are_those_of_the_types() {
    if std::env::var_os(UPDATE).is_some() {
        write();
    }
    let (expected, committed) = (expected(), committed());
    let differing: Vec<&String> = expected
        .iter()
        .filter(|file| !committed.contains(file))
        .chain(
            committed
                .iter()
                .filter(|file| !expected.iter().any(|(path, _)| *path == file.0)),
        )
        .map(|(path, _)| path)
        .collect();
    assert_eq!(
        differing,
        Vec::<&String>::new(),
        "run this test with {UPDATE}=1 to write them"
    );
}

#[test]
fn every_schema_is_well_formed_and_reads_without_the_sources() {
    for file in schema_files().iter().filter(|file| file.path != "index.json") {
        let valid = jsonschema::meta::validate(&file.content);
        assert!(valid.is_ok(), "{}: {:?}", file.path, valid.err());
        let text = file.content.to_string();
        assert!(!text.contains("[`"), "{}: a link into the sources", file.path);
        let stem = file.path.trim_end_matches(".json").replace('/', ":");
        assert_eq!(file.content["$id"], format!("urn:innkeeper:schema:{stem}"));
    }
}

#[test]
fn the_index_names_every_file() {
    let files: BTreeSet<String> = schema_files()
        .into_iter()
        .map(|file| file.path)
        .filter(|path| path != "index.json")
        .collect();
    let mut named = BTreeSet::new();
    collect_paths(&book::index(), &mut named);
    assert_eq!(named, files);
}

fn collect_paths(index: &Value, found: &mut BTreeSet<String>) {
    match index {
        Value::String(text) if text.ends_with(".json") => {
            found.insert(text.clone());
        }
        Value::Object(members) => members.values().for_each(|member| collect_paths(member, found)),
        _ => {}
    }
}

/// A command of the index is a public function, and a function about agents is in the index.
#[test]
fn the_index_has_the_commands_of_the_library() {
    const NO_COMMANDS: [&str; 1] = ["agent_profile_folder"];
    let library: Vec<String> = rust_files()
        .into_iter()
        .filter(|(path, _)| path.starts_with("runtime/innkeeper/src/"))
        .flat_map(|(_, text)| public_functions(&text))
        .collect();
    let index = book::index();
    let commands: Vec<&String> = index["commands"].as_object().unwrap().keys().collect();
    for command in &commands {
        assert!(library.contains(command), "{command} is no function of the library");
    }
    let is_about_agents = |name: &&String| name.contains("agent") && !NO_COMMANDS.contains(&name.as_str());
    let missing: Vec<&String> = library
        .iter()
        .filter(is_about_agents)
        .filter(|name| !commands.contains(name))
        .collect();
    assert_eq!(missing, Vec::<&String>::new());
}

fn public_functions(text: &str) -> Vec<String> {
    let heads = text.lines().filter_map(|line| {
        let line = line.strip_prefix("    pub ")?;
        line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ")
    });
    heads
        .filter_map(|head| head.split(['(', '<']).next())
        .map(str::to_owned)
        .collect()
}
