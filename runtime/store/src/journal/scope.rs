//! Which invocations an event is about.
//!
//! An event says so in `payload.eventScope`, which is added when it is appended. Events of journals without scopes are judged by
//! the members of their payload.

use innkeeper_protocol::envelope::{Draft, Envelope, EventScope};
use serde_json::{Map, Value, json};

use super::error::JournalError;

const SCOPE: &str = "eventScope";
const ROOT: &str = "inv_root";
/// Members of a payload that name an invocation, in the order in which one becomes the primary.
const FIELDS: [&str; 5] = [
    "invocationId",
    "parentInvocationId",
    "sourceInvocationId",
    "childInvocationId",
    "newInvocationId",
];

/// Adds `eventScope {invocationId, relatedInvocationIds?}` to a payload that names invocations. Null payloads have none.
///
/// # Errors
/// `agent.event_scope_invalid` when there is one already and it is no object.
pub(crate) fn annotate(draft: &mut Draft) -> Result<(), JournalError> {
    let Draft { kind, payload, .. } = draft;
    let Value::Object(members) = payload else { return Ok(()) };
    let given = match members.get(SCOPE) {
        None => None,
        Some(Value::Object(scope)) => Some(scope),
        Some(_) => return Err(JournalError::ScopeInvalid { kind: kind.clone() }),
    };
    let explicit = given.and_then(|scope| text(scope, "invocationId"));
    let Some(primary) = explicit.or_else(|| implied_primary(kind, members)).map(str::to_owned) else {
        return Ok(());
    };
    let mut related: Vec<String> = given.map(related_of).unwrap_or_default();
    for id in named(members) {
        if id != primary && !related.iter().any(|known| known == id) {
            related.push(id.to_owned());
        }
    }
    let scope = EventScope {
        invocation_id: primary,
        related_invocation_ids: related,
    };
    members.insert(SCOPE.to_owned(), json!(scope));
    Ok(())
}

/// Whether the event is about this invocation, first or among others.
pub(crate) fn concerns(event: &Envelope, invocation: &str) -> bool {
    let Value::Object(members) = &event.payload else {
        return invocation == ROOT && event.kind.starts_with("run_");
    };
    match members.get(SCOPE) {
        Some(Value::Object(scope)) => {
            text(scope, "invocationId") == Some(invocation) || related_of(scope).iter().any(|id| id == invocation)
        }
        _ if invocation == ROOT => concerns_root(&event.kind, members),
        _ => named(members).any(|id| id == invocation),
    }
}

fn implied_primary<'a>(kind: &str, members: &'a Map<String, Value>) -> Option<&'a str> {
    let by_kind = match kind {
        "agent_delegate_started" => text(members, "parentInvocationId"),
        "agent_handoff_requested" | "agent_handoff_accepted" => text(members, "sourceInvocationId"),
        "task_return_completed" => text(members, "childInvocationId"),
        _ if kind.starts_with("agent_task_") => text(members, "parentInvocationId"),
        _ => None,
    };
    let of_root = || (kind.starts_with("run_") || kind == "status_changed").then_some(ROOT);
    by_kind.or_else(|| named(members).next()).or_else(of_root)
}

/// The rule for journals without scopes: the root sees its own events, and none that also belong to a child.
fn concerns_root(kind: &str, members: &Map<String, Value>) -> bool {
    let is_root = |field| text(members, field) == Some(ROOT);
    let foreign = |field| text(members, field).is_some_and(|id| id != ROOT);
    if kind.starts_with("run_") {
        return true;
    }
    if kind.starts_with("agent_task_") {
        return false;
    }
    (kind == "agent_delegate_started" && is_root("parentInvocationId"))
        || (is_root("invocationId") && !foreign("childInvocationId") && !foreign("newInvocationId"))
}

fn named(members: &Map<String, Value>) -> impl Iterator<Item = &str> {
    FIELDS.iter().filter_map(|field| text(members, field))
}

fn related_of(scope: &Map<String, Value>) -> Vec<String> {
    let ids = scope.get("relatedInvocationIds").and_then(Value::as_array);
    ids.into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

fn text<'a>(members: &'a Map<String, Value>, field: &str) -> Option<&'a str> {
    members.get(field).and_then(Value::as_str).filter(|id| !id.is_empty())
}

