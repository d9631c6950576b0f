//! JSON Schemas (2020-12) of everything that crosses the library's border: what commands take and give, what a run's events carry, and
//! the error. They are made from the types, so that they cannot say anything else.
//!
//! They tell shapes. Whether a value is allowed is decided by the command that gets it, which has a code for each refusal.

mod command;
mod document;
mod events;
mod surface;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use command::Command;
use document::Document;

use crate::error::HostError;

/// A file of the exported schemas.
#[derive(Debug, Clone, PartialEq)]
pub struct SchemaFile {
    /// Where it lies, relative to `index.json`.
    pub path: String,
    /// A schema, or the index.
    pub content: Value,
}

/// Every schema in a file of its own, and `index.json`, which says whose each is.
#[must_use]
pub fn schema_files() -> Vec<SchemaFile> {
    let error = Document::output::<HostError>("HostError");
    let envelope = events::envelope();
    let payloads = events::payloads();
    let commands = surface::commands();
    let printed = surface::command_line();
    let index = json!({
        "$comment": "Which schema is whose. Paths are relative to this file.",
        "error": error.path(),
        "event": envelope.path(),
        "payloads": Map::from_iter(payloads.iter().map(|(kind, document)| (kind.clone(), json!(document.path())))),
        "commands": Map::from_iter(commands.iter().map(|command| (command.name.to_owned(), command.index()))),
        "commandLine": Map::from_iter(printed.iter().map(|(command, document)| (command.clone(), json!(document.path())))),
    });
    let of_commands = commands.into_iter().flat_map(Command::into_documents);
    let of_events = payloads.into_iter().map(|(_, document)| document);
    let of_command_line = printed.into_iter().map(|(_, document)| document);
    let documents = [error, envelope]
        .into_iter()
        .chain(of_events)
        .chain(of_commands)
        .chain(of_command_line);
    // What several commands give is one file.
    let mut files: BTreeMap<String, Value> = documents.map(Document::into_file).collect();
    files.insert("index.json".to_owned(), index);
    files
        .into_iter()
        .map(|(path, content)| SchemaFile { path, content })
        .collect()
}
