//! Calls that a person must agree to: what is shown, what an answer leads to, and what never counts as one.

use std::sync::Arc;

use innkeeper::protocol::envelope::Envelope;
use innkeeper::protocol::run::RunStatus;
use innkeeper::{ApproveToolCall, HostError, InboxRequest, RemoteAnswer, RunHandle};
use serde_json::{Value, json};

use super::stage::{Stage, script};

const WRITE: &str = "builtin:workspace.write_file";
const PATCH: &str = "builtin:workspace.apply_patch";

fn write(id: &str, content: &str) -> Value {
    json!({"id": id, "name": "workspace_write_file", "arguments": {"path": "output/main.md", "content": content}})
}

/// A background-like end: text twice, so that the run ends by itself.
fn turns(calls: &[Value]) -> Value {
    let mut turns: Vec<Value> = calls.iter().map(|call| json!({"calls": [call]})).collect();
    turns.extend([json!({"text": "a"}), json!({"text": "b"})]);
    turns.into()
}

async fn next(handle: &mut RunHandle, kind: &str) -> Envelope {
    loop {
        let event = handle.next_event().await.expect("the run must not be over");
        if event.kind == kind {
            return event;
        }
    }
}

fn answer(handle: &RunHandle, call: &str, approved: bool, scope: &str) -> ApproveToolCall {
    ApproveToolCall {
        run_id: handle.run_id().to_string(),
        call_id: call.to_owned(),
        approved,
        scope: Some(scope.to_owned()),
        approval_id: None,
        reason: None,
    }
}

fn code(result: Result<impl Sized, HostError>) -> String {
    result.err().map(|error| error.code).unwrap_or_default()
}

