//! How a run ended: its status, where the message is, and how to look further.

use std::path::Path;

use innkeeper::RunReport;
use innkeeper::protocol::run::RunStatus;

use super::paint::Paint;
use super::text::{counted, plain_lines, wrap};

/// Columns of the names before the values.
const LABEL_COLUMNS: usize = 10;

/// What a timeline knows at the end that the report doesn't say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    /// Milliseconds from the first event to the last.
    pub(crate) elapsed_ms: u64,
    /// Model rounds.
    pub(crate) rounds: u32,
    /// Calls that came to an end.
    pub(crate) calls: u32,
    /// The message of the last commit.
    pub(crate) message: Option<String>,
}

/// A status as it is written everywhere.
pub(crate) fn status_name(status: RunStatus) -> String {
    serde_json::to_value(status)
        .ok()
        .and_then(|name| name.as_str().map(str::to_owned))
        .unwrap_or_default()
}

/// A status in its colour.
pub(super) fn painted_status(status: RunStatus, shown: &str, paint: Paint) -> String {
    match status {
        RunStatus::Completed => paint.good(shown),
        RunStatus::PartialSuccess | RunStatus::Cancelled => paint.odd(shown),
        RunStatus::Failed => paint.bad(shown),
        _ => shown.to_owned(),
    }
}

/// A name and its value; a long value goes on below itself.
pub(super) fn labelled(label: &str, value: &str, paint: Paint, columns: usize) -> String {
    let name = super::text::pad(label, LABEL_COLUMNS);
    let value = wrap(value, columns, LABEL_COLUMNS + 2);
    format!("  {}{}", paint.dim(&name), value.trim_start())
}

/// The end of a run as a text of several lines. `more` is the command that shows more.
pub(crate) fn ending(report: &RunReport, facts: &Facts, more: Option<&str>, paint: Paint, columns: usize) -> String {
    let status = status_name(report.status).replace('_', " ");
    let status = painted_status(report.status, &paint.strong(&status), paint);
    let seconds = format!("{}.{:02} s", facts.elapsed_ms / 1_000, facts.elapsed_ms % 1_000 / 10);
    let counts = format!(
        "{seconds}, {}, {}",
        counted(facts.rounds, "round"),
        counted(facts.calls, "call")
    );
    let mut lines = vec![String::new(), format!("{status}  {}", paint.dim(&counts))];
    if let Some(error) = &report.error {
        let why = format!("{} [{}]", plain_lines(&error.message), error.code);
        lines.push(labelled("why", &why, paint, columns));
        lines.extend(
            error
                .hint
                .iter()
                .map(|hint| labelled("do", &plain_lines(hint), paint, columns)),
        );
    }
    let message = match &facts.message {
        Some(index) => format!("number {index} (from 0) in"),
        None => "none was committed;".to_owned(),
    };
    let chat = report
        .chat
        .as_deref()
        .map_or_else(|| "the application's chat".to_owned(), path);
    lines.push(format!("{} {chat}", labelled("message", &message, paint, columns)));
    // Paths and ids are not wrapped: they are there to be copied.
    lines.push(format!("{}{}", labelled("run", "", paint, columns), report.run_id));
    lines.push(format!(
        "{}{}",
        labelled("folder", "", paint, columns),
        path(&report.folder)
    ));
    if let Some(more) = more {
        lines.push(format!("{}{}", labelled("more", "", paint, columns), paint.name(more)));
    }
    lines.join("\n")
}

/// A path that cannot drive the terminal.
pub(super) fn path(path: &Path) -> String {
    super::text::plain_lines(&path.display().to_string())
}

#[cfg(test)]
mod tests {
    use innkeeper::HostError;
    use innkeeper::protocol::id::RunId;

    use super::*;

    fn report(status: RunStatus, error: Option<HostError>) -> RunReport {
        RunReport {
            run_id: RunId::parse("run_0123456789abcdef0123456789abcdef").unwrap(),
            status,
            error,
            chat: Some("/chats/Wren/ferry.jsonl".into()),
            folder: "/data/runs/run_0123456789abcdef0123456789abcdef".into(),
        }
    }

    #[test]
    fn a_completed_run_says_where_its_message_is() {
        let facts = Facts {
            elapsed_ms: 1_234,
            rounds: 8,
            calls: 1,
            message: Some("9".into()),
        };
        let text = ending(
            &report(RunStatus::Completed, None),
            &facts,
            Some("innkeeper runs show run_0"),
            Paint::new(false),
            80,
        );
        insta::assert_snapshot!(text);
    }

    #[test]
    fn a_failed_run_says_why_and_what_to_do() {
        let error = HostError::new(
            "model.key_refused",
            "the server refused the key, which it says is not known to it at all",
        )
        .with_hint("Check INNKEEPER_API_KEY.");
        let text = ending(
            &report(RunStatus::Failed, Some(error)),
            &Facts::default(),
            None,
            Paint::new(false),
            60,
        );
        insta::assert_snapshot!(text);
    }
}
