//! What commands take: schema and parser agree on what is allowed, what may be left out and what is unknown.
//!
//! Values that have the right shape and are refused by the command are none of this.

use innkeeper::ListQuery;
use innkeeper::profile::Profile;
use innkeeper::protocol::view::{ReadDiff, ReadModelTurn, ReadRunEvents, ReadWorkspaceFile, RollbackRun};
use innkeeper::{ApproveToolCall, StartAgentRun, SubmitGuidance};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::book;
use crate::host;

/// Checks a request: whole, and without each of its members, and with each of another type.
fn agree<T: DeserializeOwned>(name: &str, whole: &Value) {
    let path = format!("input/{name}.json");
    assert_eq!(book::complaints(&path, whole), Vec::<String>::new());
    for member in whole.as_object().unwrap().keys() {
        let mut less = whole.clone();
        less.as_object_mut().unwrap().remove(member);
        let mut other = whole.clone();
        other[member] = json!([{"no": "such thing"}]);
        for request in [whole, &less, &other] {
            let allowed = book::complaints(&path, request).is_empty();
            let parsed = serde_json::from_value::<T>(request.clone());
            assert_eq!(allowed, parsed.is_ok(), "{name} {member}: {request} {:?}", parsed.err());
        }
    }
}

#[test]
fn requests_about_runs() {
    let chat = json!({"kind": "character", "characterId": "Rowan.png", "fileName": "evening"});
    agree::<StartAgentRun>(
        "StartAgentRun",
        &json!({"chatRef": chat, "stableChatId": "chat-1", "generationType": "normal", "profileId": "p"}),
    );
    agree::<SubmitGuidance>(
        "SubmitGuidance",
        &json!({"runId": "run_1", "text": "slower", "clientGuidanceId": "mine"}),
    );
    agree::<ApproveToolCall>(
        "ApproveToolCall",
        &json!({"runId": "run_1", "callId": "c", "approved": true, "scope": "once", "approvalId": "a", "reason": "r"}),
    );
    let before = json!({"createdAt": "2026-01-01T00:00:00Z", "runId": "run_1"});
    agree::<ListQuery>(
        "ListQuery",
        &json!({"chatRef": chat, "stableChatId": "chat-1", "statuses": ["failed"], "before": before, "limit": 5}),
    );
    agree::<RollbackRun>("RollbackRun", &json!({"runId": "run_1", "checkpointId": "cp_000001"}));
}

#[test]
fn requests_about_what_runs_left() {
    agree::<ReadRunEvents>(
        "ReadRunEvents",
        &json!({"runId": "run_1", "afterSeq": 1, "beforeSeq": 9, "limit": 5, "invocationId": "inv_root",
            "includeTimelineProjection": true}),
    );
    agree::<ReadWorkspaceFile>(
        "ReadWorkspaceFile",
        &json!({"runId": "run_1", "path": "output/main.md"}),
    );
    agree::<ReadModelTurn>(
        "ReadModelTurn",
        &json!({"runId": "run_1", "invocationId": "inv_root", "round": 1, "maxChars": 10}),
    );
    agree::<ReadDiff>(
        "ReadDiff",
        &json!({"runId": "run_1", "from": "cp_000001", "to": "cp_000002", "path": "output/main.md", "maxChars": 10}),
    );
}

#[tokio::test]
async fn a_profile_to_be_saved() {
    let profile = json!(host::shared().await.default_profile());
    agree::<Profile>("Profile", &profile);
    let mut newer = profile.clone();
    newer["schemaVersion"] = json!(4);
    let mut unknown = profile;
    unknown["tools"]["allowed"] = json!([]);
    for refused in [newer, unknown] {
        assert_ne!(book::complaints("input/Profile.json", &refused), Vec::<String>::new());
    }
}

#[test]
fn an_unknown_member_is_refused_where_the_command_refuses_it() {
    let request = json!({"runId": "run_1", "text": "slower", "clientGuidanceID": "mine"});
    assert_ne!(
        book::complaints("input/SubmitGuidance.json", &request),
        Vec::<String>::new()
    );
    assert!(serde_json::from_value::<SubmitGuidance>(request).is_err());
}
