//! A call's result as programs get it: the JSON object that `innkeeper tools call --json` prints, and of which `tools script --json`
//! prints a list.
//!
//! Cases are judged by this and by nothing else of the host, so that whatever prints such JSON can be judged by them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The object, no key more and none less.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Printed {
    /// `call_1` and so on.
    pub call_id: String,
    /// As `builtin:dice.roll`.
    pub tool_id: String,
    /// Whether it is an error.
    pub is_error: bool,
    /// Its code.
    #[serde(deserialize_with = "present")]
    pub error_code: Option<String>,
    /// What a model reads.
    pub model_text: String,
    /// Typed blocks.
    pub content: Vec<Value>,
    /// For programs.
    #[serde(deserialize_with = "present")]
    pub structured: Option<Value>,
    /// What the result refers to.
    pub resource_refs: Vec<String>,
    /// What the call did, or in a run would do.
    pub effects: Vec<Value>,
    /// Limits used.
    pub usage: Used,
}

/// Limits used.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Used {
    /// Microseconds, waiting included.
    pub wall_micros: u64,
    /// Most memory at once.
    pub peak_memory_bytes: u64,
    /// Calls into the host.
    pub host_calls: u64,
    /// Bytes of the reply.
    pub output_bytes: u64,
}

/// A key that may be null and may not be missing.
fn present<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(from)
}

impl Printed {
    /// A result, printed and read back.
    ///
    /// # Errors
    /// When it is not that object.
    pub fn of(result: &impl Serialize) -> Result<Self, String> {
        let text = serde_json::to_string(result).map_err(|e| e.to_string())?;
        serde_json::from_str(&text).map_err(|e| format!("{text:.300} is not what is printed: {e}"))
    }
}

#[cfg(test)]
mod tests {
    use super::Printed;

    const WHOLE: &str = r#"{"callId":"call_1","toolId":"builtin:dice.roll","isError":false,"errorCode":null,"modelText":"3","content":[],
        "structured":null,"resourceRefs":[],"effects":[],"usage":{"wallMicros":1,"peakMemoryBytes":1,"hostCalls":0,"outputBytes":1}}"#;

    #[test]
    fn a_result_has_all_keys_and_no_other() {
        assert!(serde_json::from_str::<Printed>(WHOLE).is_ok());
        for damaged in [
            WHOLE.replace(r#""errorCode":null,"#, ""),
            WHOLE.replace(r#""structured":null,"#, ""),
            WHOLE.replace("resourceRefs", "resource_refs"),
            WHOLE.replace(r#""effects":[]"#, r#""effects":[],"draws":[]"#),
        ] {
            assert!(serde_json::from_str::<Printed>(&damaged).is_err(), "{damaged}");
        }
    }
}
