//! `runs events`: the journal of a run, a page or all of it while it grows.

use std::time::Duration;

use innkeeper::protocol::envelope::Envelope;
use innkeeper::{EventPage, PageQuery, RunReader};
use serde_json::json;

use super::runs::about;
use crate::args::EventsArgs;
use crate::console::{Console, note};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt::Interrupts;
use crate::place::DataRoot;
use crate::render::{event_line, issue_lines};

/// How often a journal that another process writes is looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(300);
/// Events that are read at a time while following.
const FOLLOW_PAGE: u64 = 500;
/// The events after which a run does nothing more.
const TERMINAL: [&str; 4] = ["run_completed", "run_partial_success", "run_failed", "run_cancelled"];

/// Prints the events that were asked for.
pub(super) async fn run(args: EventsArgs, data: &DataRoot, console: &mut Console) -> Result<Exit, Failure> {
    let reader = super::runs::reader(data);
    let query = PageQuery {
        after_seq: args.after_seq,
        before_seq: args.before_seq,
        limit: args.limit,
        invocation: args.invocation.clone(),
    };
    if args.follow {
        return follow(&reader, &args, query, data, console).await;
    }
    let page = reader
        .read_agent_run_events(&args.run, &query)
        .map_err(|error| about(error, data))?;
    print(&page, console)?;
    let is_full = page.events.len() as u64 >= args.limit.unwrap_or(100).clamp(1, 500);
    if let (true, None, false, Some(last)) = (is_full, args.before_seq, console.json, page.events.last()) {
        note(&format!("There may be more: --after-seq {}", last.seq));
    }
    Ok(Exit::Done)
}

async fn follow(
    reader: &RunReader,
    args: &EventsArgs,
    mut query: PageQuery,
    data: &DataRoot,
    console: &mut Console,
) -> Result<Exit, Failure> {
    query.limit = query.limit.or(Some(FOLLOW_PAGE));
    let mut progress = Progress::default();
    let mut interrupts = Interrupts::listen();
    loop {
        let page = reader
            .read_agent_run_events(&args.run, &query)
            .map_err(|error| about(error, data))?;
        print(&page, console)?;
        if let Some(last) = page.events.last() {
            query.after_seq = Some(last.seq);
        }
        if progress.is_over(&page.events, || is_terminal(reader, args)) || console.is_closed() {
            return Ok(Exit::Done);
        }
        if page.events.is_empty() {
            tokio::select! {
                () = interrupts.next() => return Ok(Exit::Cancelled),
                () = tokio::time::sleep(POLL_INTERVAL) => {}
            }
        }
    }
}

/// Whether the run has ended, for a reader that sees only a part of its events.
fn is_terminal(reader: &RunReader, args: &EventsArgs) -> bool {
    reader
        .read_agent_run(&args.run)
        .is_ok_and(|(summary, _)| summary.status.is_terminal())
}

/// Notices the end of a run and waits for the bookkeeping that may follow it.
#[derive(Debug, Default)]
struct Progress {
    has_ended: bool,
}

impl Progress {
    /// Whether nothing more is to come: the run had ended before, and this reading brought nothing new.
    fn is_over(&mut self, events: &[Envelope], is_terminal: impl FnOnce() -> bool) -> bool {
        let had_ended = self.has_ended;
        self.has_ended |= events.iter().any(|event| TERMINAL.contains(&event.kind.as_str()));
        if !self.has_ended && events.is_empty() {
            self.has_ended = is_terminal();
        }
        had_ended && events.is_empty()
    }
}

fn print(page: &EventPage, console: &mut Console) -> Result<(), Failure> {
    for event in &page.events {
        if console.json {
            console.json_line(event)?;
        } else {
            let line = event_line(event, console.paint, console.columns);
            console.line(&line)?;
        }
    }
    if console.json && !page.issues.is_empty() {
        return console.json_line(&json!({ "issues": page.issues }));
    }
    issue_lines(&[], &page.issues).iter().for_each(|line| note(line));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: &str) -> Envelope {
        serde_json::from_value(json!({
            "seq": 1, "id": "evt_1", "runId": "run_1", "timestamp": "2026-10-05T07:00:05.250Z",
            "level": "info", "type": kind, "payload": null,
        }))
        .unwrap()
    }

    #[test]
    fn following_ends_one_reading_after_the_end() {
        let mut progress = Progress::default();
        assert!(!progress.is_over(&[event("run_created")], || false));
        assert!(!progress.is_over(&[], || false));
        assert!(!progress.is_over(&[event("run_completed")], || false));
        assert!(!progress.is_over(&[event("agent_invocation_completed")], || false));
        assert!(progress.is_over(&[], || false));
    }

    #[test]
    fn a_run_that_ended_before_the_first_event_read_is_over_too() {
        let mut progress = Progress::default();
        assert!(!progress.is_over(&[], || true));
        assert!(progress.is_over(&[], || true));
    }
}
