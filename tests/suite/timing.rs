//! The one place where a test looks at a clock: deadlines hold within ten times their stated limit, however busy the machine is.
//!
//! Speed is measured in benches.

use std::sync::Arc;
use std::time::Duration;

use innkeeper::protocol::limits::Limits;
use innkeeper::protocol::port::Clock as _;
use innkeeper::protocol::run::RunStatus;
use innkeeper::{BenchSetup, ForeignComponent, Grants, SystemClock};
use serde_json::json;
use tempfile::TempDir;

use crate::guests::component;
use crate::host;
use crate::run::{Stage, script};

/// How much later than stated something may come.
const SLACK: u32 = 10;

/// How soon a cancelled run is expected to be over when nothing holds it.
const CANCEL: Duration = Duration::from_millis(500);

fn since(clock: &SystemClock, start: u64) -> Duration {
    Duration::from_micros(clock.monotonic_micros() - start)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_guest_that_never_stops_is_stopped_at_its_deadline() {
    let (clock, wall) = (SystemClock::default(), Duration::from_millis(200));
    let workspace = TempDir::new().unwrap();
    let setup = BenchSetup {
        workspace: workspace.path().to_path_buf(),
        limits: Limits {
            wall,
            ..Limits::default()
        },
        component: Some(ForeignComponent {
            id: "hostile".into(),
            bytes: component("loop_in_call"),
            granted: Grants::default(),
        }),
        ..BenchSetup::default()
    };
    let mut bench = host::shared().await.tool_bench(setup).await.unwrap();
    let start = clock.monotonic_micros();
    let result = bench.call("hostile.act", &json!({})).await.unwrap();
    let took = since(&clock, start);
    assert_eq!(result.error_code.as_deref(), Some("tool.timeout"));
    assert!((wall..wall * SLACK).contains(&took), "{took:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancelled_run_does_not_wait_for_its_model() {
    let stage = Stage::new().await;
    let model = Arc::new(script(json!([{"text": "never said", "delayMs": 3_600_000}])));
    let mut handle = stage.start(model, |_| {}).await;
    while handle.next_event().await.unwrap().kind != "model_call_attempt_started" {}
    let clock = SystemClock::default();
    let start = clock.monotonic_micros();
    handle.cancel_switch().cancel();
    let outcome = stage.finish(handle).await;
    let took = since(&clock, start);
    assert_eq!(outcome.report.status, RunStatus::Cancelled);
    assert!(took < CANCEL * SLACK, "{took:?}");
}
