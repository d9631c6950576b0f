//! Compilers that die, lie or are not there, and caches that somebody else has written into.

use innkeeper::protocol::limits::Limits;
use innkeeper::{Builder, Compiler, Innkeeper};
use serde_json::json;
use tempfile::TempDir;

use super::files;
use crate::guests::{bench_on, component, the_host_lives};
use crate::host;

/// A host with a shell script for a compiler, which finds the built-in components compiled.
async fn host_with(script: &str) -> Innkeeper {
    let compiler = Compiler::Child {
        program: "/bin/sh".into(),
        arguments: vec!["-c".to_owned(), script.to_owned()],
    };
    host::builder().compiler(compiler).build().await.unwrap()
}

/// A host with a cache of its own.
async fn host_of(builder: Builder) -> (Innkeeper, TempDir) {
    let scratch = TempDir::new().unwrap();
    let host = builder.cache_dir(scratch.path().join("cache")).build().await.unwrap();
    (host, scratch)
}

async fn answer(host: &Innkeeper, guest: &str) -> Result<String, String> {
    answer_of(host, component(guest)).await
}

/// What the tool says, or the code of its error; or why it is not loaded.
async fn answer_of(host: &Innkeeper, bytes: Vec<u8>) -> Result<String, String> {
    let loaded = bench_on(host, bytes, &[], Limits::default()).await;
    let (mut bench, _workspace) = loaded.map_err(|error| format!("{} {error}", error.code))?;
    let result = bench.call("hostile.act", &json!({})).await.unwrap();
    Ok(result.error_code.unwrap_or(result.model_text))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_becomes_of_the_compiler_the_host_stays() {
    for (script, code) in [
        ("kill -9 $$", "extension.compile_limit"),
        ("kill -SEGV $$", "extension.compile_limit"),
        ("exit 101", "extension.compile_limit"),
        ("echo not today >&2; exit 65", "extension.invalid_component"),
        ("echo no disk >&2; exit 70", "sandbox.compiler_failed"),
        ("exit 0", "extension.invalid_component"),
        ("echo this is no native code", "extension.invalid_component"),
    ] {
        let host = host_with(script).await;
        let refused = answer_of(&host, files::with_custom("never compiled", 1))
            .await
            .unwrap_err();
        assert!(refused.starts_with(code), "{script}: {refused}");
        the_host_lives().await;
    }
}

/// The real compiler, and a file of less than two megabytes that makes it want more memory than it may have.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_component_that_no_compiler_should_work_through_is_given_up() {
    let refused = answer_of(host::shared().await, files::many_joins()).await.unwrap_err();
    assert!(refused.starts_with("extension.compile_limit"), "{refused}");
    the_host_lives().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_application_without_a_compiler_takes_no_components_of_others() {
    let host = host::builder().compiler(Compiler::Refuse).build().await.unwrap();
    let refused = answer_of(&host, files::with_custom("never compiled", 1))
        .await
        .unwrap_err();
    assert!(refused.starts_with("sandbox.no_compiler"), "{refused}");
    let (host, _scratch) = host_of(Innkeeper::builder().compiler(Compiler::InProcess)).await;
    assert_eq!(answer(&host, "well_behaved").await.as_deref(), Ok("done"));
}

/// Both of two entries are good, and each lies under the other's name.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn entries_of_the_cache_that_were_exchanged_are_not_taken() {
    let (first, scratch) = host_of(host::builder()).await;
    let entries = || {
        let files = std::fs::read_dir(scratch.path().join("cache")).unwrap();
        files
            .map(|entry| entry.unwrap().path())
            .collect::<std::collections::BTreeSet<_>>()
    };
    let none = entries();
    assert_eq!(answer(&first, "well_behaved").await.as_deref(), Ok("done"));
    let one = entries();
    assert_eq!(answer(&first, "trap").await.as_deref(), Ok("tool.trap"));
    let both = entries();
    let (good, bad) = (
        one.difference(&none).next().unwrap(),
        both.difference(&one).next().unwrap(),
    );
    let aside = scratch.path().join("aside");
    std::fs::rename(good, &aside).unwrap();
    std::fs::rename(bad, good).unwrap();
    std::fs::rename(&aside, bad).unwrap();
    let second = host::builder()
        .cache_dir(scratch.path().join("cache"))
        .build()
        .await
        .unwrap();
    assert_eq!(answer(&second, "well_behaved").await.as_deref(), Ok("done"));
    assert_eq!(answer(&second, "trap").await.as_deref(), Ok("tool.trap"));
}

/// Large components run on an engine of their own, under the same limits.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_large_component_has_the_same_limits() {
    for builder in [host::builder(), host::builder().small()] {
        let host = builder.build().await.unwrap();
        for (guest, code) in [
            ("well_behaved", "done"),
            ("memory_growth", "tool.memory_limit"),
            ("recursion", "tool.stack_overflow"),
            ("memory_declared", "extension.invalid_component"),
        ] {
            let bytes = [component(guest), files::padding(5 << 20)].concat();
            let ended = answer_of(&host, bytes).await.unwrap_or_else(|refused| refused);
            assert!(ended.starts_with(code), "{guest}: {ended}");
        }
    }
}
