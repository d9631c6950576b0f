//! The arguments of a call in a few words.

use serde_json::Value;

use super::text::{fit, plain};

/// Columns of one value; the whole is in the run's folder.
const MAX_VALUE_COLUMNS: usize = 36;

/// `query "brass key", limit 5`.
pub(super) fn arguments_line(arguments: &Value) -> String {
    match arguments {
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| format!("{} {}", plain(name), value_text(value));
            members.iter().map(member).collect::<Vec<_>>().join(", ")
        }
        other => value_text(other),
    }
}

fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => format!("\u{201c}{}\u{201d}", fit(&plain(text), MAX_VALUE_COLUMNS)),
        other => fit(&plain(&other.to_string()), MAX_VALUE_COLUMNS),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_long_text_is_shortened_and_a_list_is_json() {
        let line = arguments_line(&json!({"path": "a.md", "content": "x".repeat(50), "messages": [{"index": 3}]}));
        let long = format!("{}\u{2026}", "x".repeat(35));
        assert_eq!(
            line,
            format!("path “a.md”, content “{long}”, messages [{{\"index\":3}}]")
        );
    }
}
