//! Watching a run to its end: its events as they happen, an interrupt that cancels it, and how it ended.

mod draft;

use std::time::Duration;

use innkeeper::protocol::approval::ApprovalId;
use innkeeper::protocol::envelope::Envelope;
use innkeeper::protocol::id::RunId;
use innkeeper::protocol::run::RunStatus;
use innkeeper::{ApproveToolCall, Innkeeper, RunHandle, RunNews, RunReport};
use serde_json::{Value, json};

use super::host::components;
use super::prompt::Prompt;
use crate::console::{Console, note};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt::Interrupts;
use crate::render::{Facts, Timeline, status_name};
use draft::Draft;

/// How often the status line moves.
const STATUS_INTERVAL: Duration = Duration::from_millis(120);
/// Frames of the sign that something is going on.
const FRAMES: [&str; 4] = ["\u{b7}  ", "\u{b7}\u{b7} ", "\u{b7}\u{b7}\u{b7}", " \u{b7}\u{b7}"];

/// A run that is over.
pub(super) struct Watched {
    pub(super) report: RunReport,
    pub(super) facts: Facts,
}

/// Shows the run until it ends, and asks the person about calls where one is there. The first interrupt cancels the run, the second one
/// quits the program.
pub(super) async fn watch(
    host: &Innkeeper,
    mut handle: RunHandle,
    is_attended: bool,
    console: &mut Console,
) -> Result<Watched, Failure> {
    let folder = handle.folder().to_owned();
    let mut timeline = Timeline::new(console.paint, console.columns, components(host), folder);
    let mut ticker = tokio::time::interval(STATUS_INTERVAL);
    let mut tick = 0_usize;
    let cancel = handle.cancel_switch();
    let mut interrupts = Interrupts::listen();
    let mut draft = Draft::default();
    let (run_id, mut prompt) = (handle.run_id().clone(), Prompt::new(console.paint));
    let mut cancels = 0_u32;
    let mut trouble = None;
    loop {
        tokio::select! {
            biased;
            () = interrupts.next() => {
                cancels += 1;
                if cancels > 1 {
                    quit();
                }
                cancel.cancel();
                console.clear_status();
                note("Cancelling the run; once more quits at once.");
            }
            news = handle.next() => match news {
                // A closed output does not stop the run: it is the run that matters.
                Some(RunNews::Event(event)) => {
                    trouble = trouble.or(show(&event, &mut timeline, console).err());
                    if is_attended {
                        console.clear_status();
                        follow_questions(host, &run_id, &event, &mut prompt);
                    }
                }
                Some(RunNews::Live(update)) => trouble = trouble.or(draft.show(&update, console).err()),
                None => break,
            },
            answer = prompt.answer(run_id.as_str()) => answer_question(host, answer, &mut prompt),
            // A question stays in sight: nothing moves below it.
            _ = ticker.tick(), if !prompt.is_open() => {
                tick = tick.wrapping_add(1);
                show_status(tick, &timeline, console);
            }
        }
    }
    console.clear_status();
    let report = handle
        .wait()
        .await
        .map_err(|error| Failure::machine(&error.code, error.message))?;
    match trouble {
        Some(failure) => Err(failure),
        None => Ok(Watched {
            report,
            facts: timeline.facts(),
        }),
    }
}

/// Shows questions as they are put and takes them away when they have their answer, from here or from elsewhere.
fn follow_questions(host: &Innkeeper, run_id: &RunId, event: &Envelope, prompt: &mut Prompt) {
    let id = event.payload.get("approvalId").and_then(Value::as_str);
    let Some(id) = id.and_then(|id| ApprovalId::parse(id).ok()) else {
        return;
    };
    match event.kind.as_str() {
        "tool_call_awaiting_approval" => {
            let waiting = host.runs().and_then(|runs| runs.pending_approvals(run_id));
            match waiting {
                Ok(waiting) => {
                    let asked = waiting.into_iter().find(|pending| pending.request.approval_id == id);
                    asked.into_iter().for_each(|pending| prompt.show(pending));
                }
                // A question that cannot be shown is not answered with yes; it can still be denied from elsewhere.
                Err(error) => note(&format!("A call waits for an answer and cannot be shown: {error}")),
            }
        }
        "tool_call_approved" | "tool_call_denied" => prompt.close(&id),
        _ => {}
    }
}

