//! `extension test`: a package's own cases, then a trial of its tools on what no case says, and a report that its author can act on.
//!
//! Nothing is installed. With `--seal` the digest of a component that passed is written into `extension.toml`, and nothing else is.

mod cases;

use std::path::Path;

use innkeeper::{BenchNetwork, LoadedPackage, TrialPackage, TrialReport, TrialSetup};
use serde::Serialize;

use super::component::refused;
use super::host;
use crate::args::TestArgs;
use crate::console::Console;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt::Interrupts;
use crate::place::DataRoot;
use crate::render::{CaseOutcome, TestOutcome, test_text};

/// Tries a package.
pub(super) async fn run(args: &TestArgs, data: Option<&DataRoot>, console: &mut Console) -> Result<Exit, Failure> {
    let mut interrupts = Interrupts::listen();
    let outcome = tokio::select! {
        outcome = outcome(args, data, console) => outcome?,
        () = interrupts.next() => return Err(Failure::cancelled("the trial")),
    };
    if console.json {
        console.json_value(&json(&outcome))?;
    } else {
        console.line(&test_text(&outcome, console.paint, console.wrap_columns()))?;
    }
    Ok(if outcome.passed() { Exit::Done } else { Exit::Failed })
}

async fn outcome(args: &TestArgs, data: Option<&DataRoot>, console: &mut Console) -> Result<TestOutcome, Failure> {
    let unusable = |error| {
        let failure = refused(error);
        let message = format!("{} cannot be tried: {}", args.dir.display(), failure.message);
        Failure { message, ..failure }
    };
    let package = TrialPackage::read(&args.dir).map_err(unusable)?;
    console.status("loading the component");
    let host = host::tools_only(data).await?;
    let loaded = host.load_trial(&package).await.map_err(unusable)?;
    console.status("playing the cases");
    let played = cases::play_all(&args.dir.join("cases"), &host, &loaded).await?;
    console.status("trying the tools");
    let trial = trial(args, &host, &loaded, &played).await?;
    let mut outcome = TestOutcome {
        dir: args.dir.clone(),
        is_sealed: package.is_sealed(),
        has_sealed: false,
        package,
        cases: played.into_iter().map(|case| case.outcome).collect(),
        trial,
    };
    if args.seal && !outcome.is_sealed && outcome.behaves() {
        seal(&args.dir, &outcome.package)?;
        (outcome.is_sealed, outcome.has_sealed) = (true, true);
    }
    Ok(outcome)
}

async fn trial(
    args: &TestArgs,
    host: &innkeeper::Innkeeper,
    loaded: &LoadedPackage,
    played: &[cases::Played],
) -> Result<TrialReport, Failure> {
    let scratch = tempfile::Builder::new()
        .prefix("innkeeper-trial-")
        .tempdir()
        .map_err(|error| {
            Failure::machine(
                "cli.no_temporary_folder",
                format!("no temporary folder could be made: {error}"),
            )
        })?;
    let setup = TrialSetup {
        scratch: scratch.path().to_owned(),
        samples: played.iter().flat_map(|case| case.samples.clone()).collect(),
        network: BenchNetwork::Canned(played.iter().flat_map(|case| case.answers.clone()).collect()),
        seed: args.seed,
        rounds: args.rounds,
    };
    Ok(host.try_extension(loaded, setup).await?)
}

/// Puts the digest of the component into the manifest, whole or not at all.
fn seal(folder: &Path, package: &TrialPackage) -> Result<(), Failure> {
    let path = folder.join("extension.toml");
    let failed = |error: std::io::Error| {
        Failure::machine(
            "cli.output_failed",
            format!("{} cannot be written: {error}", path.display()),
        )
        .hint("Check its permissions and free space.")
    };
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    std::io::Write::write_all(&mut file, package.sealed_manifest().as_bytes()).map_err(failed)?;
    // A temporary file is its owner's alone; the manifest is for everybody who may read the package.
    let permissions = std::fs::metadata(&path).map_err(failed)?.permissions();
    file.as_file().set_permissions(permissions).map_err(failed)?;
    file.persist(&path).map_err(|error| failed(error.error))?;
    Ok(())
}

#[derive(Serialize)]
struct Json<'a> {
    package: JsonPackage<'a>,
    passed: bool,
    cases: &'a [CaseOutcome],
    trial: &'a TrialReport,
}

#[derive(Serialize)]
struct JsonPackage<'a> {
    id: &'a str,
    version: String,
    component: &'a str,
    sha256: &'a str,
    sealed: bool,
}

fn json(outcome: &TestOutcome) -> Json<'_> {
    let manifest = &outcome.package.manifest;
    Json {
        package: JsonPackage {
            id: manifest.id.as_str(),
            version: manifest.version.to_string(),
            component: manifest.component.as_str(),
            sha256: outcome.package.sha256.as_str(),
            sealed: outcome.is_sealed,
        },
        passed: outcome.passed(),
        cases: &outcome.cases,
        trial: &outcome.trial,
    }
}
