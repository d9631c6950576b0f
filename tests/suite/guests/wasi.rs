//! WASI for components of other toolchains: what they find there, which is nothing, and that its functions are under the limits too.

use std::sync::Arc;
use std::time::Duration;

use innkeeper::Capability;
use innkeeper::protocol::call::{CallOutcome, RecordedDraw, Told, model_text};
use innkeeper::protocol::limits::Limits;
use innkeeper_capabilities::LogLine;
use innkeeper_tools::Dispatched;
use serde_json::json;

use super::{SHORT, act, assemble, component, text};
use crate::direct::{Direct, NoFiles};
use crate::host;

/// Guests that only this file loads.
pub const GUESTS: &[&str] = &["wasi_handles", "wasi_looks", "wasi_prints", "wasi_sleeps"];

async fn looked(bytes: &[u8], granted: &[Capability]) -> (String, Dispatched) {
    let direct = Direct::of(bytes, granted, Arc::new(NoFiles)).await;
    let dispatched = direct.act(json!({}), Limits::default()).await;
    let CallOutcome::Reply(reply) = &dispatched.outcome else {
        panic!("{:?}", dispatched.outcome)
    };
    (model_text(&reply.content), dispatched)
}

fn told(dispatched: &Dispatched) -> &Told {
    match &dispatched.outcome {
        CallOutcome::Reply(reply) => &reply.told,
        other => panic!("{other:?}"),
    }
}

/// The guest whose tool uses one more interface, which its component imports.
fn that_uses(interface: &str) -> Vec<u8> {
    let import = format!("(import \"{interface}@0.1.0\" (instance))");
    let uses = format!(
        "(data (i32.const 1280) \"{interface}\")
         (data (i32.const 1312) \"\\00\\05\\00\\00\" \"\\{:02x}\\00\\00\\00\")
         (data (i32.const 2124) \"\\20\\05\\00\\00\" \"\\01\\00\\00\\00\")",
        interface.len()
    );
    let text = text("wasi_looks");
    assemble(&text.replace("(; imports ;)", &import).replace("(; uses ;)", &uses))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn there_is_nothing_to_find_and_chance_is_the_same_each_time() {
    let bytes = component("wasi_looks");
    let (first, dispatched) = looked(&bytes, &[]).await;
    let nothing = "variables 0 arguments 0 folder 0 folders 0 input 11 date 0 ticks 0 number ";
    assert!(first.starts_with(nothing), "{first}");
    assert_eq!(*told(&dispatched), Told::default());
    assert_eq!(looked(&bytes, &[]).await.0, first);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_printed_goes_to_the_log() {
    let (_, dispatched) = looked(&component("wasi_looks"), &[]).await;
    let line = |level, message: &str| LogLine {
        level,
        message: message.to_owned(),
    };
    let printed = [
        line("info", "first"),
        line("warn", "trouble"),
        line("info", "second, without an end"),
    ];
    assert_eq!((dispatched.log.as_slice(), dispatched.log_dropped), (&printed[..], 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_that_may_draw_has_a_generator_whose_seed_is_drawn_and_recorded() {
    let may_draw = that_uses("innkeeper:random/random");
    let (_, dispatched) = looked(&may_draw, &[Capability::Random]).await;
    let drawn = RecordedDraw {
        bound: 1 << 32,
        value: 0,
    };
    assert_eq!(told(&dispatched).draws, vec![drawn; 8]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_that_may_know_the_time_has_clocks_that_go_and_their_readings_are_recorded() {
    let may_know = that_uses("innkeeper:clock/clock");
    let (found, dispatched) = looked(&may_know, &[Capability::Clock]).await;
    assert!(!found.contains("date 0") && !found.contains("ticks 0"), "{found}");
    assert_eq!(told(&dispatched).times.len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn printing_is_counted_in_calls_and_in_bytes() {
    let result = act("wasi_prints", &[], Limits::default()).await;
    assert_eq!(result.error_code.as_deref(), Some("tool.host_call_limit"));
    let few_bytes = Limits {
        host_bytes: 1024 * 1024,
        ..Limits::default()
    };
    let result = act("wasi_prints", &[], few_bytes).await;
    assert_eq!(result.error_code.as_deref(), Some("tool.host_data_limit"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn endless_printing_fills_no_memory() {
    let direct = Direct::new("wasi_prints", &[], Arc::new(NoFiles)).await;
    let dispatched = direct.act(json!({}), Limits::default()).await;
    let kept: usize = dispatched.log.iter().map(|line| line.message.len()).sum();
    assert_eq!(kept, 256 * 1024);
    assert!(dispatched.log_dropped > 1_000, "{}", dispatched.log_dropped);
    direct.lives().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_are_handles_like_any_other() {
    let result = act("wasi_handles", &[], Limits::default()).await;
    assert_eq!(result.error_code.as_deref(), Some("tool.resource_limit"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waiting_ends_at_the_deadline() {
    let limits = Limits {
        wall: SHORT,
        ..Limits::default()
    };
    let result = act("wasi_sleeps", &[], limits).await;
    assert_eq!(result.error_code.as_deref(), Some("tool.timeout"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waiting_ends_with_a_cancel() {
    let direct = Direct::new("wasi_sleeps", &[], Arc::new(NoFiles)).await;
    let waited = tokio::time::timeout(Duration::from_millis(50), direct.act(json!({}), Limits::default())).await;
    assert!(waited.is_err());
    // The only place of this sandbox is free again, and not only when the call's time is over.
    let lives = tokio::time::timeout(Limits::default().wall, direct.lives()).await;
    assert!(lives.is_ok());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_look_at_the_component_says_that_there_is_nothing_in_it() {
    let bytes = component("wasi_looks");
    let report = host::shared().await.inspect_component("hostile", &bytes).await.unwrap();
    assert_eq!(report.refusal, None);
    assert_eq!(report.imports.len(), 11);
    for import in report.imports {
        assert_eq!(
            (import.capability, import.words.as_str(), import.is_served),
            (None, "nothing: it is linked with nothing in it", true),
            "{}",
            import.interface
        );
    }
}