#[cfg(test)]
mod tests {
    use innkeeper_protocol::envelope::Level;

    use super::*;

    fn scope_of(kind: &str, payload: Value) -> Value {
        let mut draft = Draft::new(Level::Info, kind, payload);
        annotate(&mut draft).unwrap();
        draft.payload.get(SCOPE).cloned().unwrap_or(Value::Null)
    }

    fn event(kind: &str, payload: Value) -> Envelope {
        let members = json!({"seq": 1, "id": "e", "runId": "r", "timestamp": "t", "level": "info"});
        let mut members = members.as_object().unwrap().clone();
        members.insert("type".to_owned(), json!(kind));
        members.insert("payload".to_owned(), payload);
        serde_json::from_value(Value::Object(members)).unwrap()
    }

    #[test]
    fn the_primary_comes_from_the_type_before_the_members() {
        let child = json!({"parentInvocationId": "inv_root", "childInvocationId": "inv_a"});
        let both = |primary: &str, other: &str| json!({"invocationId": primary, "relatedInvocationIds": [other]});
        assert_eq!(scope_of("agent_task_queued", child.clone()), both("inv_root", "inv_a"));
        assert_eq!(
            scope_of("agent_delegate_started", child.clone()),
            both("inv_root", "inv_a")
        );
        assert_eq!(scope_of("task_return_completed", child), both("inv_a", "inv_root"));
        let handoff = json!({"sourceInvocationId": "inv_root", "newInvocationId": "inv_b"});
        assert_eq!(scope_of("agent_handoff_accepted", handoff), both("inv_root", "inv_b"));
        assert_eq!(
            scope_of("status_changed", json!({"status": "created"})),
            json!({"invocationId": "inv_root"})
        );
        assert_eq!(
            scope_of("workspace_initialized", json!({"workspaceId": "w"})),
            Value::Null
        );
        assert_eq!(scope_of("run_completed", Value::Null), Value::Null);
    }

    #[test]
    fn a_given_scope_wins_and_is_completed_without_duplicates() {
        let payload = json!({
            "eventScope": {"invocationId": "inv_x", "relatedInvocationIds": ["inv_y"]},
            "invocationId": "inv_y", "childInvocationId": "inv_z",
        });
        let expected = json!({"invocationId": "inv_x", "relatedInvocationIds": ["inv_y", "inv_z"]});
        assert_eq!(scope_of("tool_call_started", payload), expected);
        let mut bad = Draft::new(Level::Info, "tool_call_started", json!({"eventScope": "inv_x"}));
        assert_eq!(annotate(&mut bad).unwrap_err().code(), "agent.event_scope_invalid");
    }

    #[test]
    fn without_scopes_the_root_sees_its_own_events_only() {
        let root = json!({"invocationId": "inv_root"});
        let delegated = json!({"parentInvocationId": "inv_root", "childInvocationId": "inv_a"});
        let shared = json!({"invocationId": "inv_root", "childInvocationId": "inv_a"});
        for (kind, payload, for_root, for_child) in [
            ("run_completed", Value::Null, true, false),
            ("run_failed", json!({"code": "x"}), true, false),
            ("status_changed", json!({"status": "created"}), false, false),
            ("tool_call_started", root, true, false),
            ("tool_call_started", shared, false, true),
            ("agent_delegate_started", delegated.clone(), true, true),
            ("agent_task_queued", delegated, false, true),
        ] {
            let event = event(kind, payload);
            assert_eq!(
                (concerns(&event, ROOT), concerns(&event, "inv_a")),
                (for_root, for_child),
                "{kind}"
            );
        }
    }

    #[test]
    fn with_scopes_primary_and_related_count() {
        let scope = json!({"eventScope": {"invocationId": "inv_a", "relatedInvocationIds": ["inv_root"]}});
        let event = event("tool_call_started", scope);
        let seen = ["inv_a", "inv_root", "inv_b"].map(|id| concerns(&event, id));
        assert_eq!(seen, [true, true, false]);
    }
}
