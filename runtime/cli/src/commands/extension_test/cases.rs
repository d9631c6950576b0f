//! A package's cases, each in a workspace of its own.
//!
//! How a case is written, set up and judged is not decided here: it is the format of the built-in tools' own cases.

use std::path::{Path, PathBuf};

use innkeeper::{CannedAnswer, Innkeeper, LoadedPackage, TrialSample};
use innkeeper_cases::{Case, Expected, answers, files_in, play_on_bench, read};

use super::super::host::is_named;
use crate::failure::Failure;
use crate::render::CaseOutcome;

/// A case that was played.
pub(super) struct Played {
    pub(super) outcome: CaseOutcome,
    /// Calls in it that have to work.
    pub(super) samples: Vec<TrialSample>,
    /// What comes back in it for requests to the network.
    pub(super) answers: Vec<CannedAnswer>,
}

/// Plays every case in the folder; none where there is no folder.
pub(super) async fn play_all(folder: &Path, host: &Innkeeper, package: &LoadedPackage) -> Result<Vec<Played>, Failure> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let files = files_in(folder).map_err(|why| {
        Failure::usage("cli.file_unreadable", format!("the cases cannot be read: {why}"))
            .hint("Check the folder and its permissions.")
    })?;
    let mut played = Vec::new();
    for file in files
        .into_iter()
        .filter(|file| file.extension().is_some_and(|end| end == "toml"))
    {
        played.push(play_file(file, host, package).await);
    }
    Ok(played)
}

async fn play_file(file: PathBuf, host: &Innkeeper, package: &LoadedPackage) -> Played {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let outcome = |title: String, why: Option<String>| CaseOutcome {
        file: name.clone(),
        title,
        passed: why.is_none(),
        why,
    };
    match read(&file) {
        Err(why) => Played {
            outcome: outcome(String::new(), Some(why)),
            samples: Vec::new(),
            answers: Vec::new(),
        },
        Ok(case) => {
            let played = play_on_bench(&case, async |setup| host.trial_bench(package, setup).await).await;
            Played {
                outcome: outcome(case.title.clone(), played.err()),
                samples: samples(&case, package),
                // A case whose answers cannot be used has failed above.
                answers: answers(&case).unwrap_or_default(),
            }
        }
    }
}

/// Calls that work without a chat, files or skills of the case's own being there may not; they are only tried.
fn samples(case: &Case, package: &LoadedPackage) -> Vec<TrialSample> {
    let works = case.call.iter().filter(|call| call.expected() == Expected::Success);
    works
        .filter_map(|call| {
            let tool = package.tools().iter().find(|tool| is_named(&tool.spec, &call.tool))?;
            Some(TrialSample {
                tool: tool.spec.native_name.to_string(),
                arguments: call.arguments.json().ok()?,
            })
        })
        .collect()
}
