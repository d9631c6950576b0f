//! Lists of runs, and one run in detail.

use std::path::Path;

use innkeeper::protocol::run::ChatRef;
use innkeeper::{HostError, JournalIssue, RunIssue, RunSummary};

use super::paint::Paint;
use super::summary::{labelled, painted_status, path, status_name};
use super::text::{fit, pad, pad_left, plain};

const STATUS_COLUMNS: usize = 15;
const DATE_COLUMNS: usize = 19;
/// `run_` and 32 hex characters; longer ids are shown whole too, because they are there to be copied.
const ID_COLUMNS: usize = 36;

/// Runs as a table with a head.
pub(crate) fn run_table(runs: &[RunSummary], paint: Paint, columns: Option<usize>) -> String {
    let head = format!(
        "{}  {}  {}  commits  chat",
        pad("run", ID_COLUMNS),
        pad("status", STATUS_COLUMNS),
        pad("started", DATE_COLUMNS)
    );
    let mut lines = vec![paint.dim(&head)];
    lines.extend(runs.iter().map(|run| row(run, paint, columns)));
    lines.join("\n")
}

fn row(run: &RunSummary, paint: Paint, columns: Option<usize>) -> String {
    let id = format!("{:<ID_COLUMNS$}", run.run_id.as_str());
    let status = pad(&status_name(run.status), STATUS_COLUMNS);
    let commits = pad_left(&run.commit_count.to_string(), "commits".len());
    let used = id.len() + 2 + STATUS_COLUMNS + 2 + DATE_COLUMNS + 2 + commits.len() + 2;
    let chat = chat_name(&run.chat_ref);
    let chat = columns.map_or_else(|| chat.clone(), |all| fit(&chat, all.saturating_sub(used)));
    let line = format!(
        "{}  {}  {}  {commits}  {chat}",
        paint.name(&id),
        painted_status(run.status, &status, paint),
        pad(&date(&run.created_at), DATE_COLUMNS),
    );
    line.trim_end().to_owned()
}

fn chat_name(chat: &ChatRef) -> String {
    match chat {
        ChatRef::Character {
            character_id,
            file_name,
        } => plain(&format!("{character_id}/{file_name}")),
        ChatRef::Group { chat_id } => plain(&format!("group {chat_id}")),
    }
}

/// `2026-10-05T07:00:05.000Z` without what nobody reads.
fn date(rfc3339: &str) -> String {
    plain(&rfc3339.get(..DATE_COLUMNS).unwrap_or(rfc3339).replace('T', " "))
}

/// One run, what ended it early, and the command that shows its events.
pub(crate) fn run_details(
    run: &RunSummary,
    folder: &Path,
    error: Option<&HostError>,
    more: &str,
    paint: Paint,
    columns: usize,
) -> String {
    let label = |name: &str, value: &str| format!("{}{value}", labelled(name, "", paint, columns));
    let status = painted_status(run.status, &status_name(run.status), paint);
    let mut lines = vec![format!("{}  {status}", paint.strong(run.run_id.as_str()))];
    if let Some(error) = error {
        lines.push(labelled(
            "why",
            &plain(&format!("{} [{}]", error.message, error.code)),
            paint,
            columns,
        ));
    }
    let ended = run
        .terminal_at
        .as_deref()
        .map(date)
        .unwrap_or_else(|| "not yet".to_owned());
    let profile = run.profile_id.as_deref().map(plain).unwrap_or_default();
    let seen = run
        .input_message_count
        .map(|count| format!(" ({count} messages seen)"))
        .unwrap_or_default();
    lines.push(label("started", &date(&run.created_at)));
    lines.push(label("ended", &ended));
    lines.push(label("profile", &profile));
    lines.push(label("wanted", &plain(&run.generation_type)));
    lines.push(label("chat", &format!("{}{seen}", chat_name(&run.chat_ref))));
    let message = run.committed_message.as_ref().map_or_else(
        || "none".to_owned(),
        |message| {
            format!(
                "number {} (from 0), {} commit(s)",
                plain(&message.message_id),
                run.commit_count
            )
        },
    );
    lines.push(label("message", &message));
    lines.push(label("folder", &path(folder)));
    lines.push(label("more", &paint.name(more)));
    lines.join("\n")
}

/// Runs that could not be read, for the standard error.
pub(crate) fn issue_lines(runs: &[RunIssue], journal: &[JournalIssue]) -> Vec<String> {
    let run = |issue: &RunIssue| {
        let name = issue
            .run_id
            .as_ref()
            .map_or_else(|| plain(&issue.file_name), ToString::to_string);
        format!("warning: {name}: {} [{}]", plain(&issue.message), issue.code)
    };
    let place = |issue: &JournalIssue| {
        format!(
            "warning: the journal is damaged at line {}, byte {}: {} [{}]",
            issue.line, issue.offset, issue.damage, issue.code
        )
    };
    runs.iter().map(run).chain(journal.iter().map(place)).collect()
}
