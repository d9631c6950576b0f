//! `runs events`: the journal of a run, a page or all of it while it grows.

use innkeeper::protocol::envelope::Envelope;
use innkeeper::protocol::view::ReadRunEvents;
use innkeeper::{JournalIssue, RunReader};
use serde_json::json;

use super::runs::about;
use crate::args::EventsArgs;
use crate::console::{Console, note};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt::Interrupts;
use crate::place::DataRoot;
use crate::render::{event_line, issue_lines};

/// Prints the events that were asked for.
pub(super) async fn run(args: EventsArgs, data: &DataRoot, console: &mut Console) -> Result<Exit, Failure> {
    let reader = super::runs::reader(data);
    if args.follow {
        return follow(&reader, &args, data, console).await;
    }
    let request = ReadRunEvents {
        after_seq: args.after_seq,
        before_seq: args.before_seq,
        limit: args.limit,
        invocation_id: args.invocation,
        ..ReadRunEvents::of(args.run)
    };
    let page = reader
        .read_agent_run_events(&request)
        .map_err(|error| about(error, data))?;
    print(&page.events, &page.issues, console)?;
    let is_full = page.events.len() as u64 >= args.limit.unwrap_or(100).clamp(1, 500);
    if let (true, None, false, Some(last)) = (is_full, args.before_seq, console.json, page.events.last()) {
        note(&format!("There may be more: --after-seq {}", last.seq));
    }
    Ok(Exit::Done)
}

async fn follow(
    reader: &RunReader,
    args: &EventsArgs,
    data: &DataRoot,
    console: &mut Console,
) -> Result<Exit, Failure> {
    let after_seq = args.after_seq.unwrap_or(0);
    let mut run = reader
        .follow_agent_run(&args.run, after_seq, args.invocation.as_deref())
        .map_err(|error| about(error, data))?;
    let mut interrupts = Interrupts::listen();
    while !console.is_closed() {
        let page = tokio::select! {
            () = interrupts.next() => return Ok(Exit::Cancelled),
            page = run.next() => page.map_err(|error| about(error, data))?,
        };
        let Some(page) = page else { break };
        print(&page.events, &page.issues, console)?;
    }
    Ok(Exit::Done)
}

fn print(events: &[Envelope], issues: &[JournalIssue], console: &mut Console) -> Result<(), Failure> {
    for event in events {
        if console.json {
            console.json_line(event)?;
        } else {
            let line = event_line(event, console.paint, console.columns);
            console.line(&line)?;
        }
    }
    if console.json && !issues.is_empty() {
        return console.json_line(&json!({ "issues": issues }));
    }
    issue_lines(&[], issues).iter().for_each(|line| note(line));
    Ok(())
}
