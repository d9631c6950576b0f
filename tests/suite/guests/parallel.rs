//! Many calls at once, calls that wait in the host, and calls that are given up: each keeps its own deadline and leaves nothing behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use innkeeper::BenchResult;
use innkeeper::protocol::call::CallOutcome;
use innkeeper::protocol::limits::Limits;
use innkeeper::protocol::path::WorkspacePath;
use innkeeper::protocol::port::{ApplyError, FileChange, FileError, FileProblem, FileText, Listing, WorkspaceFiles};
use serde_json::json;
use tokio::sync::Notify;
use tokio::task::JoinSet;

use super::puppet::{Act, GRANTED, script};
use super::{bench_of, component, the_host_lives};
use crate::direct::Direct;

const CALLS: u64 = 10;

fn wall(millis: u64) -> Limits {
    Limits {
        wall: Duration::from_millis(millis),
        ..Limits::default()
    }
}

async fn loop_for(millis: u64) -> BenchResult {
    let (mut bench, _workspace) = bench_of(component("loop_in_call"), &[], wall(millis)).await.unwrap();
    bench.call("hostile.act", &json!({})).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_calls_at_once_end_each_at_its_own_deadline() {
    let mut calls = JoinSet::new();
    for n in 1..=CALLS {
        calls.spawn(async move { (n, loop_for(n * 60).await) });
    }
    let mut ended = Vec::new();
    while let Some(call) = calls.join_next().await {
        let (n, result) = call.unwrap();
        assert_eq!(result.error_code.as_deref(), Some("tool.timeout"));
        assert!(result.usage.wall_micros >= n * 60_000, "{n}: {:?}", result.usage);
        ended.push(n);
    }
    ended.sort_unstable();
    assert_eq!(ended, (1..=CALLS).collect::<Vec<_>>());
    the_host_lives().await;
}

/// Files that say when they are asked, that may never answer, and that count what is applied.
#[derive(Default)]
struct Watched {
    asked: Notify,
    never_answers: bool,
    applied: AtomicUsize,
}

#[async_trait]
impl WorkspaceFiles for Watched {
    async fn list(&self, _: &WorkspacePath, _: u32, _: u32) -> Result<Listing, FileError> {
        Ok(Listing::default())
    }

    async fn read(&self, _: &WorkspacePath) -> Result<FileText, FileError> {
        self.asked.notify_one();
        if self.never_answers {
            std::future::pending::<()>().await;
        }
        Err(FileProblem::NotFound.into())
    }

    async fn apply(&self, changes: Vec<FileChange>) -> Result<(), ApplyError> {
        self.applied.fetch_add(changes.len(), Ordering::SeqCst);
        Ok(())
    }
}

/// A call that is given up while it runs or waits has let go of its place when its future is gone: there is only one place, and the
/// next call gets it. The second time too.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_is_given_up_leaves_nothing_behind() {
    for never_answers in [false, true] {
        let files = Arc::new(Watched {
            never_answers,
            ..Watched::default()
        });
        let direct = Direct::new("puppet", &GRANTED, files.clone()).await;
        for _ in 0..2 {
            let endless = script(&[(Act::Write, "output/a.md")], "L");
            tokio::select! {
                biased;
                dispatched = direct.act(endless, Limits::default()) => panic!("it ended: {:?}", dispatched.outcome),
                () = files.asked.notified() => {}
            }
            direct.lives().await;
        }
        assert_eq!(files.applied.load(Ordering::SeqCst), 0);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_waits_in_the_host_is_stopped_at_its_deadline() {
    let files = Arc::new(Watched {
        never_answers: true,
        ..Watched::default()
    });
    let direct = Direct::new("puppet", &GRANTED, files.clone()).await;
    for _ in 0..2 {
        let dispatched = direct.act(script(&[(Act::Write, "output/a.md")], ""), wall(100)).await;
        let CallOutcome::Error(error) = dispatched.outcome else {
            panic!("{:?}", dispatched.outcome)
        };
        assert_eq!(error.code, "tool.timeout");
        assert!(error.usage.unwrap().wall_micros >= 100_000);
        assert!(dispatched.staged.changes.is_empty() && dispatched.staged.effects.is_empty());
        direct.lives().await;
    }
    assert_eq!(files.applied.load(Ordering::SeqCst), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn more_calls_than_places_wait_for_their_turn() {
    let direct = Arc::new(Direct::new("well_behaved", &[], Arc::new(Watched::default())).await);
    let mut calls = JoinSet::new();
    for _ in 0..CALLS {
        let direct = direct.clone();
        calls.spawn(async move { direct.act(json!({}), wall(1_000)).await.outcome });
    }
    while let Some(outcome) = calls.join_next().await {
        assert!(matches!(outcome.unwrap(), CallOutcome::Reply(_)));
    }
}
