//! What the sandbox costs a search through a long chat, and whether reading one message costs more in a longer chat.
//!
//! Everything is a ratio within one run, printed and not asserted: a machine's mood is no test.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a bench may stop where it stands, and prints its result"
)]
#![allow(clippy::disallowed_methods, reason = "time is what is measured")]

#[path = "../../../tools/benches/measure/mod.rs"]
mod measure;
mod native;
mod story;

use std::hint::black_box;
use std::path::Path;

use innkeeper::{BenchSetup, Innkeeper, ToolBench};
use innkeeper_store::chat::{ChatPath, read_chat};
use serde_json::{Value, json};

use measure::{Sample, heading, row};
use native::Native;
use story::Language;

/// Messages of the chat that is searched.
const SEARCHED: u32 = 10_000;
/// Messages of the two chats of which one message is read.
const SHORT: u32 = 1_000;
const LONG: u32 = 50_000;
const SEARCH_ROUNDS: usize = 25;
const READ_ROUNDS: usize = 50;
/// Reads of each chat in a round.
const READS: usize = 40;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("threads");
    runtime.block_on(async {
        measure::load("before");
        let host = Innkeeper::builder().build().await.expect("a host");
        let folder = tempfile::tempdir().expect("a temporary folder");
        let searches = [
            (Language::PlainEnglish, "brass lantern"),
            (Language::English, "brass lantern"),
            (Language::Japanese, "真鍮の灯籠"),
        ];
        for (language, query) in searches {
            search(&host, folder.path(), language, query).await;
        }
        read(&host, folder.path()).await;
        measure::load("after");
    });
}

async fn search(host: &Innkeeper, folder: &Path, language: Language, query: &str) {
    let chat = folder.join("searched.jsonl");
    let bytes = story::write(&chat, SEARCHED, language);
    let native = Native::open(&chat, query);
    let arguments = json!({ "query": query });
    let mut tools = bench(host, folder, &chat).await;
    let found = tools.call("chat.search", &arguments).await.expect("a result");
    assert_eq!(
        indexes(found.structured.as_ref()),
        native.through_port(),
        "both find the same"
    );
    let (mut ours, mut port, mut memory) = (Sample::default(), Sample::default(), Sample::default());
    for _ in 0..SEARCH_ROUNDS {
        ours.batch(1, async || call(&mut tools, "chat.search", &arguments).await)
            .await;
        port.batch(1, async || drop(black_box(native.through_port()))).await;
        memory.batch(1, async || drop(black_box(native.in_memory()))).await;
    }
    let title = format!(
        "Searching {SEARCHED} messages, {} ({:.1} MB)",
        language.name(),
        bytes as f64 / 1e6
    );
    heading(&title, "native");
    row("native, messages of the chat file", &port, &port);
    row("chat.search through the sandbox", &ours, &port);
    row("native, texts decoded before", &memory, &port);
}

async fn read(host: &Innkeeper, folder: &Path) {
    let [short_chat, long_chat] = ["short.jsonl", "long.jsonl"].map(|name| folder.join(name));
    story::write(&short_chat, SHORT, Language::English);
    story::write(&long_chat, LONG, Language::English);
    let mut short_tools = bench(host, folder, &short_chat).await;
    let mut long_tools = bench(host, folder, &long_chat).await;
    let one = |index: u32| json!({ "messages": [{ "index": index }] });
    // The same message in both, so that only what surrounds it differs; and the last one, which is farthest.
    let (same, last) = (one(SHORT - 1), one(LONG - 1));
    let (mut short, mut long, mut end, mut parse) = Default::default();
    for _ in 0..READ_ROUNDS {
        read_batch(&mut short, &mut short_tools, &same).await;
        read_batch(&mut long, &mut long_tools, &same).await;
        read_batch(&mut end, &mut long_tools, &last).await;
    }
    for _ in 0..READ_ROUNDS / 10 {
        let path = ChatPath::resolve(&long_chat).expect("a file");
        Sample::batch(&mut parse, 1, async || {
            black_box(read_chat(&path).expect("a chat"));
        })
        .await;
    }
    heading("Reading one message within a run (chat.read_messages)", "1,000");
    row("chat of 1,000 messages", &short, &short);
    row("chat of 50,000 messages, the same message", &long, &short);
    row("chat of 50,000 messages, the last one", &end, &short);
    row("(reading and parsing all 50,000 instead)", &parse, &short);
}

async fn read_batch(into: &mut Sample, tools: &mut ToolBench, arguments: &Value) {
    into.batch(READS, async || call(tools, "chat.read_messages", arguments).await)
        .await;
}

async fn bench(host: &Innkeeper, workspace: &Path, chat: &Path) -> ToolBench {
    let setup = BenchSetup {
        workspace: workspace.to_owned(),
        chat: Some(chat.to_owned()),
        ..BenchSetup::default()
    };
    host.tool_bench(setup).await.expect("a bench")
}

async fn call(tools: &mut ToolBench, name: &str, arguments: &Value) {
    let result = tools.call(name, arguments).await.expect("a result");
    assert!(!result.is_error, "{}", result.model_text);
}

/// The messages of a search's result, best first.
fn indexes(structured: Option<&Value>) -> Vec<u32> {
    let hits = structured.and_then(|value| value.get("hits")).and_then(Value::as_array);
    let index = |hit: &Value| {
        hit.get("index")
            .and_then(Value::as_u64)
            .and_then(|n| u32::try_from(n).ok())
    };
    hits.into_iter().flatten().filter_map(index).collect()
}
