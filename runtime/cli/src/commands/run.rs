//! `run`: one agent run over a chat.

use std::sync::Arc;

use innkeeper::gateway::spec::{ModelName, ModelOptions};
use innkeeper::protocol::model::Model;
use innkeeper::protocol::run::Presentation;
use innkeeper::{Innkeeper, ProfileChoice, StartRun};
use serde_json::json;

use super::{drive, host, profile};
use crate::args::{Approve, RunArgs};
use crate::console::{Console, note};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::read_activation;
use crate::place::DataRoot;
use crate::render::ending;

/// Starts the run and shows it until it ends.
pub(super) async fn run(args: RunArgs, data: &DataRoot, console: &mut Console) -> Result<Exit, Failure> {
    check_supported(&args)?;
    let model = model(&args)?;
    let profile = profile::find(&args.profile)?;
    let activation = args.activation.as_deref().map(read_activation).transpose()?;
    let host = host::build(Innkeeper::builder().data_root(&data.path)).await?;
    let limit = max_rounds(&profile, &host);
    let beyond = args.max_rounds.filter(|rounds| i64::from(*rounds) > limit);
    let start = StartRun {
        profile,
        skills: args.skills.clone(),
        activation,
        instruction: args.instruction,
        generation: args.generation.into(),
        speaker: args.speaker,
        presentation: args.background.then_some(Presentation::Background),
        max_rounds: args.max_rounds,
        seed: args.seed,
        ..StartRun::new(args.chat, model)
    };
    let handle = host.start_run(start).await?;
    if let (Some(rounds), false) = (beyond, console.quiet) {
        note(&rounds_note(rounds, limit));
    }
    let watched = drive::watch(&host, handle, console).await?;
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

/// The profile's own limit of rounds. One that is out of range is refused when the run starts.
fn max_rounds(profile: &ProfileChoice, host: &Innkeeper) -> i64 {
    match profile {
        ProfileChoice::BuiltIn => host.default_profile().tools.max_rounds,
        ProfileChoice::Given(profile) => profile.tools.max_rounds,
    }
}

fn rounds_note(asked: u32, limit: i64) -> String {
    format!("note: --max-rounds {asked} is more than the profile allows; the run has at most {limit} rounds")
}

/// Flags that ask for what is not there are refused before anything starts.
fn check_supported(args: &RunArgs) -> Result<(), Failure> {
    if args.stream {
        return Err(Failure::usage(
            "model.stream_unsupported",
            "no model of this version can stream its answer",
        )
        .hint("Leave out --stream."));
    }
    match args.approve {
        // Nothing can ask yet, and a call that nobody can be asked about is denied.
        Approve::Ask | Approve::Never => Ok(()),
        Approve::Always => Err(
            Failure::unsupported("calls cannot be approved in advance in this version")
                .hint("Leave out --approve always."),
        ),
    }
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
