//! Every kind of path that somebody could try, as the argument of every tool that takes one, and straight from a hostile component:
//! each is answered as the table says, nothing of what lies outside is shown, and nothing outside is touched.

mod ground;
mod rows;
mod swap;
mod table;

use innkeeper::protocol::limits::Limits;
use innkeeper::{BenchResult, BenchSetup, Capability, ForeignComponent, HostError};
use serde_json::{Value, json};

use crate::guests::puppet::{Act, Ended, play};
use crate::guests::{component, puppet, the_host_lives};
use crate::host;
use ground::{Ground, ODD_NAMES, SECRET};
use rows::{Row, rows};
use table::{Kind, Tool, ended};

/// Rows that a tool or a guest answered otherwise, in words.
type Wrong = Vec<String>;

async fn call(setup: BenchSetup, tool: &str, arguments: &Value) -> Result<BenchResult, HostError> {
    let mut bench = host::shared().await.tool_bench(setup).await?;
    bench.call(tool, arguments).await
}

/// Calls one tool with one path. The ground is new afterwards if the call was meant to change it.
async fn try_tool(ground: &mut Ground, row: &Row, tool: Tool, wrong: &mut Wrong) {
    let place = format!("{tool:?} {:?}", row.path);
    let (name, arguments) = tool.call(&row.path);
    let before = ground.picture();
    let result = call(ground.setup(), name, &arguments).await;
    let code = judge(&place, result, tool.code(row.kind), wrong);
    ground.check_outside(&place);
    if ground.picture() != before {
        if !matches!(tool, Tool::Replace | Tool::Append) || code.is_some() {
            wrong.push(format!("{place}: has changed the workspace"));
        }
        *ground = Ground::new();
    }
}

/// Compares the code, and looks for what must not be shown; the code that came.
fn judge(
    place: &str,
    result: Result<BenchResult, HostError>,
    wanted: Option<&str>,
    wrong: &mut Wrong,
) -> Option<String> {
    let result = match result {
        Ok(result) => result,
        Err(fault) => {
            wrong.push(format!("{place}: a fault {} ({fault})", fault.code));
            return Some(fault.code);
        }
    };
    if result.error_code.as_deref() != wanted {
        wrong.push(format!(
            "{place}: {:?}, expected {wanted:?}: {:.200}",
            result.error_code, result.model_text
        ));
    }
    if result.model_text.contains(SECRET) {
        wrong.push(format!("{place}: shows what is outside"));
    }
    result.error_code
}

