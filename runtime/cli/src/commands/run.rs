//! `run`: one agent run over a chat.

use std::io::{self, IsTerminal as _};
use std::sync::Arc;

use innkeeper::gateway::spec::{ModelName, ModelOptions};
use innkeeper::protocol::approval::ApprovalMode;
use innkeeper::protocol::model::Model;
use innkeeper::protocol::run::Presentation;
use innkeeper::{Innkeeper, ProfileChoice, PromptInputs, StartRun, parse_extension_id, read_book, read_card};
use serde_json::json;

use super::{drive, host, profile};
use crate::args::{Approve, RunArgs};
use crate::console::{Console, note};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::{read_activation, read_snapshot};
use crate::place::DataRoot;
use crate::render::ending;

/// Starts the run and shows it until it ends.
pub(super) async fn run(args: RunArgs, data: &DataRoot, console: &mut Console) -> Result<Exit, Failure> {
    let model = model(&args)?;
    let profile = args
        .profile
        .as_deref()
        .map_or(Ok(ProfileChoice::BuiltIn), profile::find)?;
    let activation = args.activation.as_deref().map(read_activation).transpose()?;
    let prompt = prompt(&args)?;
    let with = args
        .with
        .iter()
        .map(|id| parse_extension_id(id))
        .collect::<Result<_, _>>()?;
    let host = host::build(Innkeeper::builder().data_root(&data.path)).await?;
    let limit = host.chosen_profile(&profile, &data.path)?.profile.tools.max_rounds;
    let beyond = args.max_rounds.filter(|rounds| i64::from(*rounds) > limit);
    let start = StartRun {
        profile,
        skills: args.skills.clone(),
        prompt,
        activation,
        instruction: args.instruction,
        generation: args.generation.into(),
        speaker: args.speaker,
        presentation: args.background.then_some(Presentation::Background),
        max_rounds: args.max_rounds,
        seed: args.seed,
        approvals: approvals(args.approve),
        with,
        stream: stream(args.stream, args.no_stream),
        ..StartRun::new(args.chat, model)
    };
    let handle = host.start_run(start).await?;
    if let (Some(rounds), false) = (beyond, console.quiet) {
        note(&rounds_note(rounds, limit));
    }
    let is_attended = approvals(args.approve) == ApprovalMode::Ask;
    let watched = drive::watch(&host, handle, is_attended, console).await?;
    let report = &watched.report;
    if console.json {
        console.json_line(&json!({ "run": drive::report_json(report) }))?;
    } else {
        let more = format!("innkeeper runs show {}{}", report.run_id, data.as_flag());
        let columns = console.wrap_columns();
        console.line(&ending(report, &watched.facts, Some(&more), console.paint, columns))?;
    }
    Ok(drive::exit_of(report))
}

fn rounds_note(asked: u32, limit: i64) -> String {
    format!("note: --max-rounds {asked} is more than the profile allows; the run has at most {limit} rounds")
}

/// Whether answers come piece by piece; the profile's word where neither flag is given.
fn stream(stream: bool, no_stream: bool) -> Option<bool> {
    (stream || no_stream).then_some(stream)
}

/// Who is asked about calls that need an approval. Asking needs a terminal; without one nobody is there.
pub(super) fn approvals(approve: Approve) -> ApprovalMode {
    let is_attended = io::stdin().is_terminal() && io::stderr().is_terminal();
    match approve {
        Approve::Ask if is_attended => ApprovalMode::Ask,
        Approve::Ask | Approve::Never => ApprovalMode::Never,
        Approve::Always => ApprovalMode::Always,
    }
}

/// What the person gives for the prompt, read before anything starts.
fn prompt(args: &RunArgs) -> Result<PromptInputs, Failure> {
    let books: Result<_, _> = args.worldinfo.iter().map(|path| read_book(path)).collect();
    Ok(PromptInputs {
        card: args.card.as_deref().map(read_card).transpose()?,
        books: books?,
        snapshot: args.snapshot.as_deref().map(read_snapshot).transpose()?,
        ..PromptInputs::default()
    })
}

fn model(args: &RunArgs) -> Result<Arc<dyn Model>, Failure> {
    let name: ModelName = args.model.parse()?;
    let options = ModelOptions {
        base_url: args.base_url.clone(),
        api_key: name.api_key()?,
        ..ModelOptions::default()
    };
    Ok(Arc::from(name.open(options)?))
}
