//! Feeds an answer whole and cut in two; both must be read alike, and neither may show the key that the answer says back.
//!
//! Shared by the targets of the four formats; no target of its own.

use std::sync::Mutex;

use innkeeper_gateway::key::ApiKey;
use innkeeper_gateway::provider::Provider;
use innkeeper_gateway::stream::StreamDecoder;
use innkeeper_protocol::id::ModelAlias;
use innkeeper_protocol::model::{LiveDelta, LiveSink, ModelError, ModelInfo, ModelResponse};

/// A key that an answer can easily hold: most of it is one letter.
const KEY: &str = "eeeeeeeeeeeeeeee";

/// Keeps what it is shown.
#[derive(Default)]
struct Watcher(Mutex<Vec<LiveDelta>>);

impl LiveSink for Watcher {
    fn show(&self, delta: LiveDelta) {
        if let Ok(mut shown) = self.0.lock() {
            shown.push(delta);
        }
    }
}

fn read(provider: Provider, pieces: &[&[u8]]) -> (Result<ModelResponse, ModelError>, Vec<LiveDelta>) {
    let info = ModelInfo {
        source: provider.source().to_owned(),
        format: provider.format().to_owned(),
        model: "m".to_owned(),
        can_stream: true,
    };
    let key = ApiKey::parse(KEY, "KEY").ok().flatten();
    let mut decoder = StreamDecoder::new(provider, info, ModelAlias::parse("look").ok(), key);
    let watcher = Watcher::default();
    let fed = pieces.iter().try_for_each(|piece| decoder.feed(piece, &watcher));
    let answer = fed.and_then(|()| decoder.finish(&watcher));
    (answer, watcher.0.into_inner().unwrap_or_default())
}

/// The texts of a kind, joined.
fn joined<'a>(shown: &'a [LiveDelta], of: impl Fn(&'a LiveDelta) -> Option<&'a str>) -> String {
    shown.iter().filter_map(of).collect()
}

/// The last byte says where the rest is cut.
pub fn check(provider: Provider, data: &[u8]) {
    let Some((cut, bytes)) = data.split_last() else { return };
    let (before, after) = bytes.split_at(bytes.len() * usize::from(*cut) / 256);
    let (answer, shown) = read(provider, &[bytes]);
    assert_eq!(read(provider, &[before, after]), (answer.clone(), shown.clone()));
    let texts = [
        joined(&shown, |delta| match delta {
            LiveDelta::Text(text) => Some(text),
            _ => None,
        }),
        joined(&shown, |delta| match delta {
            LiveDelta::Arguments { index: 0, text } => Some(text),
            _ => None,
        }),
        match answer {
            Ok(response) => serde_json::to_string(&response).unwrap_or_default(),
            Err(error) => error.to_string(),
        },
    ];
    assert!(texts.iter().all(|text| !text.contains(KEY)), "{texts:?}");
}
