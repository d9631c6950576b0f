//! One event as one line of the file, and back.
//!
//! It judges a line alone; whether it stands in the right place is said by `scan`.

use innkeeper_protocol::envelope::Envelope;
use serde_json::Value;

use super::chain::Chain;
use super::error::Refused;

/// Longest line that is written or read, line feed excluded. Large texts live in files of their own, so a longer line is an
/// accident or an attack, and reading it would cost memory without bound.
pub const MAX_LINE_BYTES: usize = 4 * 1024 * 1024;

/// Deepest payload that is written: the JSON reader stops at 128 levels, and the envelope needs some of them.
pub const MAX_PAYLOAD_DEPTH: usize = 120;

const CHAIN_OPEN: &[u8] = b",\"chain\":\"";
const CHAIN_CLOSE: &[u8] = b"\"}";

/// A line that was read.
#[derive(Debug)]
pub(crate) struct StoredLine {
    /// The event.
    pub(crate) envelope: Envelope,
    /// Its link, unless the writer knew none.
    pub(crate) chain: Option<Chain>,
    /// Bytes at the line's start that the link covers; one closing brace follows them. Without a link: the whole line.
    covered: usize,
}

impl StoredLine {
    /// The link that this line should have after `previous`.
    pub(crate) fn link_after(&self, previous: Chain, line: &[u8]) -> Chain {
        let text = line.get(..self.covered).unwrap_or_default();
        if self.chain.is_some() {
            previous.after(&[text, b"}"])
        } else {
            previous.after(&[text])
        }
    }
}

/// Writes the event as a line that follows `previous`, line feed included.
pub(crate) fn encode(envelope: &Envelope, previous: Chain) -> Result<(Vec<u8>, Chain), Refused> {
    if !within_depth(&envelope.payload, MAX_PAYLOAD_DEPTH) {
        return Err(Refused::TooDeep);
    }
    let mut line = serde_json::to_vec(envelope).map_err(|error| Refused::NotJson(error.to_string()))?;
    let chain = previous.after(&[&line]);
    line.pop();
    line.extend_from_slice(CHAIN_OPEN);
    line.extend_from_slice(chain.to_string().as_bytes());
    line.extend_from_slice(CHAIN_CLOSE);
    if line.len() > MAX_LINE_BYTES {
        return Err(Refused::TooLong { bytes: line.len() });
    }
    line.push(b'\n');
    Ok((line, chain))
}

/// Reads a line, line feed and surrounding blanks left out. None: it is no event.
pub(crate) fn decode(line: &[u8]) -> Option<StoredLine> {
    let mut envelope: Envelope = serde_json::from_slice(line).ok()?;
    let member = envelope.extra.shift_remove("chain");
    match (member, split_chain(line)) {
        (None, _) => Some(StoredLine {
            envelope,
            chain: None,
            covered: line.len(),
        }),
        (Some(_), Some((covered, chain))) => Some(StoredLine {
            envelope,
            chain: Some(chain),
            covered,
        }),
        // The writer puts the link last. One that stands elsewhere, or is no link, covers nothing that could be checked.
        (Some(_), None) => None,
    }
}

/// The number alone: what a search in a long file needs.
pub(crate) fn decode_seq(line: &[u8]) -> Option<u64> {
    #[derive(serde::Deserialize)]
    struct Numbered {
        seq: u64,
    }
    serde_json::from_slice::<Numbered>(line)
        .ok()
        .map(|numbered| numbered.seq)
}

/// Splits `…,"chain":"<16 hex>"}` before the comma. In valid JSON these bytes at the end can only be the object's last member: hex
/// has no quote, and the quotes before it follow `:` and `,`, so they are not escaped and open a string.
fn split_chain(line: &[u8]) -> Option<(usize, Chain)> {
    let rest = line.strip_suffix(CHAIN_CLOSE)?;
    let (rest, link) = rest.split_at_checked(rest.len().checked_sub(Chain::LEN)?)?;
    let covered = rest.strip_suffix(CHAIN_OPEN)?;
    Some((covered.len(), Chain::parse(link)?))
}

fn within_depth(value: &Value, left: usize) -> bool {
    match value {
        Value::Array(items) => left > 0 && items.iter().all(|item| within_depth(item, left - 1)),
        Value::Object(members) => left > 0 && members.values().all(|member| within_depth(member, left - 1)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use innkeeper_protocol::envelope::Level;
    use serde_json::{Map, json};

    use super::*;

    fn event(payload: Value) -> Envelope {
        Envelope {
            seq: 1,
            id: "evt_1".to_owned(),
            run_id: "run_1".to_owned(),
            timestamp: "2026-01-01T00:00:00Z".to_owned(),
            level: Level::Info,
            kind: "status_changed".to_owned(),
            payload,
            extra: Map::new(),
        }
    }

    #[test]
    fn the_line_has_its_members_in_order_and_the_link_last() {
        let (line, chain) = encode(&event(json!({"status": "created"})), Chain::START).unwrap();
        let text = concat!(
            r#"{"seq":1,"id":"evt_1","runId":"run_1","timestamp":"2026-01-01T00:00:00Z","#,
            r#""level":"info","type":"status_changed","payload":{"status":"created"}"#
        );
        assert_eq!(
            String::from_utf8(line).unwrap(),
            format!("{text},\"chain\":\"{chain}\"}}\n")
        );
        assert_eq!(chain, Chain::START.after(&[format!("{text}}}").as_bytes()]));
    }

    #[test]
    fn a_payload_that_ends_like_a_link_is_not_taken_for_one() {
        for payload in [
            json!({"a": 1, "chain": "0123456789abcdef"}),
            json!({"x": ",\"chain\":\"0123456789abcdef"}),
        ] {
            let bare = serde_json::to_vec(&event(payload)).unwrap();
            assert_eq!(decode(&bare).unwrap().chain, None);
        }
    }

    #[test]
    fn unknown_members_are_kept_and_covered() {
        let mut newer = event(Value::Null);
        newer.extra.insert("origin".to_owned(), json!("phone"));
        let (line, chain) = encode(&newer, Chain::START).unwrap();
        let text = line.strip_suffix(b"\n").unwrap();
        let stored = decode(text).unwrap();
        assert_eq!(stored.link_after(Chain::START, text), chain);
        assert_eq!((stored.chain, stored.envelope), (Some(chain), newer));
    }

    #[test]
    fn what_a_reader_could_not_take_is_refused() {
        let deep = (0..=MAX_PAYLOAD_DEPTH).fold(Value::Null, |inner, _| json!([inner]));
        assert_eq!(encode(&event(deep), Chain::START).unwrap_err(), Refused::TooDeep);
        let long = encode(&event(json!({"text": "x".repeat(MAX_LINE_BYTES)})), Chain::START).unwrap_err();
        assert!(matches!(long, Refused::TooLong { .. }));
        let deepest = (0..MAX_PAYLOAD_DEPTH).fold(Value::Null, |inner, _| json!([inner]));
        let (line, _) = encode(&event(deepest.clone()), Chain::START).unwrap();
        assert_eq!(decode(line.trim_ascii()).unwrap().envelope.payload, deepest);
    }
}
