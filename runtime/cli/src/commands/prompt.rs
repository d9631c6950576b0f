//! Asking the person at the terminal about a call or a rollback, while other things go on.
//!
//! A line that was typed before a question was shown is no answer to it. Nothing is assumed: a line that is no clear answer is asked for
//! again.

use std::io::{self, BufRead as _};

use innkeeper::protocol::approval::ApprovalId;
use innkeeper::{ApproveToolCall, PendingApproval};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::console::note;
use crate::render::{Paint, approval_keys, approval_question};

/// The person at the terminal.
pub(super) struct Prompt {
    paint: Paint,
    lines: Option<UnboundedReceiver<String>>,
    open: Option<PendingApproval>,
}

/// What a line says.
#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Yes(&'static str),
    No(Option<String>),
    Unclear,
}

impl Prompt {
    pub(super) fn new(paint: Paint) -> Self {
        Self {
            paint,
            lines: None,
            open: None,
        }
    }

    /// Shows a question and waits for its answer from now on.
    pub(super) fn show(&mut self, pending: PendingApproval) {
        let lines = self.lines.get_or_insert_with(read_lines);
        // What was typed before the question was there is about something else.
        while lines.try_recv().is_ok() {}
        note(&approval_question(&pending, self.paint));
        note(approval_keys(&pending));
        self.open = Some(pending);
    }

    /// Whether a question waits for its answer.
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// The question has its answer, from here or from elsewhere.
    pub(super) fn close(&mut self, approval_id: &ApprovalId) {
        self.open.take_if(|open| open.request.approval_id == *approval_id);
    }

    /// The answer to the open question, once one is typed; waits for ever where none is open.
    pub(super) async fn answer(&mut self, run_id: &str) -> ApproveToolCall {
        loop {
            let line = match (&self.open, &mut self.lines) {
                (Some(_), Some(lines)) => lines.recv().await,
                _ => std::future::pending().await,
            };
            let Some(open) = &self.open else { continue };
            // A terminal that is closed cannot say yes.
            let answer = line.map_or(Answer::No(Some("the terminal was closed".to_owned())), |line| {
                parse(&line, open.may_stand)
            });
            let (approved, scope, reason) = match answer {
                Answer::Yes(scope) => (true, scope, None),
                Answer::No(reason) => (false, "once", reason),
                Answer::Unclear => {
                    note(approval_keys(open));
                    continue;
                }
            };
            return ApproveToolCall {
                run_id: run_id.to_owned(),
                call_id: open.request.call_id.to_string(),
                approved,
                scope: Some(scope.to_owned()),
                approval_id: Some(open.request.approval_id.to_string()),
                reason,
            };
        }
    }
}

/// Lines of the standard input from now on. The thread ends with the program: a read cannot be called off.
fn read_lines() -> UnboundedReceiver<String> {
    let (sender, receiver) = unbounded_channel();
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    receiver
}

fn parse(line: &str, may_stand: bool) -> Answer {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let reason = Some(rest.trim().to_owned()).filter(|reason| !reason.is_empty());
    match (word.to_lowercase().as_str(), &reason) {
        ("y" | "yes", None) => Answer::Yes("once"),
        ("run", None) if may_stand => Answer::Yes("run"),
        ("always", None) if may_stand => Answer::Yes("always"),
        ("n" | "no", _) => Answer::No(reason),
        _ => Answer::Unclear,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_line_is_an_answer() {
        let answers = [
            "y",
            " YES ",
            "run",
            "always",
            "n",
            "no not now",
            "yes please",
            "",
            "\u{202e}y",
        ];
        let parsed = answers.map(|line| parse(line, true));
        let no = |reason: Option<&str>| Answer::No(reason.map(str::to_owned));
        let expected = [
            Answer::Yes("once"),
            Answer::Yes("once"),
            Answer::Yes("run"),
            Answer::Yes("always"),
            no(None),
            no(Some("not now")),
            Answer::Unclear,
            Answer::Unclear,
            Answer::Unclear,
        ];
        assert_eq!(parsed, expected);
    }

    #[test]
    fn what_hides_something_cannot_be_answered_for_good() {
        assert_eq!(
            ["always", "run", "y"].map(|line| parse(line, false)),
            [Answer::Unclear, Answer::Unclear, Answer::Yes("once")]
        );
    }
}
