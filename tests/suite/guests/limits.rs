//! The ceilings of a call: their defaults, what a guest that meets one is told, what it has used by then, and that a host can lower them.
//!
//! That the codes are right is said in `guests` too; here are the figures.

use std::sync::Arc;
use std::time::Duration;

use innkeeper::protocol::call::CallOutcome;
use innkeeper::protocol::limits::{Limits, Usage};
use innkeeper::{BenchResult, Capability};
use innkeeper_capabilities::LogLine;
use serde_json::json;

use super::{act, bench_of, bench_on, component, the_host_lives};
use crate::direct::{Direct, NoFiles};
use crate::host;

/// Guests that only this file loads.
pub const GUESTS: &[&str] = &["handles_held", "log_bytes", "log_lines"];

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

async fn meet(guest: &str, granted: &[Capability], limits: Limits, code: &str) -> Usage {
    let result = act(guest, granted, limits).await;
    assert_eq!(
        result.error_code.as_deref(),
        Some(code),
        "{guest}: {}",
        result.model_text
    );
    assert_eq!(result.effects, []);
    result.usage
}

#[test]
fn the_defaults_are_those_that_are_promised() {
    let promised = Limits {
        wall: Duration::from_secs(10),
        memory_bytes: 64 * MIB,
        table_elements: 20_000,
        resource_handles: 1_024,
        stack_bytes: 512 * 1024,
        host_calls: 10_000,
        host_bytes_per_call: 20 * 1024 * 1024,
        host_bytes: 48 * MIB,
        output_bytes: 4 * MIB,
        log_lines: 1_000,
        log_bytes: 256 * KIB,
        write_files: 64,
        write_bytes: 16 * MIB,
    };
    assert_eq!(Limits::default(), promised);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_wall_clock_shows_in_what_was_used() {
    let wall = Duration::from_millis(150);
    let limits = Limits {
        wall,
        ..Limits::default()
    };
    let used = meet("loop_in_call", &[], limits, "tool.timeout").await;
    assert!(u128::from(used.wall_micros) >= wall.as_micros(), "{used:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_is_given_up_to_its_limit() {
    for limit in [Limits::default().memory_bytes, 2 * MIB] {
        let limits = Limits {
            memory_bytes: limit,
            ..Limits::default()
        };
        let used = meet("memory_growth", &[], limits, "tool.memory_limit").await;
        assert_eq!(used.peak_memory_bytes, limit);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memories_are_summed() {
    let used = meet("memories_summed", &[], Limits::default(), "tool.memory_limit").await;
    assert!((40 * MIB..64 * MIB).contains(&used.peak_memory_bytes), "{used:?}");
    let limits = Limits {
        memory_bytes: MIB,
        ..Limits::default()
    };
    let used = meet("memories_summed", &[], limits, "tool.memory_limit").await;
    assert!(used.peak_memory_bytes < MIB, "{used:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lowered_limit_of_table_elements_holds() {
    let limits = Limits {
        table_elements: 40,
        ..Limits::default()
    };
    meet("table_growth", &[], limits, "tool.resource_limit").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn as_many_handles_are_given_as_the_limit_says() {
    let held = act("handles_held", &[], Limits::default()).await;
    assert_eq!((held.error_code, held.model_text.as_str()), (None, "done"));
    let limits = Limits {
        resource_handles: Limits::default().resource_handles - 1,
        ..Limits::default()
    };
    meet("handles_held", &[], limits, "tool.resource_limit").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_into_the_host_are_counted_with_the_one_that_is_refused() {
    for limit in [Limits::default().host_calls, 7] {
        let limits = Limits {
            host_calls: limit,
            ..Limits::default()
        };
        let used = meet(
            "endless_host_calls",
            &[Capability::Random],
            limits,
            "tool.host_call_limit",
        )
        .await;
        assert_eq!(used.host_calls, limit + 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_guest_hands_over_is_limited_in_one_call_and_in_all() {
    let used = meet("large_host_calls", &[], Limits::default(), "tool.host_data_limit").await;
    assert_eq!(used.host_calls, 3);
    let one = Limits {
        host_bytes_per_call: 16 * 1024 * 1024,
        ..Limits::default()
    };
    let used = meet("large_host_calls", &[], one, "tool.host_data_limit").await;
    assert_eq!(
        used.host_calls, 0,
        "a call that is too large does not get as far as being counted"
    );
    let all = Limits {
        host_bytes: 18 * MIB,
        ..Limits::default()
    };
    let used = meet("large_host_calls", &[], all, "tool.host_data_limit").await;
    assert_eq!(used.host_calls, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reply_is_measured() {
    let used = meet("large_reply", &[], Limits::default(), "tool.output_limit").await;
    assert_eq!(used.output_bytes, 5 * MIB);
    let limits = Limits {
        output_bytes: 3,
        ..Limits::default()
    };
    let used = meet("well_behaved", &[], limits, "tool.output_limit").await;
    assert_eq!(used.output_bytes, 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_good_call_shows_what_it_used() {
    let BenchResult { usage, error_code, .. } = act("log_lines", &[], Limits::default()).await;
    assert_eq!(error_code, None);
    assert_eq!((usage.host_calls, usage.output_bytes), (1_500, 4));
    // A page of its own for the noise, and a page for the rest.
    assert_eq!(usage.peak_memory_bytes, 128 * KIB);
}

/// How many lines were kept, how many bytes they have, and how many were dropped.
async fn logged(guest: &str, limits: Limits) -> (usize, usize, u64) {
    let direct = Direct::new(guest, &[], Arc::new(NoFiles)).await;
    let dispatched = direct.act(json!({}), limits).await;
    assert!(
        matches!(dispatched.outcome, CallOutcome::Reply(_)),
        "{:?}",
        dispatched.outcome
    );
    direct.lives().await;
    let bytes = |line: &LogLine| line.message.len();
    (
        dispatched.log.len(),
        dispatched.log.iter().map(bytes).sum(),
        dispatched.log_dropped,
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn log_lines_above_the_limit_are_dropped_and_counted() {
    assert_eq!(logged("log_lines", Limits::default()).await, (1_000, 5_000, 500));
    let lines = Limits {
        log_lines: 10,
        ..Limits::default()
    };
    assert_eq!(logged("log_lines", lines).await, (10, 50, 1_490));
    let bytes = Limits {
        log_bytes: 52,
        ..Limits::default()
    };
    assert_eq!(logged("log_lines", bytes).await, (10, 50, 1_490));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn long_log_lines_are_cut_and_their_bytes_limited() {
    // Each line keeps 4 KiB; 64 of them are 256 KiB.
    assert_eq!(logged("log_bytes", Limits::default()).await, (64, 256 * 1024, 36));
}

/// Without a pool the engine's allocator refuses nothing, and every limit is the meter's.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_without_a_pool_has_the_same_limits() {
    let host = host::builder().small().build().await.unwrap();
    let refused = [
        ("memory_declared", "more than 64 MiB of memory"),
        ("table_declared", "more than 20000 table elements"),
        ("many_tables", "it has 65 tables"),
        ("many_memories", "it has 9 memories"),
        ("many_instances", "it has 65 core instances"),
    ];
    for (guest, said) in refused {
        let loaded = bench_on(&host, component(guest), &[], Limits::default()).await;
        let error = loaded.err().unwrap_or_else(|| panic!("{guest} was loaded"));
        assert_eq!(error.code, "extension.invalid_component", "{guest}: {error}");
        assert!(error.message.contains(said), "{guest}: {error}");
    }
    let stopped = [
        ("memory_growth", "tool.memory_limit"),
        ("table_growth", "tool.resource_limit"),
        ("resource_handles", "tool.resource_limit"),
        ("recursion", "tool.stack_overflow"),
    ];
    for (guest, code) in stopped {
        let (mut bench, _workspace) = bench_on(&host, component(guest), &[], Limits::default()).await.unwrap();
        let result = bench.call("hostile.act", &json!({})).await.unwrap();
        assert_eq!(result.error_code.as_deref(), Some(code), "{guest}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_component_that_is_too_large_is_refused() {
    let mut bytes = component("well_behaved");
    bytes.resize(64 * 1024 * 1024 + 1, 0);
    let error = bench_of(bytes, &[], Limits::default())
        .await
        .err()
        .expect("it must be refused");
    assert_eq!(error.code, "extension.too_large");
    the_host_lives().await;
}
