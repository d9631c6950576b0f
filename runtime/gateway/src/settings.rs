//! Generation settings on their way into a request.
//!
//! Each format lists what may pass, not what may not: the settings of a chat application also hold addresses, passwords and its own
//! switches, which must not travel.

use innkeeper_protocol::model::ModelRequest;
use serde_json::{Map, Value};

/// A setting that a format knows, and what it is called there.
pub(crate) type Known = (&'static str, &'static str);

/// A host's switch for the formats in which rules for the model have a place of their own; they are used unless it is false.
const USE_SYSTEM_PROMPT: &str = "use_sysprompt";

/// The settings of the list that have a value, under the names of the format and in the order given. Where two mean the same, the
/// one that stands first in the list counts.
pub(crate) fn known(settings: &Map<String, Value>, list: &[Known]) -> Map<String, Value> {
    let mut found = Map::new();
    for (name, value) in settings.iter().filter(|(_, value)| !value.is_null()) {
        let Some(rank) = list.iter().position(|(known, _)| known == name) else {
            tracing::debug!(
                setting = name,
                "a generation setting is not part of this format and is left out"
            );
            continue;
        };
        let Some((_, wire)) = list.get(rank) else { continue };
        let better = |(other, its_wire): &Known| its_wire == wire && settings.get(*other).is_some_and(|v| !v.is_null());
        if !list.iter().take(rank).any(better) {
            found.insert((*wire).to_owned(), value.clone());
        }
    }
    found
}

/// Whether rules for the model may stand apart from the conversation.
pub(crate) fn uses_system_prompt(request: &ModelRequest) -> bool {
    !is_off(request, USE_SYSTEM_PROMPT)
}

/// Whether a setting is switched on.
pub(crate) fn is_on(request: &ModelRequest, name: &str) -> bool {
    request.settings.get(name) == Some(&Value::Bool(true))
}

/// Whether a setting is switched off.
pub(crate) fn is_off(request: &ModelRequest, name: &str) -> bool {
    request.settings.get(name) == Some(&Value::Bool(false))
}

/// Stop texts as a list, which some formats want where others also take a single one.
pub(crate) fn listed(value: Value) -> Value {
    match value {
        Value::String(_) => Value::Array(vec![value]),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const LIST: [Known; 3] = [("a", "x"), ("b", "x"), ("c", "c")];

    fn kept(settings: Value) -> Value {
        Value::Object(known(settings.as_object().unwrap(), &LIST))
    }

    #[test]
    fn only_known_settings_with_a_value_pass_and_the_first_name_counts() {
        assert_eq!(
            kept(json!({"c": 1, "password": "canary", "b": 2})),
            json!({"c": 1, "x": 2})
        );
        assert_eq!(kept(json!({"b": 2, "a": 1})), json!({"x": 1}));
        assert_eq!(kept(json!({"a": null, "b": 2, "c": null})), json!({"x": 2}));
    }

    #[test]
    fn one_stop_text_becomes_a_list() {
        assert_eq!((listed(json!("a")), listed(json!(["a"]))), (json!(["a"]), json!(["a"])));
    }
}
