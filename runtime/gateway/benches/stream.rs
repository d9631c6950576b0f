//! Whether reading a stream byte by byte costs about the same as reading it at once, in each format.
//!
//! Nothing travels: the decoders are fed from memory. The ratios are printed, not asserted.

#![expect(
    clippy::expect_used,
    reason = "a benchmark that cannot set itself up has nothing to measure"
)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use innkeeper_gateway::provider::Provider;
use innkeeper_gateway::stream::StreamDecoder;
use innkeeper_protocol::id::ModelAlias;
use innkeeper_protocol::model::{LiveDelta, LiveSink, ModelInfo};
use serde_json::{Value, json};

/// Bytes of the whole stream: a turn far longer than any model writes.
const STREAM_BYTES: usize = 5 * 1024 * 1024;
/// What each event adds, as a model's tokens do.
const PIECE: &str = "The lamp is lit, \\\"we climb\\\". ";
/// Samples of which the fastest counts, so that other work of the machine does not.
const SAMPLES: usize = 5;

/// The stream of one long call, or of one long text where a call comes whole.
fn stream(provider: Provider) -> Vec<u8> {
    let (head, piece, tail) = match provider {
        Provider::Openai => chat(),
        Provider::OpenaiResponses => responses(),
        Provider::Claude => claude(),
        Provider::Gemini => gemini(),
    };
    let lines = |events: &[Value]| {
        events
            .iter()
            .map(|event| format!("data: {event}\n\n"))
            .collect::<String>()
    };
    let piece = lines(&[piece]);
    let count = STREAM_BYTES / piece.len();
    [lines(&head), piece.repeat(count), lines(&tail)].concat().into_bytes()
}

type Events = (Vec<Value>, Value, Vec<Value>);

fn chat() -> Events {
    let call = |call: Value| json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]});
    let more = |text: &str| call(json!({"index": 0, "function": {"arguments": text}}));
    let first = call(json!({"index": 0, "id": "c", "function": {"name": "write", "arguments": "{\"content\":\""}}));
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]});
    (vec![first], more(PIECE), vec![more("\"}"), end])
}

fn responses() -> Events {
    let more = |text: &str| json!({"type": "response.function_call_arguments.delta", "output_index": 0, "delta": text});
    let item =
        json!({"type": "function_call", "call_id": "c", "name": "write", "arguments": "{}", "status": "completed"});
    let first = json!({"type": "response.output_item.added", "output_index": 0, "item": item});
    let end = json!({"type": "response.completed", "response": {"id": "r", "status": "completed", "output": [item]}});
    (
        vec![first, more("{\"content\":\"")],
        more(PIECE),
        vec![more("\"}"), end],
    )
}

fn claude() -> Events {
    let more = |text: &str| json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": text}});
    let block = json!({"type": "tool_use", "id": "c", "name": "write", "input": {}});
    let head = vec![
        json!({"type": "message_start", "message": {"content": [], "stop_reason": null}}),
        json!({"type": "content_block_start", "index": 0, "content_block": block}),
        more("{\"content\":\""),
    ];
    let end = json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}});
    (head, more(PIECE), vec![more("\"}"), end])
}

fn gemini() -> Events {
    let more = json!({"candidates": [{"content": {"parts": [{"text": PIECE}]}}]});
    (vec![], more, vec![json!({"candidates": [{"finishReason": "STOP"}]})])
}

/// Counts what it is shown.
#[derive(Default)]
struct Counter(AtomicUsize);

impl LiveSink for Counter {
    fn show(&self, _: LiveDelta) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Reads a stream in pieces of so many bytes; gives how often something was shown.
fn read(provider: Provider, stream: &[u8], bytes: usize) -> usize {
    let info = ModelInfo {
        source: "bench".to_owned(),
        format: provider.format().to_owned(),
        model: "m".to_owned(),
        can_stream: true,
    };
    let tools = ModelAlias::parse("write").ok();
    let mut decoder = StreamDecoder::new(provider, info, tools, None);
    let counter = Counter::default();
    for piece in stream.chunks(bytes) {
        decoder.feed(piece, &counter).expect("a piece of the stream");
    }
    decoder.finish(&counter).expect("the end of the stream");
    counter.0.into_inner()
}

#[divan::bench(args = Provider::ALL, sample_count = 3)]
fn at_once(bencher: divan::Bencher<'_, '_>, provider: Provider) {
    let stream = stream(provider);
    bencher.bench_local(|| read(provider, &stream, stream.len()));
}

#[divan::bench(args = Provider::ALL, sample_count = 3)]
fn byte_by_byte(bencher: divan::Bencher<'_, '_>, provider: Provider) {
    let stream = stream(provider);
    bencher.bench_local(|| read(provider, &stream, 1));
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn fastest(provider: Provider, stream: &[u8], bytes: usize) -> Duration {
    let sample = || {
        let start = Instant::now();
        divan::black_box(read(provider, stream, bytes));
        start.elapsed()
    };
    (0..SAMPLES).map(|_| sample()).min().unwrap_or_default()
}

#[expect(clippy::print_stdout, reason = "a benchmark prints its result")]
fn main() {
    divan::main();
    for provider in Provider::ALL {
        let stream = stream(provider);
        let (once, bytes) = (fastest(provider, &stream, stream.len()), fastest(provider, &stream, 1));
        println!(
            "{}: {} bytes at once {once:?}, byte by byte {bytes:?}, ratio {:.2}",
            provider.name(),
            stream.len(),
            bytes.as_secs_f64() / once.as_secs_f64()
        );
    }
}
