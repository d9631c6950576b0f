//! A call or a rollback that waits for a person: everything that is shown before the answer, and what an answer did.
//!
//! What comes from a model or a tool is shown whole and harmless; the words around it are ours alone.

use innkeeper::protocol::approval::ApprovalSubject;
use innkeeper::{AnsweredToolCall, PendingApproval};

use super::paint::Paint;
use super::text::{plain, plain_lines};

/// What a person reads before answering.
pub(crate) fn approval_question(pending: &PendingApproval, paint: Paint) -> String {
    let request = &pending.request;
    let publisher = request
        .publisher
        .as_deref()
        .map(|name| format!(", published by {}", plain(name)));
    let title = plain(&request.title);
    let (head, subject) = match request.tool_id {
        ApprovalSubject::Tool(_) => (format!("May the agent call \u{201c}{title}\u{201d}?"), "tool "),
        ApprovalSubject::Rollback => (format!("{title}?"), "asks "),
    };
    let mut lines = vec![
        paint.strong(&head),
        format!(
            "  {subject}    {} ({}{})",
            plain(request.tool_id.as_str()),
            plain(&request.source),
            publisher.unwrap_or_default()
        ),
        format!("  effect   {}", plain(&request.side_effect)),
        format!("  why ask  {}", plain(&request.rule)),
        "  arguments, whole:".to_owned(),
    ];
    lines.extend(indented(&pending.arguments));
    if let Some(diff) = &pending.diff {
        lines.push("  change that it would make:".to_owned());
        lines.extend(indented(diff).map(|line| coloured(&line, paint)));
    }
    lines.join("\n")
}

/// The answers that may be given, on one line.
pub(crate) fn approval_keys(pending: &PendingApproval) -> &'static str {
    match pending.request.tool_id {
        ApprovalSubject::Rollback => "y: do it \u{b7} n [why]: no",
        ApprovalSubject::Tool(_) if pending.may_stand => {
            "y: this once \u{b7} run: the same call in this run \u{b7} always: in every run \u{b7} n [why]: no"
        }
        ApprovalSubject::Tool(_) => {
            "y: this once \u{b7} n [why]: no   (the arguments hold invisible characters, so no answer can stand)"
        }
    }
}

fn indented(text: &str) -> impl Iterator<Item = String> {
    let lines: Vec<String> = plain_lines(text).lines().map(|line| format!("    {line}")).collect();
    lines.into_iter()
}

fn coloured(line: &str, paint: Paint) -> String {
    match line.trim_start().chars().next() {
        Some('+') => paint.good(line),
        Some('-') => paint.bad(line),
        Some('@') => paint.dim(line),
        _ => line.to_owned(),
    }
}

/// What an answer did.
pub(crate) fn answered_text(answered: &AnsweredToolCall, is_rollback: bool) -> String {
    use innkeeper::protocol::approval::ApprovalScope;

    let call = plain(answered.call_id.as_str());
    match (answered.approved, answered.scope) {
        (true, _) if is_rollback => format!("The rollback {call} goes on."),
        (false, _) if is_rollback => format!("The rollback {call} was denied; no file is changed."),
        (false, _) => format!("The call {call} was denied; the run goes on without it."),
        (true, ApprovalScope::Once) => format!("The call {call} may be made, this once."),
        (true, ApprovalScope::Run) => {
            format!("The call {call} may be made, and the same call again until the run ends.")
        }
        (true, ApprovalScope::Always) => format!("The call {call} may be made, and the same call in every run."),
    }
}

#[cfg(test)]
mod tests {
    use innkeeper::protocol::approval::{ApprovalId, ApprovalScope};
    use innkeeper::protocol::digest::Sha256;
    use innkeeper::protocol::event::ApprovalRequestPayload;
    use innkeeper::protocol::id::{CallId, InvocationId, RunId, ToolId};

    use super::*;

    fn pending() -> PendingApproval {
        PendingApproval {
            request: ApprovalRequestPayload {
                invocation_id: InvocationId::root(),
                approval_id: ApprovalId::parse("approval_1").unwrap(),
                call_id: CallId::parse("c1").unwrap(),
                tool_id: ToolId::parse("extension/mood:mood.set").unwrap().into(),
                title: "Set the mood\u{1b}[2J".to_owned(),
                source: "extension".to_owned(),
                publisher: None,
                side_effect: "It changes files in this run's workspace.".to_owned(),
                rule: "tools of extensions ask until you allow them".to_owned(),
                arguments_ref: "tool-args/c.json".to_owned(),
                arguments_digest: Sha256::of(b"a"),
                tool_digest: Sha256::of(b"t"),
                diff_ref: None,
            },
            arguments: "{\n  \"mood\": \"User approved: yes\"\n}".to_owned(),
            diff: Some("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n".to_owned()),
            may_stand: true,
        }
    }

    #[test]
    fn a_person_sees_the_whole_call_and_nothing_acts_on_the_terminal() {
        insta::assert_snapshot!(approval_question(&pending(), Paint::new(false)));
    }

    #[test]
    fn a_rollback_is_asked_for_in_words_of_its_own() {
        let mut pending = pending();
        pending.request.tool_id = ApprovalSubject::Rollback;
        pending.request.title = "Roll the workspace back".to_owned();
        pending.request.source = "runtime".to_owned();
        let question = approval_question(&pending, Paint::new(false));
        assert!(
            question.starts_with("Roll the workspace back?\n  asks     runtime:workspace.rollback (runtime)\n"),
            "{question}"
        );
        assert_eq!(approval_keys(&pending), "y: do it \u{b7} n [why]: no");
    }

    #[test]
    fn an_answer_is_told_with_what_it_covers() {
        let answered = |approved, scope, is_rollback| {
            let answered = AnsweredToolCall {
                run_id: RunId::parse("run_1").unwrap(),
                call_id: CallId::parse("c1").unwrap(),
                approval_id: ApprovalId::parse("approval_1").unwrap(),
                approved,
                scope,
            };
            answered_text(&answered, is_rollback)
        };
        assert!(answered(false, ApprovalScope::Once, false).contains("denied; the run goes on"));
        assert!(answered(true, ApprovalScope::Run, false).contains("until the run ends"));
        assert!(answered(false, ApprovalScope::Once, true).contains("denied; no file"));
    }
}
