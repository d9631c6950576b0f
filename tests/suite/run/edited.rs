//! Files of our own that somebody has edited by hand so that a path in them leads outside: they are refused as damaged, and nothing
//! outside is read or written.
//!
//! What each reader says of each field is for the store's own tests; here is what a run and a person who lists runs get to see.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use innkeeper::ListQuery;
use innkeeper::protocol::run::RunStatus;
use serde_json::{Value, json};

use super::stage::{Outcome, Stage};
use crate::host;

/// What lies where the edited paths lead.
const SECRET: &str = "quicksilver";

fn turn() -> Value {
    json!({"calls": [
        {"name": "workspace_write_file", "arguments": {"path": "persist/a.md", "content": SECRET.to_uppercase()}},
        {"name": "workspace_write_file", "arguments": {"path": "output/main.md", "content": "We climb."}},
        {"name": "workspace_commit", "arguments": {}},
        {"name": "workspace_finish", "arguments": {}},
    ]})
}

/// A run that is over and has kept a state, and a secret beside the state and beside all runs.
async fn finished() -> (Stage, Outcome) {
    let stage = Stage::new().await;
    let outcome = stage.play(json!([turn()])).await;
    assert_eq!(outcome.report.status, RunStatus::Completed);
    for folder in [state(&outcome), state(&outcome).parent().unwrap().to_owned()] {
        std::fs::write(folder.with_file_name("x"), SECRET).unwrap();
    }
    (stage, outcome)
}

/// The folder of the state that the run kept.
fn state(outcome: &Outcome) -> PathBuf {
    let chat = outcome.report.folder.parent().and_then(Path::parent).unwrap();
    chat.join("persistent-states").join(outcome.report.run_id.as_str())
}

fn edit(file: &Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(file).unwrap();
    assert!(text.contains(from), "{} does not hold {from}", file.display());
    std::fs::write(file, text.replace(from, to)).unwrap();
}

/// Every file below, with its text.
fn files(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.insert(
                path.clone(),
                String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned(),
            );
        }
    }
    found
}

/// What has changed or come between two looks, and what is gone.
fn changed(before: &BTreeMap<PathBuf, String>, after: &BTreeMap<PathBuf, String>) -> Vec<PathBuf> {
    let all = before.keys().chain(after.keys());
    let mut paths: Vec<PathBuf> = all
        .filter(|path| before.get(*path) != after.get(*path))
        .cloned()
        .collect();
    paths.dedup();
    paths
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kept_state_with_an_edited_path_is_refused_by_the_next_run() {
    for path in ["../x", "persist/../../x", "/x", "persist/../x", "output/main.md"] {
        let (stage, first) = finished().await;
        let manifest = state(&first).join("manifest.json");
        edit(&manifest, "\"persist/a.md\"", &json!(path).to_string());
        let (before, chat) = (files(&stage.data_root()), stage.chat_text());
        let next = stage.play(json!([turn()])).await;
        assert_eq!(
            (next.report.status, next.code()),
            (RunStatus::Failed, Some("agent.persistent_state_invalid")),
            "{path}"
        );
        assert_eq!(stage.chat_text(), chat, "{path}");
        let mut after = files(&stage.data_root());
        after.retain(|path, _| !path.to_string_lossy().contains(next.report.run_id.as_str()));
        assert_eq!(changed(&before, &after), Vec::<PathBuf>::new(), "{path}");
        assert!(files(&next.report.folder).values().all(|text| text != SECRET), "{path}");
    }
}

/// The journal is the truth: what else is kept of a run may be damaged and hides neither it nor other runs.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn records_with_an_edited_path_lead_nowhere_and_hide_no_run() {
    const CACHES: [&str; 2] = ["run.json", "index"];
    let edits = [
        ("run.json", "\"workspaceId\": \"", "\"workspaceId\": \"../../"),
        ("run.json", "\"id\": \"", "\"id\": \"../"),
        ("manifest.json", "\"output", "\"../x"),
        ("manifest.json", "\"input/", "\"../input/"),
        ("invocations/inv_root.json", "inv_root", "../x"),
        ("checkpoints/cp_000001/checkpoint.json", "\"persist/a.md\"", "\"../x\""),
    ];
    for (file, from, to) in edits {
        let (stage, first) = finished().await;
        edit(&first.report.folder.join(file), from, to);
        if file == "run.json" {
            let workspaces = first.report.folder.ancestors().nth(4).unwrap();
            let copy = format!("index/runs/{}.json", first.report.run_id);
            edit(&workspaces.join(copy), from, to);
        }
        let before = files(&stage.data_root());
        let host = host::builder().data_root(stage.data_root()).build().await.unwrap();
        let page = host.runs().unwrap().list_agent_runs(&ListQuery::default()).unwrap();
        let listed: Vec<_> = page.runs.iter().map(|run| (&run.run_id, run.status)).collect();
        assert_eq!(listed, [(&first.report.run_id, RunStatus::Completed)], "{file} {to}");
        let is_cache = |path: &PathBuf| CACHES.iter().any(|name| path.iter().any(|part| part == *name));
        let mut touched = changed(&before, &files(&stage.data_root()));
        touched.retain(|path| !is_cache(path));
        assert_eq!(touched, Vec::<PathBuf>::new(), "{file} {to}");
    }
}
