//! A package's cases, each in a workspace of its own.
//!
//! How a case is written, set up and judged is not decided here: it is the format of the built-in tools' own cases.

use std::path::{Path, PathBuf};
use std::time::Duration;

use innkeeper::protocol::limits::Limits;
use innkeeper::{BenchSetup, Innkeeper, LoadedPackage, SkillPolicy, ToolBench, TrialSample};
use innkeeper_testkit::cases::format::{Ceilings, Data};
use innkeeper_testkit::cases::{Case, Expected, Ground, Printed, Stage, StageFault, files_in, play, read};
use serde_json::Value;

use crate::failure::Failure;
use crate::render::CaseOutcome;

/// A case that was played.
pub(super) struct Played {
    pub(super) outcome: CaseOutcome,
    /// Calls in it that have to work.
    pub(super) samples: Vec<TrialSample>,
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
        },
        Ok(case) => Played {
            outcome: outcome(case.title.clone(), play_case(&case, host, package).await.err()),
            samples: samples(&case, package),
        },
    }
}

/// Calls that work without a chat, files or skills of the case's own being there may not; they are only tried.
fn samples(case: &Case, package: &LoadedPackage) -> Vec<TrialSample> {
    let works = case.call.iter().filter(|call| call.expected() == Expected::Success);
    works
        .filter_map(|call| {
            let tool = package.tools().iter().find(|tool| {
                let native = tool.spec.native_name.as_str();
                [tool.spec.id.as_str(), native].contains(&call.tool.as_str()) || native.replace('.', "_") == call.tool
            })?;
            Some(TrialSample {
                tool: tool.spec.native_name.to_string(),
                arguments: call.arguments.json().ok()?,
            })
        })
        .collect()
}

async fn play_case(case: &Case, host: &Innkeeper, package: &LoadedPackage) -> Result<(), String> {
    let ground = Ground::of(case)?;
    let bench = host.trial_bench(package, setup(case, &ground)?).await;
    match (bench, &case.setup_fails) {
        (Ok(bench), None) => play(case, &ground, &mut OnBench(bench)).await,
        (Err(error), Some(code)) if error.code == *code => Ok(()),
        (Err(error), _) => Err(format!("it cannot be set up: {} [{}]", error.message, error.code)),
        (Ok(_), Some(code)) => Err(format!("the set-up works, and should fail with {code}")),
    }
}

/// The bench as a stage.
struct OnBench(ToolBench);

impl Stage for OnBench {
    async fn call(&mut self, tool: &str, arguments: &Value) -> Result<Printed, StageFault> {
        let result = self.0.call(tool, arguments).await.map_err(|error| StageFault {
            code: error.code,
            message: error.message,
        })?;
        Printed::of(&result).map_err(|message| StageFault {
            code: "cli.output_failed".to_owned(),
            message,
        })
    }
}

fn setup(case: &Case, ground: &Ground) -> Result<BenchSetup, String> {
    Ok(BenchSetup {
        workspace: ground.workspace.path().to_path_buf(),
        chat: ground.chat.clone(),
        boundary: case.boundary,
        activation: case.activation.as_ref().map(Data::json).transpose()?,
        skills: ground.skills.as_ref().map(|skills| skills.path().to_path_buf()),
        skill_policy: case.skills.as_ref().map(|policy| SkillPolicy {
            visible: policy.visible.clone(),
            deny: policy.deny.clone(),
            max_chars_per_call: policy.per_call,
            max_chars_per_run: policy.per_run,
        }),
        seed: Some(case.seed.unwrap_or(1)),
        visible: case.visible.clone(),
        writable: case.writable.clone(),
        limits: limits(&case.limits),
        ..BenchSetup::default()
    })
}

/// The host's own ceilings with those of the case in their place.
fn limits(asked: &Ceilings) -> Limits {
    let own = Limits::default();
    Limits {
        wall: asked.wall_ms.map_or(own.wall, Duration::from_millis),
        host_calls: asked.host_calls.unwrap_or(own.host_calls),
        output_bytes: asked.output_bytes.unwrap_or(own.output_bytes),
        write_files: asked.write_files.unwrap_or(own.write_files),
        write_bytes: asked.write_bytes.unwrap_or(own.write_bytes),
        ..own
    }
}
