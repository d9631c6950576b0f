//! The four wire formats against servers on this machine, streamed and in one piece: they must tell the same.
//!
//! How a stream breaks is tested in the gateway; here a conversation is carried on, and a whole run.

mod canary;
mod claude;
mod conversation;
mod gemini;
mod openai;
mod refused;
mod responses;
mod runs;
mod server;
mod stored;

use std::path::{Path, PathBuf};

use serde_json::Value;

/// A tool call of a model.
#[derive(Clone)]
pub struct Call {
    /// Its id.
    pub id: String,
    /// The tool's offered name.
    pub name: String,
    /// Its arguments.
    pub arguments: Value,
}

/// What a model says in one turn.
#[derive(Clone, Default)]
pub struct Said {
    /// The answer's id.
    pub id: String,
    /// Its text.
    pub text: String,
    /// Its thoughts.
    pub thought: String,
    /// Its calls.
    pub calls: Vec<Call>,
    /// The answer in one piece, where it is one that the servers here would never say.
    pub raw: Option<Value>,
}

/// A text in pieces of three characters, as a stream brings it.
fn pieces(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(3).map(|piece| piece.iter().collect()).collect()
}

/// Every file below a folder.
fn left_behind(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(left_behind(&path));
        } else if path.is_file() {
            let bytes = std::fs::read(&path).unwrap();
            files.push((path, bytes));
        }
    }
    files
}

/// The files that hold a text, or have it in their names.
fn found_in(files: &[(PathBuf, Vec<u8>)], text: &str) -> Vec<String> {
    let holds = |(path, bytes): &&(PathBuf, Vec<u8>)| {
        path.to_string_lossy().contains(text) || bytes.windows(text.len()).any(|window| window == text.as_bytes())
    };
    files
        .iter()
        .filter(holds)
        .map(|(path, _)| path.display().to_string())
        .collect()
}
