//! The journal's unit: one event of one run, numbered and dated, as readers see it.
//!
//! It knows no event type. What a type means is said by `event`; an envelope also carries types and members that this version does
//! not know, so that nothing is lost by reading. The link between stored lines belongs to the store and is not here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How loud an event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Only for diagnosis.
    Debug,
    /// The normal course.
    Info,
    /// Something went wrong and the run goes on.
    Warn,
    /// Something went wrong that ends the run or a part of it.
    Error,
}

/// An event that has no number and no date yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// How loud it is.
    pub level: Level,
    /// Its type in snake_case, such as `tool_call_started`.
    pub kind: String,
    /// An object, or null.
    pub payload: Value,
}

impl Draft {
    /// An event of this type.
    #[must_use]
    pub fn new(level: Level, kind: &str, payload: Value) -> Self {
        Self {
            level,
            kind: kind.to_owned(),
            payload,
        }
    }
}

/// One event of one run, as readers see it.
///
/// ```
/// # use innkeeper_protocol::envelope::{Envelope, Level};
/// let line = r#"{"seq":1,"id":"evt_1","runId":"run_1","timestamp":"2026-01-01T00:00:00Z","level":"info","type":"run_created","payload":null}"#;
/// let event: Envelope = serde_json::from_str(line).unwrap();
/// assert_eq!((event.seq, event.level, event.kind.as_str()), (1, Level::Info, "run_created"));
/// assert_eq!(serde_json::to_string(&event).unwrap(), line);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(description = "One event of one run, as readers see it.")]
pub struct Envelope {
    /// Its number in the run: from 1, without a gap.
    pub seq: u64,
    /// `evt_<32 hex>`.
    pub id: String,
    /// The run that it belongs to.
    pub run_id: String,
    /// RFC 3339, UTC. Order comes from `seq` alone; a clock may jump.
    pub timestamp: String,
    /// How loud it is.
    pub level: Level,
    /// Its type in snake_case; types that this version does not know are kept.
    #[serde(rename = "type")]
    pub kind: String,
    /// An object, or null.
    pub payload: Value,
    /// Members that this version does not know, kept and shown.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Which invocations an event is about: the member `eventScope` of its payload, which the journal adds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventScope {
    /// The first among them.
    pub invocation_id: String,
    /// The others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related_invocation_ids: Vec<String>,
}

impl Envelope {
    /// A text member of the payload, when it is there and is a string.
    #[must_use]
    pub fn text(&self, member: &str) -> Option<&str> {
        self.payload.get(member).and_then(Value::as_str)
    }
}
