//! A folder with very many files: listing and searching it stay within their limits and say what they left out.
//!
//! `INNKEEPER_SWAP_ROUNDS`, which makes other long loops longer, also makes the folder larger.

use innkeeper::{BenchResult, BenchSetup};
use innkeeper_cases::files::Folder;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::host;

/// Files in the folder, and how many where more is asked for.
const FILES: [usize; 2] = [20_000, 100_000];
/// Entries that a listing shows.
const LISTED: usize = 200;
/// Files that a search looks into.
const SEARCHED: usize = 1_000;

fn crowd() -> TempDir {
    let scratch = TempDir::new().unwrap();
    Folder::workspace(scratch.path(), &[]).unwrap();
    let [few, many] = FILES;
    let files = if std::env::var_os("INNKEEPER_SWAP_ROUNDS").is_some() {
        many
    } else {
        few
    };
    // Made from the last to the first, so that the order of the disk is not the order of names.
    for number in (0..files).rev() {
        let text = if number == 7 { "a lantern" } else { "dark" };
        std::fs::write(scratch.path().join(format!("plan/f{number:06}.md")), text).unwrap();
    }
    std::fs::write(scratch.path().join("output/main.md"), "a lantern").unwrap();
    scratch
}

async fn call(workspace: &TempDir, tool: &str, arguments: Value) -> BenchResult {
    let setup = BenchSetup {
        workspace: workspace.path().to_path_buf(),
        ..BenchSetup::default()
    };
    let mut bench = host::shared().await.tool_bench(setup).await.unwrap();
    let result = bench.call(tool, &arguments).await.unwrap();
    assert_eq!(result.error_code, None, "{tool} {arguments}: {}", result.model_text);
    result
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_with_very_many_files_is_listed_and_searched_in_part() {
    let workspace = crowd();
    for arguments in [json!({"path": "plan"}), json!({"path": "plan", "depth": 4})] {
        let listed = call(&workspace, "workspace.list_files", arguments).await;
        assert_eq!(listed.resource_refs.len(), LISTED);
        assert_eq!(
            (listed.resource_refs.first(), listed.resource_refs.last()),
            (Some(&"plan/f000000.md".to_owned()), Some(&"plan/f000199.md".to_owned()))
        );
        assert_eq!(listed.structured.unwrap()["truncated"], true);
        assert!(
            listed.model_text.contains("only the first 200 entries"),
            "{}",
            listed.model_text
        );
    }
    let all = call(&workspace, "workspace.list_files", json!({})).await;
    assert_eq!(all.structured.unwrap()["truncated"], true);
    assert!(all.resource_refs.contains(&"output/main.md".to_owned()));
    let read = call(&workspace, "workspace.read_file", json!({"path": "plan/f019999.md"})).await;
    assert!(read.model_text.contains("dark"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_says_that_it_has_not_seen_all() {
    let workspace = crowd();
    let found = call(&workspace, "workspace.search_files", json!({"query": "lantern"})).await;
    assert_eq!(
        found.resource_refs,
        ["workspace:output/main.md#L1-L1", "workspace:plan/f000007.md#L1-L1"]
    );
    let structured = found.structured.unwrap();
    assert_eq!(
        (&structured["searchedFiles"], &structured["truncated"]),
        (&json!(SEARCHED), &json!(true))
    );
    let none = call(
        &workspace,
        "workspace.search_files",
        json!({"query": "harbor", "path": "plan"}),
    )
    .await;
    assert_eq!(none.structured.unwrap()["truncated"], true);
    for text in [found.model_text, none.model_text] {
        assert!(text.contains("not all files were searched"), "{text}");
    }
}
