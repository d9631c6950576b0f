//! Components that misbehave: what the host says of each, and that it works as before afterwards.
//!
//! The components are texts in `guests/`; `guests/README.md` says how they are written.

mod limits;
mod parallel;
pub mod puppet;
mod wasi;
mod writing;

use std::path::PathBuf;
use std::time::Duration;

use innkeeper::protocol::limits::Limits;
use innkeeper::{BenchResult, BenchSetup, Capability, ForeignComponent, HostError, Innkeeper, ToolBench};
use serde_json::json;
use tempfile::TempDir;

use crate::host;

/// A wall clock for a guest that never stops; the others meet their own limit first and have the usual one.
const SHORT: Duration = Duration::from_millis(300);

fn folder() -> PathBuf {
    host::package().join("guests")
}

/// A guest's bytes.
pub fn component(name: &str) -> Vec<u8> {
    assemble(&text(name))
}

/// A guest's text, with its includes filled in.
pub fn text(name: &str) -> String {
    let text = part(&format!("{name}.wat"));
    let whole: Vec<String> = text.lines().map(filled).collect();
    whole.join("\n")
}

/// The bytes of a text.
pub fn assemble(text: &str) -> Vec<u8> {
    wat::parse_str(text).unwrap_or_else(|e| panic!("{e}"))
}

fn part(path: &str) -> String {
    std::fs::read_to_string(folder().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// A line, or what it stands for; see `guests/README.md`.
fn filled(line: &str) -> String {
    let line = line.trim();
    if let Some(what) = line.strip_prefix(";; include ") {
        let (name, more) = what.split_once(" with ").unwrap_or((what, ""));
        return part(&format!("parts/{name}.wat")).replace("(; more ;)", more);
    }
    match line.strip_prefix(";; repeat ").and_then(|rest| rest.split_once(' ')) {
        Some((times, text)) => format!("{text}\n").repeat(times.parse().expect("a number")),
        None => line.to_owned(),
    }
}

async fn bench(name: &str, granted: &[Capability]) -> Result<(ToolBench, TempDir), HostError> {
    bench_of(component(name), granted, Limits::default()).await
}

pub async fn bench_of(
    bytes: Vec<u8>,
    granted: &[Capability],
    limits: Limits,
) -> Result<(ToolBench, TempDir), HostError> {
    bench_on(host::shared().await, bytes, granted, limits).await
}

pub async fn bench_on(
    host: &Innkeeper,
    bytes: Vec<u8>,
    granted: &[Capability],
    limits: Limits,
) -> Result<(ToolBench, TempDir), HostError> {
    let workspace = TempDir::new().unwrap();
    let setup = BenchSetup {
        workspace: workspace.path().to_path_buf(),
        limits,
        component: Some(ForeignComponent {
            id: "hostile".to_owned(),
            bytes,
            granted: granted.into(),
        }),
        ..BenchSetup::default()
    };
    Ok((host.tool_bench(setup).await?, workspace))
}

async fn act(name: &str, granted: &[Capability], limits: Limits) -> BenchResult {
    let (mut bench, workspace) = bench_of(component(name), granted, limits)
        .await
        .unwrap_or_else(|e| panic!("{name}: {} {e}", e.code));
    let result = bench.call("hostile.act", &json!({})).await.unwrap();
    assert_eq!(
        std::fs::read_dir(workspace.path()).unwrap().count(),
        0,
        "{name} wrote something"
    );
    the_host_lives().await;
    result
}

/// A call of a good guest in the same host.
pub async fn the_host_lives() {
    let workspace = TempDir::new().unwrap();
    let setup = BenchSetup {
        workspace: workspace.path().to_path_buf(),
        limits: Limits {
            wall: Duration::from_secs(1),
            ..Limits::default()
        },
        ..BenchSetup::default()
    };
    let mut bench = host::shared().await.tool_bench(setup).await.unwrap();
    let rolled = bench.call("dice.roll", &json!({"formula": "2d1+1"})).await.unwrap();
    assert_eq!(rolled.structured.unwrap()["total"], 3);
}

/// Tests of guests whose call must end in an error with this code.
macro_rules! fails_in_a_call {
    ($list:ident: $($name:ident = $code:literal $(with $granted:expr)?),* $(,)?) => {
        const $list: &[&str] = &[$(stringify!($name)),*];
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                let granted: &[Capability] = &[$($granted)?];
                let result = act(stringify!($name), granted, Limits::default()).await;
                assert_eq!(result.error_code.as_deref(), Some($code), "{}", result.model_text);
                assert!(result.effects.is_empty());
            }
        )*
    };
}

/// Tests of guests that must be refused when they are loaded, with a word that the message holds.
macro_rules! refused_at_load {
    ($($name:ident = $code:literal naming $word:literal $(with $granted:expr)?),* $(,)?) => {
        const REFUSED: &[&str] = &[$(stringify!($name)),*];
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                let granted: &[Capability] = &[$($granted)?];
                let error = bench(stringify!($name), granted).await.err().expect("it must be refused");
                assert_eq!(error.code, $code, "{error}");
                assert!(error.message.contains($word), "{error}");
                the_host_lives().await;
            }
        )*
    };
}

