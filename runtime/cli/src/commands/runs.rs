//! `runs list`, `runs show` and `runs diff`: what runs have left behind. None starts a sandbox.

use innkeeper::protocol::id::RunId;
use innkeeper::protocol::view::{ReadDiff, ReadRunEvents};
use innkeeper::{HostError, ListQuery, RunPage, RunReader};
use serde_json::{Value, json};

use crate::args::{DiffArgs, ListArgs, ShowArgs};
use crate::console::{Console, note};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::place::DataRoot;
use crate::render::{diff_text, issue_lines, run_details, run_table};

/// Events at the end of a journal among which the terminal one is looked for; after it only bookkeeping follows.
const TAIL: u64 = 20;
/// Characters of all diffs together: more than anybody reads at a terminal, and little enough to hold.
const MAX_DIFF_CHARS: u32 = 4_000_000;

/// A reader of the data root, once runs that a dead process left open are closed: a list that shows them at work would be wrong.
pub(super) fn reader(data: &DataRoot) -> RunReader {
    let reader = RunReader::new(&data.path);
    if let Err(error) = reader.close_abandoned_runs() {
        // Reading goes on: what is there can be shown, also where nothing can be written.
        note(&format!("Runs that were left open could not be closed: {error}"));
    }
    reader
}

/// Lists runs, newest first.
pub(super) fn list(args: ListArgs, data: &DataRoot, console: &mut Console) -> Result<Exit, Failure> {
    let reader = reader(data);
    let chat = args.chat.map(|chat| reader.stable_chat_id(&chat)).transpose()?;
    let page = match chat {
        // A chat that no run knows has no runs.
        Some(None) => RunPage {
            runs: Vec::new(),
            next_cursor: None,
            issues: Vec::new(),
        },
        chat => reader.list_agent_runs(&ListQuery {
            stable_chat_id: chat.flatten(),
            statuses: args.status,
            limit: Some(args.limit),
            ..ListQuery::default()
        })?,
    };
    if console.json {
        console.json_value(&page)?;
        return Ok(Exit::Done);
    }
    issue_lines(&page.issues, &[]).iter().for_each(|line| note(line));
    if page.runs.is_empty() {
        note("No runs.");
        return Ok(Exit::Done);
    }
    console.line(&run_table(&page.runs, console.paint, console.columns))?;
    if page.next_cursor.is_some() && !console.quiet {
        note("There are older runs; show more with --limit.");
    }
    Ok(Exit::Done)
}

/// Shows one run.
pub(super) fn show(args: &ShowArgs, data: &DataRoot, console: &mut Console) -> Result<Exit, Failure> {
    let reader = reader(data);
    let (summary, folder) = reader.read_agent_run(&args.run).map_err(|error| about(error, data))?;
    let error = ended_by(&reader, &args.run)?;
    if console.json {
        let mut run = serde_json::to_value(&summary)
            .map_err(|error| Failure::machine("agent.internal_error", error.to_string()))?;
        if let Value::Object(members) = &mut run {
            members.insert("folder".to_owned(), json!(folder.to_string_lossy()));
            members.extend(error.map(|error| ("error".to_owned(), json!(error))));
        }
        console.json_value(&json!({ "run": run }))?;
        return Ok(Exit::Done);
    }
    let more = format!("innkeeper runs events {}{}", args.run, data.as_flag());
    let columns = console.wrap_columns();
    console.line(&run_details(
        &summary,
        &folder,
        error.as_ref(),
        &more,
        console.paint,
        columns,
    ))?;
    Ok(Exit::Done)
}

/// Shows how a run's files differ between two moments.
pub(super) fn diff(args: DiffArgs, data: &DataRoot, console: &mut Console) -> Result<Exit, Failure> {
    let request = ReadDiff {
        run_id: args.run,
        from: args.from,
        to: args.to,
        path: None,
        max_chars: Some(MAX_DIFF_CHARS),
    };
    let found = reader(data)
        .read_agent_diff(&request)
        .map_err(|error| about(error, data))?;
    if console.json {
        console.json_value(&found)?;
        return Ok(Exit::Done);
    }
    if found.files.is_empty() {
        note("No differences.");
        return Ok(Exit::Done);
    }
    console.line(&diff_text(&found, console.paint))?;
    if found.truncated {
        note("The rest is too long to be shown; compare moments that are nearer to each other.");
    }
    Ok(Exit::Done)
}

/// What ended the run early, as its terminal event says.
fn ended_by(reader: &RunReader, run: &RunId) -> Result<Option<HostError>, Failure> {
    let page = reader.read_agent_run_events(&ReadRunEvents {
        before_seq: Some(u64::MAX),
        limit: Some(TAIL),
        ..ReadRunEvents::of(run.clone())
    })?;
    let ended = page
        .events
        .iter()
        .find(|event| event.kind == "run_failed" || event.kind == "run_partial_success");
    Ok(ended.and_then(|event| Some(HostError::new(event.text("code")?, event.text("message")?))))
}

/// A run that is not there may lie below another data root.
pub(super) fn about(error: HostError, data: &DataRoot) -> Failure {
    let failure = Failure::from(error);
    if failure.code == "agent.not_found" && failure.hint.is_none() {
        let hint = format!(
            "Looked in {}. See `innkeeper runs list`, or name another folder with --data.",
            data.path.display()
        );
        return failure.hint(hint);
    }
    failure
}
