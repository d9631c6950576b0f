//! Files that must be refused when they are loaded, and what the host says of each; and some that are odd and all the same good.

use innkeeper::protocol::limits::Limits;
use innkeeper::{Capability, HostError};
use serde_json::{Value, json};

use super::files;
use crate::guests::{assemble, bench_of, component, text, the_host_lives};
use crate::host;

const INVALID: &str = "extension.invalid_component";
const REFUSED: &str = "extension.import_refused";

/// A file, the code of its refusal, and a word that the refusal must hold.
pub type Case = (&'static str, Vec<u8>, &'static str, &'static str);

async fn refusal(bytes: Vec<u8>) -> Option<HostError> {
    let everything: Vec<Capability> = Capability::GRANTABLE
        .iter()
        .map(|(_, capability)| *capability)
        .collect();
    bench_of(bytes, &everything, Limits::default()).await.err()
}

async fn all_are_refused(cases: Vec<Case>) {
    for (name, bytes, code, word) in cases {
        let error = refusal(bytes).await.unwrap_or_else(|| panic!("{name} was loaded"));
        assert_eq!(error.code, code, "{name}: {error}");
        assert!(error.message.contains(word), "{name}: {error}");
        the_host_lives().await;
    }
}

/// Structures that would drown a compiler.
pub fn floods() -> Vec<Case> {
    vec![
        (
            "nested blocks",
            files::nested_blocks(),
            INVALID,
            "10001 blocks within each other",
        ),
        ("many functions", files::many_functions(), INVALID, "1000000 functions"),
        (
            "many locals",
            files::many_locals(50_000),
            INVALID,
            "50000 local variables",
        ),
        (
            "a large branch table",
            files::branch_table(1_000_000),
            INVALID,
            "1000000 targets",
        ),
        (
            "doubling instances",
            files::doubling_instances(),
            INVALID,
            "262144 core instances",
        ),
        (
            "nested types",
            files::nested_types(),
            INVALID,
            "types within each other",
        ),
    ]
}

/// Interfaces that no binding should be made for.
pub fn shapes() -> Vec<Case> {
    let place = "at `hostile:types/shapes@0.1.0#shape`";
    // The first one that is too much has no name of its own.
    let around = "at `hostile:types/shapes@0.1.0`";
    vec![
        (
            "a wide record",
            files::wide("record", "(field \"f#\" u8)", 2_000),
            INVALID,
            place,
        ),
        (
            "a wide variant",
            files::wide("variant", "(case \"c#\" u8)", 2_000),
            INVALID,
            place,
        ),
        (
            "some flags too many",
            files::wide("flags", "\"f#\"", 600),
            INVALID,
            place,
        ),
        (
            "flags beyond what is read",
            files::wide("flags", "\"f#\"", 10_000),
            INVALID,
            "flag",
        ),
        ("deep tuples", files::deep("(tuple # u8)", 200), INVALID, around),
        ("shared types", files::deep("(tuple # # #)", 30), INVALID, around),
    ]
}

/// What is taken for a component and is none.
pub fn lookalikes() -> Vec<Case> {
    vec![
        ("nothing", Vec::new(), INVALID, "the file is empty"),
        ("a core module", assemble("(module)"), INVALID, "a core module"),
        ("text", b"(component)".to_vec(), INVALID, "WebAssembly text"),
        (
            "a program",
            std::fs::read(std::env::current_exe().unwrap()).unwrap()[..4096].to_vec(),
            INVALID,
            "native",
        ),
        (
            "a web page",
            b"<!doctype html><title>Not found</title>".to_vec(),
            INVALID,
            "a web page",
        ),
        (
            "a ZIP archive",
            b"PK\x03\x04\x14\0\0\0".to_vec(),
            INVALID,
            "a ZIP archive",
        ),
        (
            "a gzip file",
            b"\x1f\x8b\x08\0\0\0\0\0".to_vec(),
            INVALID,
            "a gzip file",
        ),
        (
            "custom sections",
            files::with_custom("x", 33 << 20),
            INVALID,
            "bytes of names and other custom sections",
        ),
    ]
}

/// Components that want what nobody gives.
pub fn imports() -> Vec<Case> {
    let instance = |name: &str| files::importing_also(&format!("(import \"{name}\" (instance))"));
    let other_shape =
        "(import \"innkeeper:random/random@0.1.0\" (instance (export \"below\" (func (param \"bound\" string)))))";
    vec![
        (
            "requests of WASI",
            instance("wasi:http/outgoing-handler@0.2.0"),
            REFUSED,
            "wasi:http/outgoing-handler@0.2.0",
        ),
        (
            "machine learning",
            instance("wasi:nn/graph@0.2.0"),
            REFUSED,
            "wasi:nn/graph@0.2.0",
        ),
        (
            "another WASI",
            instance("wasi:cli/environment@0.3.0"),
            REFUSED,
            "wasi:cli/environment@0.3.0",
        ),
        (
            "another version",
            instance("innkeeper:random/random@9.0.0"),
            REFUSED,
            "innkeeper:random/random@9.0.0",
        ),
        (
            "a stranger's",
            instance("stranger:thing/x"),
            REFUSED,
            "stranger:thing/x",
        ),
        ("another shape", files::importing_also(other_shape), INVALID, "below"),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_would_drown_a_compiler_is_refused() {
    all_are_refused(floods()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shapes_that_are_too_much_are_refused_by_name() {
    all_are_refused(shapes()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_component_is_told_from_one() {
    all_are_refused(lookalikes()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_nobody_gives_is_named() {
    all_are_refused(imports()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_is_far_too_large_is_not_even_read() {
    // Zeroes that nobody looks at take no room.
    all_are_refused(vec![(
        "500 MB",
        vec![0; 500 << 20],
        "extension.too_large",
        "524288000 bytes",
    )])
    .await;
}

/// Code that answers later, or that runs beside the call, has no place in the engine.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_that_would_go_on_after_its_answer_is_refused() {
    let text = text("well_behaved").replacen(
        "(canon lift (core func $guest \"call\")",
        "(canon lift (core func $guest \"call\") async",
        1,
    );
    all_are_refused(vec![("async", assemble(&text), INVALID, "async")]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn names_and_other_custom_sections_are_passed_over() {
    for bytes in [
        files::with_custom("name", 1 << 20),
        files::with_custom("component-name", 1 << 20),
    ] {
        let (mut bench, _workspace) = bench_of(bytes, &[], Limits::default()).await.unwrap();
        assert_eq!(bench.call("hostile.act", &json!({})).await.unwrap().model_text, "done");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_listing_is_a_first_one() {
    let listed = async || {
        let report = host::shared()
            .await
            .inspect_component("hostile", &component("changing_specs"))
            .await;
        report.unwrap().tools[0].title.clone()
    };
    assert_eq!(
        (listed().await, listed().await),
        ("Hostile".to_owned(), "Hostile".to_owned())
    );
}

/// There are no signatures yet, so nothing may look as if it had one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_shown_as_signed() {
    let report = host::shared()
        .await
        .inspect_component("hostile", &component("well_behaved"))
        .await;
    let Value::Object(told) = serde_json::to_value(report.unwrap()).unwrap() else {
        panic!("it is no object")
    };
    let text = Value::Object(told).to_string().to_lowercase();
    assert!(
        !text.contains("sign") && !text.contains("verif") && !text.contains("trust"),
        "{text}"
    );
}