fails_in_a_call! {
    FAILING:
    memory_growth = "tool.memory_limit",
    memory_at_once = "tool.memory_limit",
    recursion = "tool.stack_overflow",
    trap = "tool.trap",
    large_reply = "tool.output_limit",
    lying_pointer = "tool.trap",
    lying_list = "tool.trap",
    not_utf8 = "tool.trap",
    lone_surrogate = "tool.trap",
    unaligned = "tool.trap",
    call_in_post_return = "tool.trap" with Capability::Random,
    undeclared_use = "tool.capability_denied" with Capability::Random,
    endless_host_calls = "tool.host_call_limit" with Capability::Random,
    endless_log = "tool.host_call_limit",
    memories_summed = "tool.memory_limit",
    table_growth = "tool.resource_limit",
    table_at_once = "tool.resource_limit",
    tables_summed = "tool.resource_limit",
    resource_handles = "tool.resource_limit",
    large_host_calls = "tool.host_data_limit",
    large_host_call = "tool.host_data_limit",
    bad_structured = "tool.output_invalid",
}

refused_at_load! {
    loop_in_specs = "extension.invalid_component" naming "within 10000 ms",
    loop_in_start = "extension.invalid_component" naming "within 10000 ms",
    memory_declared = "extension.invalid_component" naming "limit of 0x4000000 bytes",
    use_in_specs = "extension.invalid_component" naming "innkeeper:random/random" with Capability::Random,
    import_wasi_http = "extension.import_refused" naming "wasi:http/outgoing-handler@0.2.0",
    import_control = "extension.import_refused" naming "innkeeper:run/control@0.1.0",
    no_tool = "extension.invalid_component" naming "innkeeper:tool/tool",
    unknown_placeholder = "tool.unknown_placeholder" naming "nonsense",
    table_declared = "extension.invalid_component" naming "limit of 20000",
    many_tables = "extension.invalid_component" naming "it has 65 tables; at most 64",
    many_memories = "extension.invalid_component" naming "it has 9 memories; at most 8",
    many_instances = "extension.invalid_component" naming "it has 65 core instances; at most 64",
    bad_schema = "extension.invalid_component" naming "hostile.act",
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn loop_in_call() {
    let limits = Limits {
        wall: SHORT,
        ..Limits::default()
    };
    let result = act("loop_in_call", &[], limits).await;
    assert_eq!(result.error_code.as_deref(), Some("tool.timeout"));
    assert!(result.effects.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn loop_in_post_return() {
    let limits = Limits {
        wall: SHORT,
        ..Limits::default()
    };
    let result = act("loop_in_post_return", &[], limits).await;
    assert_eq!(result.error_code.as_deref(), Some("tool.timeout"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn loop_in_destructor() {
    let limits = Limits {
        wall: SHORT,
        ..Limits::default()
    };
    let result = act("loop_in_destructor", &[], limits).await;
    assert_eq!(result.error_code.as_deref(), Some("tool.timeout"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn well_behaved() {
    let result = act("well_behaved", &[], Limits::default()).await;
    assert_eq!((result.error_code, result.model_text.as_str()), (None, "done"));
    assert_eq!(result.tool_id.as_str(), "extension/hostile:hostile.act");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interface_that_was_not_granted_refuses_the_component() {
    let error = bench("undeclared_use", &[]).await.err().expect("it must be refused");
    assert_eq!(error.code, "extension.import_refused");
    assert!(error.message.contains("innkeeper:random/random@0.1.0"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bytes_that_are_no_component_are_refused() {
    let whole = component("well_behaved");
    let halves = (1..20).map(|n| whole[..whole.len() * n / 20].to_vec());
    let others = [
        Vec::new(),
        b"(component)".to_vec(),
        wat::parse_str("(module)").unwrap(),
        b"<html></html>".to_vec(),
    ];
    for bytes in halves.chain(others) {
        let error = bench_of(bytes.clone(), &[], Limits::default())
            .await
            .err()
            .unwrap_or_else(|| panic!("{} bytes", bytes.len()));
        assert_eq!(
            error.code,
            "extension.invalid_component",
            "{} bytes: {error}",
            bytes.len()
        );
    }
    the_host_lives().await;
}

#[test]
fn every_guest_has_a_test() {
    let files = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<String> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "wat"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    found.sort();
    let mut named: Vec<&str> = FAILING
        .iter()
        .chain(REFUSED)
        .copied()
        .chain([
            "loop_in_call",
            "loop_in_post_return",
            "loop_in_destructor",
            "well_behaved",
        ])
        .chain(limits::GUESTS.iter().copied())
        .chain(wasi::GUESTS.iter().copied())
        .chain(crate::hostile::GUESTS.iter().copied())
        .chain(["puppet", "fetch"])
        .collect();
    named.sort_unstable();
    assert_eq!(found, named);
}
