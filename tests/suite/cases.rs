//! Runs the conformance cases: `cases/<tool>/*.toml`, each a call or a short script in one invocation, through the real sandbox with
//! the committed components.
//!
//! What a case may say stands in `cases/README.md`. What holds for every call stands in `judge`, so that no case has to repeat it.

pub mod files;
pub mod format;
mod judge;
mod printed;

use std::path::{Path, PathBuf};

use innkeeper::{BenchSetup, ToolBench};
use tempfile::TempDir;

use crate::host;
use files::{Folder, Picture};
use format::{Call, Case, Expected};
use printed::Printed;

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
    let host = host::shared().await;
    let mut tools: Vec<&str> = host
        .tools()
        .tools()
        .iter()
        .map(|tool| tool.spec.native_name.as_str())
        .collect();
    tools.sort_unstable();
    assert_eq!(tools, FOLDERS);
}

#[test]
fn a_case_with_an_unknown_key_is_refused() {
    let text = "title = 't'\nrule = 'r'\n[[call]]\ntool = 'dice.roll'\ntxt_contains = ['1']\n";
    let error = toml::from_str::<Case>(text).unwrap_err().to_string();
    assert!(error.contains("txt_contains"), "{error}");
}

fn root() -> PathBuf {
    host::package().join("cases")
}

async fn run_folder(folder: &str) {
    let mut failures = Vec::new();
    let files = case_files(&root().join(folder));
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
    let files = FOLDERS.iter().flat_map(|folder| case_files(&root().join(folder)));
    let parsed = files.map(|file| {
        let text = std::fs::read_to_string(&file).unwrap();
        let case = toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        (file, case)
    });
    parsed.collect()
}

fn case_files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
}

async fn run_file(file: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|e| e.to_string())?;
    let case: Case = toml::from_str(&text).map_err(|e| format!("is no case: {e}"))?;
    case.check()?;
    run_case(&case).await
}

/// What a case plays on.
struct Ground {
    workspace: Folder,
    skills: Option<Folder>,
    /// Removed at the end.
    scratch: TempDir,
}

impl Ground {
    fn of(case: &Case) -> Result<Self, String> {
        let scratch = TempDir::new().map_err(|e| e.to_string())?;
        let workspace = Folder::workspace(&scratch.path().join("run"), &case.file)?;
        let skills = match &case.skill[..] {
            [] => None,
            places => Some(Folder::with(&scratch.path().join("skills"), places)?),
        };
        Ok(Self {
            workspace,
            skills,
            scratch,
        })
    }

    fn setup(&self, case: &Case) -> Result<BenchSetup, String> {
        let chat = case.chat_lines();
        let chat = chat.map(|text| files::chat(self.scratch.path(), &text)).transpose()?;
        Ok(BenchSetup {
            workspace: self.workspace.path().to_path_buf(),
            chat,
            boundary: case.boundary,
            activation: case.activation.as_ref().map(format::Data::json).transpose()?,
            skills: self.skills.as_ref().map(|skills| skills.path().to_path_buf()),
            seed: Some(case.seed.unwrap_or(1)),
            visible: case.visible.clone(),
            writable: case.writable.clone(),
            limits: case.limits.limits(),
            ..BenchSetup::default()
        })
    }

    /// Does what the case says that others do before a call.
    fn change(&self, call: &Call) -> Result<(), String> {
        self.workspace.change(&call.file)?;
        match &self.skills {
            Some(skills) => skills.change(&call.skill),
            None => Ok(()),
        }
    }

    fn skills(&self) -> Result<Picture, String> {
        self.skills.as_ref().map_or(Ok(Picture::new()), Folder::picture)
    }
}

async fn run_case(case: &Case) -> Result<(), String> {
    let ground = Ground::of(case)?;
    let bench = host::shared().await.tool_bench(ground.setup(case)?).await;
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

async fn run_calls(case: &Case, mut bench: ToolBench, ground: &Ground) -> Result<(), String> {
    for (index, call) in case.call.iter().enumerate() {
        let place = |why: String| format!("call {} ({}): {why}", index + 1, call.tool);
        run_call(call, &mut bench, ground).await.map_err(place)?;
    }
    ground.workspace.compare(&case.after)
}

async fn run_call(call: &Call, bench: &mut ToolBench, ground: &Ground) -> Result<(), String> {
    ground.change(call)?;
    let (before, skills) = (ground.workspace.picture()?, ground.skills()?);
    let result = bench.call(&call.tool, &call.arguments.json()?).await;
    let after = ground.workspace.picture()?;
    if ground.skills()? != skills {
        return Err("a call has changed the skills".into());
    }
    match (result, call.expected()) {
        (Ok(result), Expected::Success) => judge::success(call, &Printed::of(&result)?),
        (Ok(result), Expected::Error(code)) => judge::error(call, code, &Printed::of(&result)?, &before, &after),
        (Err(error), Expected::Fault(code)) if error.code == code => Ok(()),
        (Err(error), expected) => Err(format!("a fault {} ({error}), expected {expected:?}", error.code)),
        (Ok(result), expected) => Err(format!("{:?}, expected {expected:?}", result.error_code)),
    }
}
