//! Answers that are made to hurt whoever reads them.

use innkeeper::protocol::limits::Limits;
use innkeeper::{BenchResult, Capability};
use serde_json::json;
use tokio::task::JoinSet;

use super::files;
use crate::guests::puppet::{self, Act, script};
use crate::guests::{bench_of, component, the_host_lives};

async fn answer(json: &str) -> BenchResult {
    let (mut bench, _workspace) = bench_of(files::answering(json), &[], Limits::default()).await.unwrap();
    let result = bench.call("hostile.act", &json!({})).await.unwrap();
    the_host_lives().await;
    result
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn json_that_no_reader_should_follow_is_not_kept() {
    let nested = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let objects = format!("{}1{}", "{\"a\":".repeat(50_000), "}".repeat(50_000));
    for json in [&nested, &objects, "1e999999", "[1,]", "{\"a\":1}x", ""] {
        let result = answer(json).await;
        assert_eq!(result.error_code.as_deref(), Some("tool.output_invalid"), "{json:.20}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn json_that_is_only_long_or_doubled_is_read() {
    let long = format!("[0{}]", ",0".repeat(999_999));
    let structured = answer(&long).await.structured.unwrap();
    assert_eq!(structured.as_array().map(Vec::len), Some(1_000_000));
    assert_eq!(answer("{\"a\":1,\"a\":2}").await.structured, Some(json!({"a": 2})));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn asking_the_workspace_for_ever_ends_at_the_limit() {
    let workspace = tempfile::TempDir::new().unwrap();
    innkeeper_cases::files::Folder::workspace(workspace.path(), &[]).unwrap();
    let limits = Limits {
        host_calls: 400,
        ..Limits::default()
    };
    let steps = vec![(Act::Resolve, "plan/a.md"); 401];
    let mut bench = puppet::bench(workspace.path(), limits).await;
    let result = bench.call("hostile.act", &script(&steps, "")).await.unwrap();
    assert_eq!(result.error_code.as_deref(), Some("tool.host_call_limit"));
    assert_eq!(result.usage.host_calls, 401);
    the_host_lives().await;
}

/// As many calls as there are places, each at its limits, and nobody else is kept out for longer than they may run.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crowd_at_its_limits_does_not_keep_others_out() {
    let mut crowd = JoinSet::new();
    for n in 0..64 {
        let guest = ["loop_in_call", "memory_growth", "endless_host_calls", "trap"][n % 4];
        crowd.spawn(async move {
            let limits = Limits {
                wall: std::time::Duration::from_millis(300),
                ..Limits::default()
            };
            let (mut bench, _workspace) = bench_of(component(guest), &[Capability::Random], limits).await.unwrap();
            bench.call("hostile.act", &json!({})).await.unwrap().error_code
        });
    }
    let mut newcomers = JoinSet::new();
    for _ in 0..8 {
        newcomers.spawn(the_host_lives());
    }
    newcomers.join_all().await;
    let codes = crowd.join_all().await;
    assert!(codes.iter().all(Option::is_some), "{codes:?}");
}
