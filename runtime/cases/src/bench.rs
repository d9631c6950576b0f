//! Plays a case on a host's bench, where one invocation's tools are called without a run.
//!
//! Which tools those are is for the caller to say, who opens the bench.

use std::time::Duration;

use innkeeper::protocol::limits::Limits;
use innkeeper::protocol::network::HttpMethod;
use innkeeper::{BenchNetwork, BenchSetup, CannedAnswer, HostError, SkillPolicy, ToolBench};
use serde_json::Value;

use super::format::{Canned, Ceilings, Data};
use super::{Case, Ground, Printed, Stage, StageFault, play};

/// What time it is where a case does not say: noon on 1 May 2026, UTC.
const NOON_MS: u64 = 1_777_636_800_000;

/// Plays a case on the bench that `open` makes of what the case needs.
///
/// # Errors
/// Says what differs from what the case states, the set-up's own outcome included.
pub async fn play_on_bench<O>(case: &Case, open: O) -> Result<(), String>
where
    O: AsyncFnOnce(BenchSetup) -> Result<ToolBench, HostError>,
{
    let ground = Ground::of(case)?;
    match (open(setup(case, &ground)?).await, &case.setup_fails) {
        (Ok(bench), None) => play(case, &ground, &mut OnBench(bench)).await,
        (Err(error), Some(code)) if error.code == *code => Ok(()),
        (Err(error), _) => Err(format!("it cannot be set up: {} [{}]", error.message, error.code)),
        (Ok(_), Some(code)) => Err(format!("the set-up works, and should fail with {code}")),
    }
}

/// The bench as a stage.
pub struct OnBench(pub ToolBench);

impl Stage for OnBench {
    async fn call(&mut self, tool: &str, arguments: &Value) -> Result<Printed, StageFault> {
        let result = self.0.call(tool, arguments).await.map_err(|error| StageFault {
            code: error.code,
            message: error.message,
        })?;
        // What is not printed as it should be fails the case by a code that none expects.
        Printed::of(&result).map_err(|message| StageFault {
            code: "cli.output_failed".to_owned(),
            message,
        })
    }
}

/// What a case needs of a bench on its ground.
///
/// # Errors
/// Names what the case says and nothing can be made of.
pub fn setup(case: &Case, ground: &Ground) -> Result<BenchSetup, String> {
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
        now_ms: Some(case.now_ms.unwrap_or(NOON_MS)),
        network: BenchNetwork::Canned(answers(case)?),
        visible: case.visible.clone(),
        writable: case.writable.clone(),
        limits: limits(&case.limits),
        ..BenchSetup::default()
    })
}

/// What comes back in a case for requests to the network.
///
/// # Errors
/// Names a method that no tool can use.
pub fn answers(case: &Case) -> Result<Vec<CannedAnswer>, String> {
    case.http.iter().map(canned).collect()
}

fn canned(canned: &Canned) -> Result<CannedAnswer, String> {
    let method = HttpMethod::parse(&canned.method);
    Ok(CannedAnswer {
        method: method.ok_or_else(|| format!("{:?} is no method that a tool can use", canned.method))?,
        url: canned.url.clone(),
        status: canned.status,
        headers: canned.headers.clone().into_iter().collect(),
        body: canned.body.clone().into_bytes(),
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
