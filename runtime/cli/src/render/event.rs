//! One event of a journal as one line, known or not: number, time, type, and the scalars of its payload.

use innkeeper::protocol::envelope::{Envelope, Level};
use serde_json::Value;

use super::paint::Paint;
use super::text::{fit, pad, pad_left, plain};

/// Columns of the type: the longest usual ones fit.
const KIND_COLUMNS: usize = 28;
/// Columns of one value of the payload.
const MAX_VALUE_COLUMNS: usize = 48;
/// Members that say the same on nearly every line.
const EVERYWHERE: [&str; 5] = [
    "eventScope",
    "invocationId",
    "workspaceId",
    "stableChatId",
    "snapshotId",
];

/// The event as a line, cut to the columns if there is a limit.
pub(crate) fn event_line(event: &Envelope, paint: Paint, columns: Option<usize>) -> String {
    let seq = pad_left(&event.seq.to_string(), 4);
    let time: String = plain(event.timestamp.get(11..23).unwrap_or(&event.timestamp));
    let kind = plain(&event.kind);
    let kind = if kind.len() <= KIND_COLUMNS {
        pad(&kind, KIND_COLUMNS)
    } else {
        kind
    };
    let used = 4 + 2 + super::text::width(&time) + 2 + super::text::width(&kind) + 2;
    let members = members(&event.payload);
    let members = columns.map_or_else(|| members.clone(), |all| fit(&members, all.saturating_sub(used)));
    let kind = match event.level {
        Level::Debug => paint.dim(&kind),
        Level::Info => kind,
        Level::Warn => paint.odd(&kind),
        Level::Error => paint.bad(&kind),
    };
    format!("{}  {}  {kind}  {members}", paint.dim(&seq), paint.dim(&time))
        .trim_end()
        .to_owned()
}

fn members(payload: &Value) -> String {
    let Value::Object(members) = payload else {
        return String::new();
    };
    let shown = members
        .iter()
        .filter(|(name, value)| !EVERYWHERE.contains(&name.as_str()) && !value.is_null());
    let member = |(name, value): (&String, &Value)| {
        let value = match value {
            Value::String(text) => fit(&plain(text), MAX_VALUE_COLUMNS),
            Value::Object(_) => "{\u{2026}}".to_owned(),
            Value::Array(items) => format!("[{}]", items.len()),
            other => other.to_string(),
        };
        format!("{}={value}", plain(name))
    };
    shown.map(member).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event(kind: &str, payload: Value) -> Envelope {
        serde_json::from_value(json!({
            "seq": 12, "id": "evt_1", "runId": "run_1", "timestamp": "2026-10-05T07:00:05.250Z",
            "level": "info", "type": kind, "payload": payload,
        }))
        .unwrap()
    }

    #[test]
    fn an_event_of_another_version_is_shown_too() {
        let line = event_line(
            &event(
                "from_the_future",
                json!({"a": 1, "b": null, "invocationId": "inv_root"}),
            ),
            Paint::new(false),
            None,
        );
        assert_eq!(line, "  12  07:00:05.250  from_the_future               a=1");
    }

    #[test]
    fn a_line_is_cut_to_the_terminal() {
        let line = event_line(
            &event("chat_commit_failed", json!({"message": "渡".repeat(40)})),
            Paint::new(false),
            Some(63),
        );
        assert_eq!(super::super::text::width(&line), 63, "{line}");
    }
}
