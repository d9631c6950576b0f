//! Runs the conformance cases: `cases/<tool>/*.toml`, each a call or a short script in one invocation, through the real sandbox with
//! the committed components.
//!
//! What a case may say stands in `cases/README.md`; how it is read and judged in `innkeeper-testkit`, because the command line is
//! judged by the same cases.

use std::path::{Path, PathBuf};
use std::time::Duration;

use innkeeper::protocol::limits::Limits;
use innkeeper::{BenchSetup, SkillPolicy, ToolBench};
use innkeeper_testkit::cases::format::{Ceilings, Data};
use innkeeper_testkit::cases::{Case, Ground, Printed, Stage, StageFault, files_in, play, read};
use serde_json::Value;

use crate::host;

/// One test for each tool's folder, and a list of the folders for the test that none is forgotten.
macro_rules! tools {
    ($($test:ident = $folder:literal),* $(,)?) => {
        const FOLDERS: &[&str] = &[$($folder),*];
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() {
                run_folder($folder).await;
            }
        )*
    };
}

tools! {
    chat_read_messages = "chat.read_messages",
    chat_search = "chat.search",
    dice_roll = "dice.roll",
    skill_list = "skill.list",
    skill_read = "skill.read",
    skill_search = "skill.search",
    workspace_apply_patch = "workspace.apply_patch",
    workspace_commit = "workspace.commit",
    workspace_finish = "workspace.finish",
    workspace_list_files = "workspace.list_files",
    workspace_read_file = "workspace.read_file",
    workspace_search_files = "workspace.search_files",
    workspace_write_file = "workspace.write_file",
    worldinfo_read_activated = "worldinfo.read_activated",
}

#[test]
fn every_folder_of_cases_has_a_test() {
    let mut found: Vec<String> = std::fs::read_dir(root())
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_type().unwrap().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    found.sort();
    assert_eq!(found, FOLDERS);
}

#[tokio::test]
async fn every_built_in_tool_has_cases() {
    let catalogue = host::shared().await.tools();
    let mut tools: Vec<&str> = catalogue
        .tools()
        .iter()
        .map(|tool| tool.spec.native_name.as_str())
        .collect();
    tools.sort_unstable();
    assert_eq!(tools, FOLDERS);
}

fn root() -> PathBuf {
    host::package().join("cases")
}

async fn run_folder(folder: &str) {
    let mut failures = Vec::new();
    let files = files_in(&root().join(folder)).unwrap();
    assert!(!files.is_empty(), "{folder} has no cases");
    for file in &files {
        if let Err(why) = run_file(file).await {
            failures.push(format!("{folder}/{}: {why}", file.file_name().unwrap().display()));
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {} cases fail\n\n{}",
        failures.len(),
        files.len(),
        failures.join("\n\n")
    );
}

/// Every case, with its file.
pub fn all() -> Vec<(PathBuf, Case)> {
    let files = FOLDERS
        .iter()
        .flat_map(|folder| files_in(&root().join(folder)).unwrap());
    let parsed = files.map(|file| {
        let case = read(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        (file, case)
    });
    parsed.collect()
}

async fn run_file(file: &Path) -> Result<(), String> {
    run_case(&read(file)?).await
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

async fn run_case(case: &Case) -> Result<(), String> {
    let ground = Ground::of(case)?;
    let bench = host::shared().await.tool_bench(setup(case, &ground)?).await;
    match (bench, &case.setup_fails) {
        (Ok(bench), None) => run_calls(case, bench, &ground).await,
        (Err(error), Some(code)) if error.code == *code => Ok(()),
        (Err(error), wanted) => Err(format!(
            "set-up failed with {} ({error}), expected {wanted:?}",
            error.code
        )),
        (Ok(_), Some(code)) => Err(format!("set-up worked, expected it to fail with {code}")),
    }
}

async fn run_calls(case: &Case, bench: ToolBench, ground: &Ground) -> Result<(), String> {
    play(case, ground, &mut OnBench(bench)).await
}

/// The bench as a stage.
struct OnBench(ToolBench);

impl Stage for OnBench {
    async fn call(&mut self, tool: &str, arguments: &Value) -> Result<Printed, StageFault> {
        let result = self.0.call(tool, arguments).await.map_err(|error| StageFault {
            code: error.code,
            message: error.message,
        })?;
        // What is not printed as it should be fails the case by a code that none expects.
        Printed::of(&result).map_err(|message| StageFault {
            code: "test.not_printed".to_owned(),
            message,
        })
    }
}