fn answer_question(host: &Innkeeper, answer: ApproveToolCall, prompt: &mut Prompt) {
    if let Some(id) = answer.approval_id.as_deref().and_then(|id| ApprovalId::parse(id).ok()) {
        prompt.close(&id);
    }
    if let Err(error) = host.approve_agent_tool_call(answer) {
        note(&error.to_string());
    }
}

fn show(event: &Envelope, timeline: &mut Timeline, console: &mut Console) -> Result<(), Failure> {
    let lines = timeline.lines(event);
    if console.json {
        return console.json_line(event);
    }
    if console.quiet {
        return Ok(());
    }
    lines.iter().try_for_each(|line| console.line(line))
}

fn show_status(tick: usize, timeline: &Timeline, console: &mut Console) {
    if let (Some(status), Some(frame)) = (timeline.status(), FRAMES.get(tick % FRAMES.len())) {
        console.status(&format!("          {frame} {status}"));
    }
}

/// Ends the program at once. The next start closes the run that is left open.
fn quit() -> ! {
    note("");
    std::process::exit(Exit::Cancelled.code().into())
}

/// What the run means for the exit code.
pub(super) fn exit_of(report: &RunReport) -> Exit {
    let is_denied = report
        .error
        .as_ref()
        .is_some_and(|error| error.code == "agent.tool_policy_denied");
    match report.status {
        RunStatus::Completed => Exit::Done,
        RunStatus::Cancelled => Exit::Cancelled,
        _ if is_denied => Exit::Denied,
        _ => Exit::Failed,
    }
}

/// `{"runId","status","chat","folder","error"?}`.
pub(super) fn report_json(report: &RunReport) -> Value {
    let mut run = json!({
        "runId": report.run_id,
        "status": status_name(report.status),
        "chat": report.chat.as_ref().map(|chat| chat.to_string_lossy()),
        "folder": report.folder.to_string_lossy(),
    });
    if let (Some(error), Value::Object(members)) = (&report.error, &mut run) {
        members.insert("error".to_owned(), json!(error));
    }
    run
}

#[cfg(test)]
mod tests {
    use super::*;
    use innkeeper::HostError;

    fn report(status: RunStatus, code: Option<&str>) -> RunReport {
        RunReport {
            run_id: RunId::parse("run_1").unwrap(),
            status,
            error: code.map(|code| HostError::new(code, "why")),
            chat: Some("c.jsonl".into()),
            folder: "f".into(),
        }
    }

    #[test]
    fn a_status_has_its_exit_code() {
        let exit = |status, code| exit_of(&report(status, code));
        assert_eq!(exit(RunStatus::Completed, None), Exit::Done);
        assert_eq!(exit(RunStatus::PartialSuccess, Some("model.x")), Exit::Failed);
        assert_eq!(exit(RunStatus::Failed, Some("agent.tool_policy_denied")), Exit::Denied);
        assert_eq!(exit(RunStatus::Cancelled, None), Exit::Cancelled);
    }

    #[test]
    fn the_json_has_an_error_only_where_there_is_one() {
        let plain = json!({"runId": "run_1", "status": "completed", "chat": "c.jsonl", "folder": "f"});
        assert_eq!(report_json(&report(RunStatus::Completed, None)), plain);
        let error = json!({"code": "model.x", "message": "why"});
        assert_eq!(report_json(&report(RunStatus::Failed, Some("model.x")))["error"], error);
    }
}
