//! What a model is told when it answered with text where only a tool call counts.
//!
//! Whether it is told at all, and how often, is decided by the loop.

use innkeeper_protocol::model::{Message, Role};
use innkeeper_protocol::path::WorkspacePath;

use super::template::fill_in;

const OPENING: &str = include_str!("reminder_opening.md");
const SAVED: &str = include_str!("reminder_saved.md");
const CHILD: &str = include_str!("reminder_child.md");
const FINISH_COMMITTED: &str = include_str!("reminder_finish_committed.md");
const FINISH_UNCOMMITTED: &str = include_str!("reminder_finish_uncommitted.md");
const FINISH_WITHOUT_COMMIT: &str = include_str!("reminder_finish_without_commit.md");
const HANDOFF: &str = include_str!("reminder_handoff.md");
const OTHER: &str = include_str!("reminder_other.md");

// Our own tools are never renamed, so these are what every model knows them by.
const TASK_RETURN: &str = "task_return";
const FINISH: &str = "workspace_finish";
const COMMIT: &str = "workspace_commit";
const HANDOFF_TO: &str = "agent_handoff";

/// The reminder after a turn without a call, in the user's role.
///
/// It says that text alone ends nothing, where the text was saved if it was, and which call goes on from here: the one that ends this
/// invocation among those that it is offered (`aliases`), with or without a commit before it.
#[must_use]
pub fn reminder(aliases: &[&str], saved: Option<&WorkspacePath>, has_commits: bool) -> Message {
    let slots = [
        ("return", TASK_RETURN),
        ("finish", FINISH),
        ("commit", COMMIT),
        ("handoff", HANDOFF_TO),
    ];
    let saved = saved.map(|path| fill_in(SAVED, &[("path", path.as_str())]));
    let parts = [
        Some(OPENING.trim().to_owned()),
        saved,
        Some(fill_in(way_out(aliases, has_commits), &slots)),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    Message::of_text(Role::User, parts.join("\n\n"))
}

fn way_out(aliases: &[&str], has_commits: bool) -> &'static str {
    let [child, finish, commit, handoff] =
        [TASK_RETURN, FINISH, COMMIT, HANDOFF_TO].map(|alias| aliases.contains(&alias));
    match (child, finish, handoff) {
        (true, ..) => CHILD,
        (false, true, _) if has_commits => FINISH_COMMITTED,
        (false, true, _) if commit => FINISH_UNCOMMITTED,
        (false, true, _) => FINISH_WITHOUT_COMMIT,
        (false, false, true) => HANDOFF,
        (false, false, false) => OTHER,
    }
}
