//! Several staged writes in one call: all of them are applied, or none.

use std::collections::BTreeMap;

use innkeeper::protocol::limits::Limits;
use innkeeper::{BenchSetup, Capability, ForeignComponent};
use tempfile::TempDir;

use super::puppet::{Act, Ended, bench, play, script};
use super::{SHORT, component, the_host_lives};
use crate::host;
use innkeeper_cases::files::{Folder, Thing};

const A: (Act, &str) = (Act::Write, "output/a.md");
const B: (Act, &str) = (Act::Append, "plan/new/b.md");

fn workspace() -> (TempDir, Folder) {
    let scratch = TempDir::new().unwrap();
    let folder = Folder::workspace(&scratch.path().join("run"), &[]).unwrap();
    (scratch, folder)
}

/// The files of a workspace, by path.
fn files(folder: &Folder) -> BTreeMap<String, Vec<u8>> {
    let things = folder.picture().unwrap().into_iter();
    things
        .filter_map(|(path, thing)| match thing {
            Thing::File(bytes) => Some((path, bytes)),
            _ => None,
        })
        .collect()
}

fn written(paths: &[&str]) -> BTreeMap<String, Vec<u8>> {
    let file = |path: &&str| ((*path).to_owned(), b"written by a puppet".to_vec());
    paths.iter().map(file).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_writes_of_a_good_call_are_applied() {
    let (_scratch, folder) = workspace();
    let mut bench = bench(folder.path(), Limits::default()).await;
    let (ended, result) = play(&mut bench, &[A, B, (Act::Read, "output/a.md")]).await;
    assert_eq!(ended, [Ended::Well; 3], "a call sees what it has staged");
    assert_eq!(result.effects.len(), 2);
    assert_eq!(files(&folder), written(&["output/a.md", "plan/new/b.md"]));
}

/// Ends that take everything back: the third write is refused and the guest fails, traps, or never ends.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_does_not_end_well_writes_nothing() {
    let refused = (Act::Write, "../c.md");
    let short = Limits {
        wall: SHORT,
        ..Limits::default()
    };
    for (end, code, limits) in [
        ("F", "extension.hostile.puppet.failed", Limits::default()),
        ("T", "tool.trap", Limits::default()),
        ("L", "tool.timeout", short),
    ] {
        let (_scratch, folder) = workspace();
        let before = folder.picture().unwrap();
        let mut bench = bench(folder.path(), limits).await;
        for _ in 0..2 {
            let result = bench.call("hostile.act", &script(&[A, B, refused], end)).await.unwrap();
            assert_eq!(result.error_code.as_deref(), Some(code), "{}", result.model_text);
            assert_eq!(
                (result.effects, folder.picture().unwrap()),
                (Vec::new(), before.clone())
            );
        }
        the_host_lives().await;
    }
}

/// The guest is content, the host is not: the third of three writes cannot be applied beside the first.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writes_that_exclude_each_other_are_all_refused() {
    for third in ["output/A.md", "output/a.md/c.md"] {
        let (_scratch, folder) = workspace();
        let before = folder.picture().unwrap();
        let mut bench = bench(folder.path(), Limits::default()).await;
        let steps = script(&[A, B, (Act::Write, third)], "");
        let result = bench.call("hostile.act", &steps).await.unwrap();
        assert_eq!(
            result.error_code.as_deref(),
            Some("workspace.invalid_path"),
            "{third}: {}",
            result.model_text
        );
        assert_eq!(
            (result.effects, folder.picture().unwrap()),
            (Vec::new(), before),
            "{third}"
        );
        // What failed is not known afterwards either: a second try is a first one.
        let (ended, _) = play(&mut bench, &[A, B]).await;
        assert_eq!(ended, [Ended::Well; 2]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_file_above_the_limit_is_told_to_the_guest() {
    let (_scratch, folder) = workspace();
    let paths: Vec<String> = (1..=65).map(|n| format!("output/{n}.md")).collect();
    let steps: Vec<(Act, &str)> = paths.iter().map(|path| (Act::Write, path.as_str())).collect();
    let mut bench = bench(folder.path(), Limits::default()).await;
    let (ended, result) = play(&mut bench, &steps).await;
    let mut wanted = vec![Ended::Well; 64];
    wanted.push(Ended::OverBudget);
    assert_eq!((ended, result.effects.len(), files(&folder).len()), (wanted, 64, 64));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_byte_above_the_limit_is_told_to_the_guest() {
    let (_scratch, folder) = workspace();
    let paths: Vec<String> = (1..=16).map(|n| format!("output/{n}.md")).collect();
    let mut steps: Vec<(Act, &str)> = paths.iter().map(|path| (Act::WriteLarge, path.as_str())).collect();
    steps.push((Act::Append, "output/1.md"));
    steps.push((Act::Write, "output/17.md"));
    let mut bench = bench(folder.path(), Limits::default()).await;
    let (ended, result) = play(&mut bench, &steps).await;
    let mut wanted = vec![Ended::Well; 16];
    wanted.extend([Ended::OverBudget; 2]);
    assert_eq!((ended, result.effects.len()), (wanted, 16));
    assert_eq!(files(&folder).values().map(Vec::len).sum::<usize>(), 16 * 1024 * 1024);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lowered_write_limit_holds() {
    let (_scratch, folder) = workspace();
    let limits = Limits {
        write_files: 1,
        write_bytes: 30,
        ..Limits::default()
    };
    let mut bench = bench(folder.path(), limits).await;
    let (ended, _) = play(&mut bench, &[A, B, (Act::Append, "output/a.md")]).await;
    assert_eq!(ended, [Ended::Well, Ended::OverBudget, Ended::OverBudget]);
    assert_eq!(files(&folder), written(&["output/a.md"]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_puppet_that_may_only_read_is_refused() {
    let scratch = TempDir::new().unwrap();
    let setup = BenchSetup {
        workspace: scratch.path().to_path_buf(),
        component: Some(ForeignComponent {
            id: "hostile".to_owned(),
            bytes: component("puppet"),
            granted: [Capability::WorkspaceRead].into(),
        }),
        ..BenchSetup::default()
    };
    let refused = host::shared().await.tool_bench(setup).await.err().unwrap();
    assert_eq!(refused.code, "extension.import_refused");
    assert!(
        refused.message.contains("innkeeper:workspace/writer@0.1.0"),
        "{refused}"
    );
}
