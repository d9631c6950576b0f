//! Who speaks in a chat, as a list for the model or as a file in the workspace.
//!
//! Counting is in [`cast`], which knows no host; here are the tools.

mod cast;

use innkeeper_extension::host::workspace::{Basis, Span, WriteError};
use innkeeper_extension::host::{chat, workspace};
use innkeeper_extension::{Reply, Tool, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use cast::{Cast, Speaker};

/// Where the list is kept.
const FILE: &str = "plan/cast.md";
/// A list of more lines was not written by this tool.
const MAX_LINES: u32 = 2_000;
/// Characters of such a list.
const MAX_CHARS: u32 = 80_000;

/// The tools that the host offers.
pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new("cast.list", list)
            .title("Who speaks")
            .description(include_str!("list.md"))
            .read_only()
            .idempotent()
            .output::<Listed>()
            .uses(chat::INTERFACE),
        Tool::new("cast.show", show)
            .title("Show the cast list")
            .description(include_str!("show.md"))
            .read_only()
            .idempotent()
            .uses(workspace::READER),
        Tool::new("cast.write", write)
            .title("Write the cast list")
            .description(include_str!("write.md"))
            .uses(chat::INTERFACE)
            .uses(workspace::WRITER),
    ]
}

innkeeper_extension::export!(tools);

/// Arguments of `cast.list` and `cast.write`.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Range {
    /// Leave out messages before this index; 0 is the first message.
    #[serde(default)]
    from: Option<u32>,
    /// At most so many speakers, those who speak most first. 20 where not given.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100))]
    limit: Option<u32>,
}

/// Arguments of `cast.show`: none.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

/// The result of `cast.list` for programs.
#[derive(Serialize, JsonSchema)]
struct Listed {
    speakers: Vec<Speaker>,
    total: usize,
}

/// Counts the messages of the chat.
fn count(range: &Range) -> Result<(Vec<Speaker>, usize), ToolError> {
    const DEFAULT_LIMIT: u32 = 20;
    let from = range.from.unwrap_or(0);
    let there = chat::count().map_err(|_| {
        ToolError::new(
            "no_chat",
            "This run has no chat, so nobody speaks in it. Go on without a cast list.",
        )
    })?;
    if from >= there && from > 0 {
        return Err(ToolError::new(
            "beyond_the_end",
            format!(
                "The chat has {there} messages, so none from index {from} on. Call again with a smaller `from`, or without it."
            ),
        ));
    }
    let cast: Cast = chat::messages(from).collect();
    let total = cast.len();
    Ok((cast.loudest(range.limit.unwrap_or(DEFAULT_LIMIT)), total))
}

fn list(range: Range) -> Result<Reply, ToolError> {
    let (speakers, total) = count(&range)?;
    let refs: Vec<String> = speakers
        .iter()
        .map(|speaker| format!("chat:current#{}", speaker.last))
        .collect();
    let words = match speakers.len() {
        0 => "Nobody has spoken yet.".to_owned(),
        shown => format!("{shown} of {total} who speak:\n\n{}", cast::as_list(&speakers)),
    };
    Reply::text(words).refs(refs).structured(&Listed { speakers, total })
}

fn show(_: Nothing) -> Result<Reply, ToolError> {
    let page = workspace::show(FILE, Span::All, MAX_LINES, MAX_CHARS).map_err(|error| {
        ToolError::new(
            "no_list",
            format!("{FILE} cannot be shown ({error:?}). Write it first with cast.write."),
        )
    })?;
    let more = if page.truncated {
        "\n\n[The rest is left out: it is no list of this tool.]"
    } else {
        ""
    };
    Ok(Reply::text(format!("{}{more}", page.text)).refs([format!("workspace:{FILE}")]))
}

fn write(range: Range) -> Result<Reply, ToolError> {
    let (speakers, total) = count(&range)?;
    let text = format!("# Cast\n\n{}\n", cast::as_list(&speakers));
    let staged = workspace::write(FILE, &text, Basis::Rewrite).map_err(refused)?;
    let done = if staged.created { "Wrote" } else { "Replaced" };
    let words = format!("{done} {FILE}: {} of {total} who speak.", speakers.len());
    Ok(Reply::text(words).refs([format!("workspace:{FILE}")]))
}

/// Why the list was not written, in words that lead on.
fn refused(error: WriteError) -> ToolError {
    match error {
        WriteError::RequiresRead | WriteError::RequiresFullRead(_) | WriteError::Stale => ToolError::new(
            "read_first",
            format!(
                "{FILE} is there already, in a version that you have not read. Call cast.show, then cast.write again."
            ),
        ),
        WriteError::OverBudget(limit) => ToolError::new(
            "no_room",
            format!("{FILE} was not written: {limit}. Call again with a smaller `limit`."),
        ),
        WriteError::Path(why) => ToolError::new(
            "unwritable",
            format!("{FILE} cannot be written in this run ({why:?}). Use cast.list instead."),
        ),
    }
}

#[cfg(test)]
mod tests;
