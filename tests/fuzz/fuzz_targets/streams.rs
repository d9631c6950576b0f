//! Feeds an answer whole and cut in two; both must be read alike.
//!
//! Shared by the targets of the four formats; no target of its own.

use std::sync::Mutex;

use innkeeper_gateway::provider::Provider;
use innkeeper_gateway::stream::StreamDecoder;
use innkeeper_protocol::id::ModelAlias;
use innkeeper_protocol::model::{LiveDelta, LiveSink, ModelError, ModelInfo, ModelResponse};

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
    let mut decoder = StreamDecoder::new(provider, info, ModelAlias::parse("look").ok(), None);
    let watcher = Watcher::default();
    let fed = pieces.iter().try_for_each(|piece| decoder.feed(piece, &watcher));
    let answer = fed.and_then(|()| decoder.finish(&watcher));
    (answer, watcher.0.into_inner().unwrap_or_default())
}

/// The first byte says where the rest is cut.
pub fn check(provider: Provider, data: &[u8]) {
    let Some((cut, bytes)) = data.split_first() else { return };
    let (before, after) = bytes.split_at(bytes.len() * usize::from(*cut) / 256);
    assert_eq!(read(provider, &[before, after]), read(provider, &[bytes]));
}
