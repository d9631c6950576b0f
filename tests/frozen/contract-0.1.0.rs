//! One tool that calls every interface of the contract that an extension can be granted, and says what came back.

use innkeeper_extension::host::workspace::{Basis, Span};
use innkeeper_extension::host::{chat, log, random, workspace, worldinfo};
use innkeeper_extension::{Reply, Tool, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[cfg(target_family = "wasm")]
mod skills {
    wit_bindgen::generate!({
        inline: "package innkeeper:frozen; world skills { import innkeeper:skills/library@0.1.0; }",
        path: ["../../../wit/workspace", "../../../wit/skills"],
        world: "innkeeper:frozen/skills",
        generate_all,
    });
    pub fn names() -> Vec<String> {
        innkeeper::skills::library::list().into_iter().map(|skill| skill.name).collect()
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Look {
    /// Written to `output/frozen.md`.
    text: String,
}

#[derive(Serialize, JsonSchema)]
struct Seen {
    messages: u32,
    first: String,
    entries: usize,
    skills: Vec<String>,
    page: String,
    staged: u32,
    drawn: u64,
}

/// The tools that the host offers.
pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new("frozen.look", look)
            .title("Look at everything")
            .description("Calls each interface once.")
            .output::<Seen>()
            .uses(chat::INTERFACE)
            .uses(worldinfo::INTERFACE)
            .uses("innkeeper:skills/library")
            .uses(workspace::READER)
            .uses(workspace::WRITER)
            .uses(random::INTERFACE),
    ]
}

innkeeper_extension::export!(tools);

fn look(look: Look) -> Result<Reply, ToolError> {
    let lost = |what: &str| ToolError::new("lost", what.to_owned());
    log::info("looking");
    let page = workspace::show("plan/note.md", Span::All, 10, 100).map_err(|_| lost("the note"))?;
    let staged = workspace::write("output/frozen.md", &look.text, Basis::Rewrite).map_err(|_| lost("the file"))?;
    let seen = Seen {
        messages: chat::count().map_err(|_| lost("the chat"))?,
        first: chat::get(0).map(|message| message.text).unwrap_or_default(),
        entries: worldinfo::activation().map_err(|_| lost("world info"))?.entries.len(),
        #[cfg(target_family = "wasm")]
        skills: skills::names(),
        #[cfg(not(target_family = "wasm"))]
        skills: Vec::new(),
        page: page.text,
        staged: staged.chars,
        drawn: random::below(6),
    };
    let text = format!("{} messages", seen.messages);
    Reply::text(text).structured(&seen)
}