async fn asking(stage: &Stage, calls: &[Value]) -> RunHandle {
    stage
        .start_asking(Arc::new(script(turns(calls))), &[WRITE, PATCH])
        .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_sees_the_whole_call_and_its_change_and_says_yes() {
    let stage = Stage::new().await;
    let patch = json!({"id": "c2", "name": "workspace_apply_patch",
        "arguments": {"path": "output/main.md", "old_string": "climb", "new_string": "run"}});
    let mut handle = asking(&stage, &[write("c1", "We climb.\n"), patch]).await;
    next(&mut handle, "tool_call_awaiting_approval").await;
    stage
        .host
        .approve_agent_tool_call(answer(&handle, "c1", true, "once"))
        .unwrap();
    next(&mut handle, "tool_call_awaiting_approval").await;
    let [pending] = &stage.host.runs().unwrap().pending_approvals(handle.run_id()).unwrap()[..] else {
        panic!("one call waits");
    };
    assert!(
        pending.arguments.contains("\"old_string\": \"climb\""),
        "{}",
        pending.arguments
    );
    assert!(
        pending.diff.as_ref().unwrap().contains("-We climb.\n+We run.\n"),
        "{:?}",
        pending.diff
    );
    assert_eq!(
        pending.request.rule,
        "the agent profile asks before this tool is called"
    );
    stage
        .host
        .approve_agent_tool_call(answer(&handle, "c2", true, "once"))
        .unwrap();
    let outcome = stage.finish(handle).await;
    assert_eq!(outcome.file("output/main.md").as_deref(), Some("We run.\n"));
    assert_eq!(outcome.all("tool_call_approved").len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_no_costs_the_call_and_the_model_is_told_why() {
    let stage = Stage::new().await;
    let mut handle = asking(&stage, &[write("c1", "We climb.")]).await;
    next(&mut handle, "tool_call_awaiting_approval").await;
    let no = ApproveToolCall {
        reason: Some("keep it dark".to_owned()),
        ..answer(&handle, "c1", false, "always")
    };
    stage.host.approve_agent_tool_call(no).unwrap();
    let outcome = stage.finish(handle).await;
    assert_eq!(
        outcome.calls(),
        [("workspace.write_file".to_owned(), "tool.approval_denied".to_owned())]
    );
    assert_eq!(outcome.file("output/main.md"), None);
    let failed = outcome.one("tool_call_failed");
    assert!(failed.text("message").unwrap().contains("keep it dark"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_the_first_answer_to_the_very_question_counts() {
    let stage = Stage::new().await;
    let mut handle = asking(&stage, &[write("c1", "We climb."), write("c2", "We run.")]).await;
    // Nobody is asked about the second call before the first has its answer.
    let early = stage.host.approve_agent_tool_call(answer(&handle, "c2", true, "once"));
    let asked = next(&mut handle, "tool_call_awaiting_approval").await;
    let host = &stage.host;
    let foreign = ApproveToolCall {
        run_id: "run_other".to_owned(),
        ..answer(&handle, "c1", true, "once")
    };
    let stale = ApproveToolCall {
        approval_id: Some("approval_of_before".to_owned()),
        ..answer(&handle, "c1", true, "once")
    };
    let refused = [
        code(early),
        code(host.approve_agent_tool_call(foreign)),
        code(host.approve_agent_tool_call(stale)),
        code(host.approve_agent_tool_call(answer(&handle, "c9", true, "once"))),
        code(host.approve_agent_tool_call(answer(&handle, "c1", true, "forever"))),
        code(host.approve_agent_tool_call(answer(&handle, " ", true, "once"))),
    ];
    let expected = [
        "agent.approval_not_pending",
        "agent.approval_run_mismatch",
        "agent.approval_not_pending",
        "agent.approval_not_pending",
        "agent.approval_invalid",
        "agent.approval_invalid",
    ];
    assert_eq!(refused, expected, "after {asked:?}");
    host.approve_agent_tool_call(answer(&handle, "c1", true, "once"))
        .unwrap();
    assert_eq!(
        code(host.approve_agent_tool_call(answer(&handle, "c1", true, "once"))),
        "agent.approval_not_pending"
    );
    next(&mut handle, "tool_call_awaiting_approval").await;
    host.approve_agent_tool_call(answer(&handle, "c2", false, "once"))
        .unwrap();
    let outcome = stage.finish(handle).await;
    assert_eq!(outcome.file("output/main.md").as_deref(), Some("We climb."));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_for_the_run_covers_the_very_same_arguments_only() {
    let stage = Stage::new().await;
    let calls = [write("c1", "a"), write("c2", "a"), write("c3", "b")];
    let mut handle = asking(&stage, &calls).await;
    next(&mut handle, "tool_call_awaiting_approval").await;
    stage
        .host
        .approve_agent_tool_call(answer(&handle, "c1", true, "run"))
        .unwrap();
    let asked = next(&mut handle, "tool_call_awaiting_approval").await;
    assert_eq!(asked.text("callId"), Some("c3"));
    stage
        .host
        .approve_agent_tool_call(answer(&handle, "c3", true, "once"))
        .unwrap();
    let outcome = stage.finish(handle).await;
    let by: Vec<_> = outcome
        .all("tool_call_approved")
        .iter()
        .map(|event| event.payload["by"].clone())
        .collect();
    assert_eq!(by, ["user", "standing", "user"]);
}

/// Plays one call and answers its question, if one is put; gives who answered in the end.
async fn who_answers(stage: &Stage, call: Value, scope: &str) -> String {
    let mut handle = asking(stage, &[call]).await;
    loop {
        let event = handle.next_event().await.unwrap();
        match event.kind.as_str() {
            "tool_call_awaiting_approval" => {
                let id = event.text("callId").unwrap().to_owned();
                stage
                    .host
                    .approve_agent_tool_call(answer(&handle, &id, true, scope))
                    .unwrap();
            }
            "tool_call_approved" => {
                let by = event.text("by").unwrap().to_owned();
                stage.finish(handle).await;
                return by;
            }
            _ => {}
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_for_good_holds_in_later_runs_until_it_is_gone() {
    let stage = Stage::new().await;
    assert_eq!(who_answers(&stage, write("c1", "a"), "always").await, "user");
    assert_eq!(who_answers(&stage, write("other", "a"), "once").await, "standing");
    assert_eq!(who_answers(&stage, write("c1", "b"), "once").await, "user");
    // A file that cannot be read gives nobody an answer.
    std::fs::write(stage.data_root().join("approvals.jsonl"), "{\"half\"\n").unwrap();
    assert_eq!(who_answers(&stage, write("c1", "a"), "once").await, "user");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_hides_something_is_spelled_out_and_approved_once_at_most() {
    let stage = Stage::new().await;
    let mut handle = asking(&stage, &[write("c1", "safe\u{202e}txt.exe")]).await;
    next(&mut handle, "tool_call_awaiting_approval").await;
    let pending = stage.host.runs().unwrap().pending_approvals(handle.run_id()).unwrap();
    assert!(
        pending[0].arguments.contains("safe\\u{202e}txt"),
        "{}",
        pending[0].arguments
    );
    assert!(!pending[0].may_stand);
    assert_eq!(
        code(
            stage
                .host
                .approve_agent_tool_call(answer(&handle, "c1", true, "always"))
        ),
        "agent.approval_invalid"
    );
    stage
        .host
        .approve_agent_tool_call(answer(&handle, "c1", true, "once"))
        .unwrap();
    stage.finish(handle).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancel_answers_with_no_and_a_late_yes_changes_nothing() {
    let stage = Stage::new().await;
    let mut handle = asking(&stage, &[write("c1", "We climb.")]).await;
    next(&mut handle, "tool_call_awaiting_approval").await;
    let run_id = handle.run_id().to_string();
    let late = answer(&handle, "c1", true, "once");
    let cancelled = stage.host.cancel_agent_run(&run_id).await.unwrap();
    assert!(
        matches!(cancelled.status, RunStatus::Cancelling | RunStatus::Cancelled),
        "{cancelled:?}"
    );
    let outcome = stage.finish(handle).await;
    assert_eq!(
        code(stage.host.approve_agent_tool_call(late)),
        "agent.approval_not_pending"
    );
    assert_eq!(outcome.one("tool_call_denied").payload["by"], "runtime");
    assert_eq!(outcome.file("output/main.md"), None);
}

async fn remote(stage: &Stage, handle: &RunHandle, request: InboxRequest) -> Result<bool, HostError> {
    let run_id = handle.run_id().clone();
    let reader = innkeeper::RunReader::new(stage.data_root());
    reader
        .answer_call(RemoteAnswer { run_id, request })
        .await
        .map(|answered| answered.approved)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_process_can_answer_and_cancel() {
    let stage = Stage::new().await;
    let mut handle = asking(&stage, &[write("c1", "a"), write("c2", "b")]).await;
    next(&mut handle, "tool_call_awaiting_approval").await;
    let call_id = |text: &str| innkeeper::protocol::id::CallId::parse(text).unwrap();
    let approve = |call: &str| InboxRequest::Approve {
        call_id: call_id(call),
        approval_id: None,
        scope: Default::default(),
        reason: None,
    };
    assert_eq!(
        code(remote(&stage, &handle, approve("c7")).await),
        "agent.approval_not_pending"
    );
    assert!(remote(&stage, &handle, approve("c1")).await.unwrap());
    next(&mut handle, "tool_call_awaiting_approval").await;
    let reader = innkeeper::RunReader::new(stage.data_root());
    reader.cancel_agent_run(handle.run_id()).await.unwrap();
    let outcome = stage.finish(handle).await;
    assert_eq!(outcome.report.status, RunStatus::Cancelled);
    assert_eq!(outcome.file("output/main.md").as_deref(), Some("a"));
    let again = reader.cancel_agent_run(&outcome.report.run_id).await.unwrap();
    assert_eq!(again.status, RunStatus::Cancelled);
    let inbox = outcome.report.folder.join("inbox");
    let left: Vec<_> = std::fs::read_dir(&inbox)
        .map(|files| files.flatten().collect())
        .unwrap_or_default();
    assert!(left.is_empty(), "{left:?}");
}
