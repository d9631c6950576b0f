//! Runs the conformance cases: `cases/<tool>/*.toml`, each a call or a short script in one invocation, through the real sandbox with
//! the committed components.
//!
//! What a case may say stands in `cases/README.md`; how it is read, set up and judged in `innkeeper-cases`, because the command
//! line and the cases of extensions are judged by the same rules.

use std::path::{Path, PathBuf};

use innkeeper_cases::{Case, files_in, play_on_bench, read};

use crate::host;

/// A test of the name for each tool's folder; and a list of the folders, for the test that none is forgotten.
macro_rules! each_tool {
    ($run:path) => {
        $crate::cases::each_tool! { $run;
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
    };
    ($run:path; $($test:ident = $folder:literal),* $(,)?) => {
        const FOLDERS: &[&str] = &[$($folder),*];
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() {
                $run($folder).await;
            }
        )*
    };
}
pub(crate) use each_tool;

each_tool!(run_folder);

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
    let host = host::shared().await;
    play_on_bench(&read(file)?, async |setup| host.tool_bench(setup).await).await
}
