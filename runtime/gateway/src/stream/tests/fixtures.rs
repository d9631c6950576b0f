//! Streams as servers send them, one file for each of their ways (`fixtures/<provider>/*.sse`), and what each must become
//! (`expected.json` beside them).
//!
//! All are written by hand after what servers document and what people report of them; none was recorded.

use std::path::Path;

use proptest::prelude::Rng as _;
use proptest::test_runner::{RngAlgorithm, TestRng};
use serde_json::{Value, json};

use super::*;

/// Mutated streams of a test run; far more where `INNKEEPER_MUTANTS` says so.
const MUTANTS: usize = 1_000;

/// Streams of a provider by their names, in order.
fn streams(provider: Provider) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures")
        .join(provider.name());
    let mut streams = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "sse") {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            streams.push((name, std::fs::read(path).unwrap()));
        }
    }
    streams.sort();
    streams
}

fn expected(provider: Provider) -> Value {
    let path = format!(
        "{}/fixtures/{}/expected.json",
        env!("CARGO_MANIFEST_DIR"),
        provider.name()
    );
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// What a stream becomes, in the words of the file.
fn told(provider: Provider, stream: &[u8]) -> Value {
    let response = match fed(provider, &[stream]) {
        Ok((_, response)) => response,
        Err(error) => return json!({"error": error.code()}),
    };
    let calls = response.tool_calls.iter();
    let calls = calls.map(|call| json!({"id": call.call_id, "name": call.alias, "arguments": call.arguments}));
    json!({"text": response.text, "reasoning": response.reasoning, "calls": calls.collect::<Vec<_>>()})
}

#[test]
fn each_way_of_a_server_becomes_what_it_means() {
    for provider in Provider::ALL {
        let streams = streams(provider);
        assert!(streams.len() > 10, "{provider:?}");
        let told: Value = streams
            .into_iter()
            .map(|(name, stream)| (name, told(provider, &stream)))
            .collect();
        assert_eq!(told, expected(provider), "{provider:?}");
    }
}

#[test]
fn every_split_of_every_stream_gives_the_same() {
    for provider in Provider::ALL {
        for (name, stream) in streams(provider) {
            let whole = fed(provider, &[&stream]);
            for at in 0..=stream.len() {
                let (before, after) = stream.split_at(at);
                assert_eq!(fed(provider, &[before, after]), whole, "{provider:?} {name} at {at}");
            }
            assert_eq!(
                fed(provider, &stream.chunks(1).collect::<Vec<_>>()),
                whole,
                "{provider:?} {name}"
            );
        }
    }
}

/// What is shown of a turn is its text and its arguments, in the order in which they came.
#[test]
fn what_is_shown_is_what_the_turn_says() {
    for provider in Provider::ALL {
        for (name, stream) in streams(provider) {
            let Ok((shown, response)) = fed(provider, &[&stream]) else {
                continue;
            };
            let text: String = shown
                .iter()
                .filter_map(|delta| match delta {
                    LiveDelta::Text(text) => Some(text.as_str()),
                    _ => None,
                })
                .collect();
            assert!(text.is_empty() || text == response.text, "{provider:?} {name}: {text}");
            let begun = shown
                .iter()
                .filter(|delta| matches!(delta, LiveDelta::Call { .. }))
                .count();
            assert!(begun <= response.tool_calls.len(), "{provider:?} {name}: {shown:?}");
        }
    }
}

/// A stream with some of its bytes changed, dropped, doubled, or taken from another one.
fn mutated(random: &mut TestRng, streams: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut below = |count: usize| usize::try_from(random.next_u32()).unwrap() % count.max(1);
    let mut stream = streams[below(streams.len())].1.clone();
    for _ in 0..=below(4) {
        let from = below(stream.len());
        let to = (from + below(24)).min(stream.len());
        let piece = match below(5) {
            0 => vec![],
            1 => [&stream[from..to], &stream[from..to]].concat(),
            2 => vec![u8::try_from(below(256)).unwrap(); to - from],
            3 => b"\"\\{}[]:,\n\r0\xF0"[below(12)..].to_vec(),
            _ => {
                let other = &streams[below(streams.len())].1;
                let events: Vec<&[u8]> = other.split_inclusive(|byte| *byte == b'\n').collect();
                events[below(events.len())].to_vec()
            }
        };
        stream.splice(from..to, piece);
    }
    stream
}

#[test]
fn no_mutant_breaks_a_decoder_or_depends_on_the_cut() {
    let wanted = std::env::var("INNKEEPER_MUTANTS")
        .ok()
        .and_then(|count| count.parse().ok());
    let rounds = wanted.unwrap_or(MUTANTS);
    let mut random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    for provider in Provider::ALL {
        let streams = streams(provider);
        for round in 0..rounds {
            let stream = mutated(&mut random, &streams);
            let (before, after) = stream.split_at(stream.len() * (round % 7) / 7);
            let whole = fed(provider, &[&stream]);
            assert_eq!(
                fed(provider, &[before, after]),
                whole,
                "{provider:?}: {}",
                String::from_utf8_lossy(&stream)
            );
        }
    }
}