fn report(wrong: &Wrong, of: usize) {
    assert!(
        wrong.is_empty(),
        "{} of {of} answers are wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_tool_answers_every_path_as_the_table_says() {
    let (mut ground, mut wrong) = (Ground::new(), Wrong::new());
    let rows = rows();
    for row in &rows {
        for tool in Tool::OF_WORKSPACE {
            try_tool(&mut ground, row, tool, &mut wrong).await;
        }
    }
    report(&wrong, rows.len() * Tool::OF_WORKSPACE.len());
    the_host_lives().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn skill_tools_answer_every_path_as_the_table_says() {
    let (ground, mut wrong) = (Ground::new(), Wrong::new());
    let before = ground.picture();
    let mut bench = host::shared()
        .await
        .tool_bench(ground.setup_with_skill())
        .await
        .unwrap();
    let rows = rows();
    for row in &rows {
        for tool in Tool::OF_SKILL {
            let place = format!("{tool:?} {:?}", row.path);
            let (name, arguments) = tool.call(&row.path);
            let result = bench.call(name, &arguments).await;
            judge(&place, result, tool.code(row.in_skill), &mut wrong);
            ground.check_outside(&place);
        }
    }
    assert_eq!(ground.picture(), before);
    report(&wrong, rows.len() * Tool::OF_SKILL.len());
}

/// What a guest that has no tool's manners is told, function by function.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hostile_component_reaches_no_further_than_the_tools() {
    const ALONE: [Act; 3] = [Act::Write, Act::Append, Act::Remove];
    const TOGETHER: [Act; 5] = [Act::Resolve, Act::List, Act::Read, Act::Show, Act::Open];
    let (mut ground, mut wrong) = (Ground::new(), Wrong::new());
    let rows = rows();
    for row in &rows {
        let calls = std::iter::once(&TOGETHER[..]).chain(ALONE.chunks(1));
        for acts in calls {
            let before = ground.picture();
            let mut bench = puppet::bench(&ground.workspace(), Limits::default()).await;
            let steps: Vec<(Act, &str)> = acts.iter().map(|act| (*act, row.path.as_str())).collect();
            let (found, _) = play(&mut bench, &steps).await;
            let wanted: Vec<Ended> = acts.iter().map(|act| expected(*act, row.kind)).collect();
            if found != wanted {
                wrong.push(format!(
                    "{acts:?} {:?}: {found:?}, expected {wanted:?} of {:?}",
                    row.path, row.kind
                ));
            }
            ground.check_outside(&row.path);
            if ground.picture() != before {
                if found != [Ended::Well] {
                    wrong.push(format!("{acts:?} {:?} has changed the workspace", row.path));
                }
                ground = Ground::new();
            }
        }
    }
    report(&wrong, rows.len() * 8);
    the_host_lives().await;
}

/// A file that was shown counts as read, so that the functions after it in one call may change it.
fn expected(act: Act, kind: Kind) -> Ended {
    match (act, kind) {
        (Act::Open, Kind::File) => Ended::Well,
        _ => ended(act, kind),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn listings_and_searches_pass_over_what_no_path_can_name() {
    let ground = Ground::new();
    let listed = call(
        ground.setup(),
        "workspace.list_files",
        &json!({"path": "output", "depth": 0}),
    )
    .await
    .unwrap();
    let structured = listed.structured.unwrap();
    assert_eq!(structured["skippedEntries"], ODD_NAMES);
    let paths: Vec<&str> = structured["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["path"].as_str().unwrap())
        .collect();
    assert!(
        paths.iter().all(|path| !path.contains("to_") && !path.contains("bad")),
        "{paths:?}"
    );
    for (tool, arguments) in [
        ("workspace.search_files", json!({"query": "quicksil"})),
        ("skill.search", json!({"name": "lore", "query": "quicksil"})),
    ] {
        let found = call(ground.setup_with_skill(), tool, &arguments).await.unwrap();
        assert_eq!(found.error_code, None, "{}", found.model_text);
        assert_eq!(found.structured.unwrap()["hits"], json!([]), "{tool}");
    }
    ground.check_outside("listings and searches");
}

/// Depth is no danger of its own: what is a path can be read and listed, 300 levels down too, and a search stops at its own depth.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_very_deep_folder_is_only_a_long_path() {
    let ground = Ground::new();
    let deep = format!("output/{}f.md", "d/".repeat(300));
    ground::put(&ground.workspace().join(&deep), "deep down");
    let mut bench = host::shared().await.tool_bench(ground.setup()).await.unwrap();
    let mut code = async |tool: Tool, path: &str| {
        let (name, arguments) = tool.call(path);
        bench.call(name, &arguments).await.unwrap().error_code
    };
    for tool in [Tool::List, Tool::Search, Tool::Read, Tool::Append, Tool::Commit] {
        assert_eq!(code(tool, &deep).await, None, "{tool:?}");
        assert_eq!(code(Tool::List, "output/d").await, None);
    }
    ground.check_outside("a very deep folder");
}

/// A root may be given in any spelling that leads to it; it is looked up once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_workspace_behind_a_link_is_confined_all_the_same() {
    let ground = Ground::new();
    let spelling = ground.base().join("run-link");
    innkeeper_cases::files::link("run", &spelling).unwrap();
    let setup = || BenchSetup {
        workspace: spelling.clone(),
        ..BenchSetup::default()
    };
    let read = call(setup(), "workspace.read_file", &json!({"path": "output/real.md"}))
        .await
        .unwrap();
    assert_eq!(read.error_code, None, "{}", read.model_text);
    for path in ["output/to_secret", "../outside/secret.md"] {
        let read = call(setup(), "workspace.read_file", &json!({ "path": path }))
            .await
            .unwrap();
        assert_eq!(read.error_code.as_deref(), Some("workspace.invalid_path"));
    }
    ground.check_outside("a workspace behind a link");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_root_that_is_a_link_is_not_entered() {
    let ground = Ground::new();
    let plan = ground.workspace().join("plan");
    std::fs::remove_dir(&plan).unwrap();
    innkeeper_cases::files::link("../outside", &plan).unwrap();
    for tool in [
        Tool::List,
        Tool::Search,
        Tool::Read,
        Tool::Replace,
        Tool::Append,
        Tool::Commit,
    ] {
        for path in ["plan/secret.md", "plan/new.md"] {
            let (name, arguments) = tool.call(path);
            let result = call(ground.setup(), name, &arguments).await.unwrap();
            assert_eq!(
                result.error_code.as_deref(),
                Some("workspace.invalid_path"),
                "{tool:?} {path}"
            );
        }
    }
    let all = call(ground.setup(), "workspace.search_files", &json!({"query": SECRET}))
        .await
        .unwrap();
    assert_eq!(all.structured.unwrap()["hits"], json!([]));
    ground.check_outside("a root that is a link");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_workspace_that_was_replaced_ends_the_run() {
    let ground = Ground::new();
    let mut bench = host::shared().await.tool_bench(ground.setup()).await.unwrap();
    std::fs::rename(ground.workspace(), ground.base().join("moved")).unwrap();
    innkeeper_cases::files::Folder::workspace(&ground.workspace(), &[]).unwrap();
    for tool in [Tool::List, Tool::Read, Tool::Append] {
        let (name, arguments) = tool.call("output/new.md");
        let fault = bench.call(name, &arguments).await.err().map(|error| error.code);
        assert_eq!(fault.as_deref(), Some("workspace.root_replaced"), "{tool:?}");
    }
    ground.check_outside("a workspace that was replaced");
}

/// A root that may only be read: no function of a guest changes anything in it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_only_root_stays_as_it_is() {
    let ground = Ground::new();
    let before = ground.picture();
    let setup = BenchSetup {
        writable: Some(vec!["plan".to_owned()]),
        component: Some(ForeignComponent {
            id: "hostile".to_owned(),
            bytes: component("puppet"),
            granted: [Capability::WorkspaceRead, Capability::WorkspaceWrite].into(),
        }),
        ..ground.setup()
    };
    let mut bench = host::shared().await.tool_bench(setup).await.unwrap();
    let acts = [Act::Open, Act::Write, Act::Append, Act::Remove, Act::WriteLarge];
    for path in ["output/real.md", "output/new.md", "output/sub", "output"] {
        let steps = acts.map(|act| (act, path));
        let (found, _) = play(&mut bench, &steps).await;
        assert_eq!(found, [Ended::NotWritable; 5], "{path}");
    }
    assert_eq!(ground.picture(), before);
}
