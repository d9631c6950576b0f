//! The four wire formats against servers on this machine, streamed and in one piece: they must tell the same.
//!
//! How a stream breaks is tested in the gateway; here a conversation is carried on, and a whole run.

mod claude;
mod conversation;
mod gemini;
mod openai;
mod responses;
mod runs;
mod server;

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
    /// Its text.
    pub text: String,
    /// Its thoughts.
    pub thought: String,
    /// Its calls.
    pub calls: Vec<Call>,
}

/// A text in pieces of three characters, as a stream brings it.
fn pieces(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(3).map(|piece| piece.iter().collect()).collect()
}
