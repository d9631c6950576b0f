//! Closing what a dead process left open, once, completely, and in the same way however often it is interrupted.

use std::collections::BTreeMap;
use std::fs;

use innkeeper_protocol::envelope::{Draft, Envelope, Level};
use innkeeper_protocol::run::RunStatus;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::journal::testing::{draft, stamp};
use crate::runs::testing::{Answers, World, completed, events, run_id, status};
use crate::runs::{CommitEvidence, RecoveryReport, RunFolder, cancel_abandoned, recover};

fn call(stage: &str, id: &str, tool: &str) -> Draft {
    let payload = json!({
        "round": 1, "invocationId": "inv_root", "callId": id, "toolId": tool, "name": tool, "snapshotId": "inv_root",
    });
    draft(&format!("tool_call_{stage}"), payload)
}

fn approval(stage: &str, id: &str) -> Draft {
    let payload = json!({"invocationId": "inv_root", "callId": id, "approvalId": format!("approval_{id}")});
    draft(&format!("tool_call_{stage}"), payload)
}

fn commit(stage: &str, id: &str, call: &str) -> Draft {
    let payload = json!({
        "commitId": id, "invocationId": "inv_root", "callId": call, "path": "output/main.md", "mode": "replace",
        "isExplicit": true, "messageId": "5",
    });
    draft(&format!("chat_commit_{stage}"), payload)
}

fn recovered(world: &World, chat: CommitEvidence) -> RecoveryReport {
    recover(&world.root, &mut Answers::new(chat)).unwrap()
}

/// What was appended by recovery, as (type, what matters of the payload).
fn appended(folder: &RunFolder, before: usize) -> Vec<String> {
    let tell = |event: &Envelope| {
        let details = ["callId", "commitId", "taskId", "errorCode", "outcome", "code"];
        let told: Vec<&str> = details.iter().filter_map(|name| event.text(name)).collect();
        [vec![event.kind.as_str()], told].concat().join(" ")
    };
    events(folder).iter().skip(before).map(tell).collect()
}

/// A run that died in the middle of everything.
fn busy() -> Vec<Draft> {
    let task = json!({"taskId": "task_1", "parentInvocationId": "inv_root", "childInvocationId": "inv_a", "status": "running"});
    let root = json!({"invocationId": "inv_root", "profileId": "writer", "kind": "root", "status": "running"});
    let child =
        json!({"invocationId": "inv_a", "parentInvocationId": "inv_root", "kind": "subagent", "status": "running"});
    let guidance =
        |id: &str| json!({"guidanceId": id, "clientGuidanceId": null, "chars": 4, "words": 1, "preview": id});
    vec![
        draft("agent_invocation_started", root),
        call("requested", "done", "builtin:dice.roll"),
        call("started", "done", "builtin:dice.roll"),
        call("completed", "done", "builtin:dice.roll"),
        draft("agent_invocation_created", child.clone()),
        draft("agent_task_registered", task.clone()),
        draft("agent_task_started", task),
        draft("agent_invocation_started", child),
        draft("user_guidance_submitted", guidance("seen")),
        draft("user_guidance_applied", json!({"guidanceIds": ["seen"]})),
        draft("user_guidance_submitted", guidance("late")),
        call("requested", "idle", "mcp/1:search"),
        call("requested", "asked", "mcp/1:search"),
        approval("awaiting_approval", "asked"),
        call("requested", "sent", "mcp/1:search"),
        call("started", "sent", "mcp/1:search"),
        call("requested", "local", "builtin:dice.roll"),
        call("started", "local", "builtin:dice.roll"),
        call("requested", "commit", "builtin:workspace.commit"),
        call("started", "commit", "builtin:workspace.commit"),
        status("awaiting_host_commit"),
        commit("requested", "commit_1", "commit"),
        draft(
            "persistent_state_metadata_update_requested",
            json!({"updateId": "persist_update_1", "messageId": "5", "stateId": "run_1", "changeCount": 0}),
        ),
    ]
}

#[test]
fn everything_open_is_closed_in_order() {
    let world = World::new();
    let folder = world.run(1, 1, &busy());
    let report = recovered(
        &world,
        CommitEvidence::Present {
            message_id: Some("5".to_owned()),
        },
    );
    assert_eq!(
        report,
        RecoveryReport {
            finalised: vec![run_id(1)],
            ..RecoveryReport::default()
        }
    );
    let expected = [
        "tool_call_denied asked",
        "tool_call_failed asked tool.approval_denied denied",
        "chat_commit_completed commit commit_1",
        "chat_commit_recorded",
        "tool_call_failed idle agent.process_restarted error",
        "tool_call_failed sent tool.outcome_unknown outcome_unknown",
        "tool_call_failed local agent.process_restarted error",
        "tool_call_failed commit agent.process_restarted error",
        "persistent_state_metadata_update_failed",
        "agent_task_cancelled task_1",
        "agent_invocation_failed",
        "agent_invocation_cancelled",
        "user_guidance_discarded",
        "run_partial_success agent.process_restarted",
    ];
    assert_eq!(appended(&folder, 1 + busy().len()), expected);
}

#[test]
fn the_end_names_the_commits_that_stand() {
    let world = World::new();
    let early = [
        call("requested", "c", "t"),
        call("started", "c", "t"),
        commit("requested", "commit_0", "c"),
        commit("completed", "commit_0", "c"),
    ];
    let folder = world.run(1, 1, &[&early[..], &[commit("requested", "commit_1", "c")]].concat());
    recovered(&world, CommitEvidence::Present { message_id: None });
    let all = events(&folder);
    let recorded: Vec<_> = all
        .iter()
        .filter(|event| event.kind == "chat_commit_recorded")
        .collect();
    let counts: Vec<_> = recorded
        .iter()
        .map(|event| (&event.payload["commitCount"], &event.payload["messageId"]))
        .collect();
    assert_eq!(counts, [(&json!(1), &json!("5")), (&json!(2), &Value::Null)]);
    let end = all.last().unwrap();
    let kept = |message: Value| json!({"path": "output/main.md", "mode": "replace", "messageId": message, "round": 1});
    let mut payload = end.payload.clone();
    payload.as_object_mut().unwrap().remove("eventScope");
    let message = "the process that executed this run ended before the run did";
    let expected = json!({
        "code": "agent.process_restarted", "message": message, "technicalMessage": format!("internal: {message}"),
        "retryable": false, "userRetryable": false, "details": {},
        "preservedCommitCount": 2, "preservedCommits": [kept(json!("5")), kept(Value::Null)],
    });
    assert_eq!(
        (end.kind.as_str(), end.level, payload),
        ("run_partial_success", Level::Warn, expected)
    );
}

#[test]
fn a_commit_is_judged_by_what_the_chat_says() {
    let open = [
        call("requested", "c", "t"),
        call("started", "c", "t"),
        commit("requested", "commit_1", "c"),
    ];
    for (chat, commit_end, call_end, end) in [
        (
            CommitEvidence::Absent,
            "error",
            "agent.process_restarted error",
            "run_failed",
        ),
        (
            CommitEvidence::Unreadable,
            "outcome_unknown",
            "tool.outcome_unknown outcome_unknown",
            "run_failed",
        ),
    ] {
        let world = World::new();
        let folder = world.run(1, 1, &open);
        recovered(&world, chat);
        let expected = [
            format!("chat_commit_failed c commit_1 {commit_end}"),
            format!("tool_call_failed c {call_end}"),
            format!("{end} agent.process_restarted"),
        ];
        assert_eq!(appended(&folder, 4), expected);
    }
}

#[test]
fn recovery_interrupted_after_any_event_ends_in_the_same_events() {
    let tell = |folder: &RunFolder| -> Vec<(u64, Level, String, Value)> {
        events(folder)
            .into_iter()
            .map(|event| (event.seq, event.level, event.kind, event.payload))
            .collect()
    };
    for chat in [
        CommitEvidence::Present { message_id: None },
        CommitEvidence::Absent,
        CommitEvidence::Unreadable,
    ] {
        let world = World::new();
        let folder = world.run(1, 1, &busy());
        recovered(&world, chat.clone());
        let (clean, bytes) = (tell(&folder), fs::read(folder.journal().events()).unwrap());
        let ends: Vec<usize> = bytes
            .iter()
            .enumerate()
            .filter(|(_, b)| **b == b'\n')
            .map(|(at, _)| at + 1)
            .collect();
        for end in &ends[busy().len()..] {
            fs::write(folder.journal().events(), &bytes[..*end]).unwrap();
            recovered(&world, chat.clone());
            assert_eq!(tell(&folder), clean, "{chat:?}, interrupted at byte {end}");
        }
        let again = fs::read(folder.journal().events()).unwrap();
        recovered(&world, chat);
        assert_eq!(
            fs::read(folder.journal().events()).unwrap(),
            again,
            "an ended run is left alone"
        );
    }
}

#[test]
fn a_process_that_died_right_after_its_run_has_its_last_invocation_ended() {
    let root = |stage: &str| {
        let payload = json!({"invocationId": "inv_root", "profileId": "writer", "kind": "root", "status": stage, "exitPolicy": "x"});
        draft(&format!("agent_invocation_{stage}"), payload)
    };
    let world = World::new();
    let folder = world.run(1, 1, &[root("created"), root("started"), completed()]);
    let whole = world.run(
        2,
        1,
        &[root("created"), root("started"), completed(), root("completed")],
    );
    // Somebody has listed the runs in between.
    world.root.load_record(&folder).unwrap();
    let report = recovered(&world, CommitEvidence::Absent);
    assert_eq!((report.finalised, report.issues), (vec![run_id(1)], Vec::new()));
    let payloads = [&folder, &whole].map(|folder| events(folder).pop().unwrap().payload);
    assert_eq!(payloads[0], payloads[1]);
    assert_eq!(appended(&folder, 4), ["agent_invocation_completed"]);
    assert_eq!(world.root.load_record(&folder).unwrap().status, RunStatus::Completed);
    assert_eq!(recovered(&world, CommitEvidence::Absent), RecoveryReport::default());
}

#[test]
fn living_damaged_foreign_and_ended_runs_are_left_as_they_are() {
    let world = World::new();
    let (_living, _owner) = world.live_run(1, 1);
    let damaged = world.run(2, 1, &[status("calling_model")]);
    let text = fs::read_to_string(damaged.journal().events()).unwrap();
    fs::write(damaged.journal().events(), text.replace("calling", "killing")).unwrap();
    let foreign = world.run(3, 1, &[]);
    let text = fs::read_to_string(foreign.journal().events()).unwrap();
    fs::write(
        foreign.journal().events(),
        format!("{}}}\n", text.split_once(",\"chain\"").unwrap().0),
    )
    .unwrap();
    world.run(4, 1, &[completed()]);
    world.run(5, 1, &[]);
    let files = || (2..=4).map(|n| fs::read(world.root.find_run(&run_id(n)).unwrap().journal().events()).unwrap());
    let before: Vec<_> = files().collect();
    let report = recovered(&world, CommitEvidence::Absent);
    assert_eq!(
        (report.live, report.foreign, report.finalised),
        (vec![run_id(1)], vec![run_id(3)], vec![run_id(5)])
    );
    let issues: Vec<_> = report
        .issues
        .iter()
        .map(|issue| (issue.run_id.clone(), issue.code))
        .collect();
    assert_eq!(issues, [(Some(run_id(2)), "store.journal_damaged")]);
    assert_eq!(files().collect::<Vec<_>>(), before);
}

#[test]
fn a_torn_tail_is_cut_and_recorded_before_the_run_is_closed() {
    let world = World::new();
    let folder = world.run(1, 1, &[]);
    let mut bytes = fs::read(folder.journal().events()).unwrap();
    bytes.extend_from_slice(b"{\"seq\":2,");
    fs::write(folder.journal().events(), bytes).unwrap();
    recovered(&world, CommitEvidence::Absent);
    assert_eq!(
        appended(&folder, 1),
        ["journal_repaired", "run_failed agent.process_restarted"]
    );
    let record = world.root.load_record(&folder).unwrap();
    assert_eq!(record.status, RunStatus::Failed);
}

#[test]
fn a_run_that_never_began_is_left_alone_and_a_lost_journal_is_told() {
    let world = World::new();
    let workspace = innkeeper_protocol::id::WorkspaceId::parse("chat_1").unwrap();
    let [empty, torn, lost] = [1, 2, 3].map(|number| world.root.create_run(&workspace, &run_id(number)).unwrap());
    // The owner opens its inbox before it writes its first event.
    fs::create_dir(empty.path().join("inbox")).unwrap();
    fs::write(torn.journal().events(), b"{\"seq\":1").unwrap();
    fs::write(lost.journal().events(), b"").unwrap();
    fs::write(lost.path().join("manifest.json"), b"{}").unwrap();
    let report = recovered(&world, CommitEvidence::Absent);
    assert_eq!(report.not_begun, [run_id(1), run_id(2)]);
    let told: Vec<_> = report.issues.iter().map(|issue| issue.run_id.clone()).collect();
    assert_eq!(told, [Some(run_id(3))]);
    assert!([&empty, &torn, &lost].iter().all(|folder| folder.path().exists()));
    assert!(lost.journal().events().exists());
    let listed = world.root.list(&crate::runs::ListQuery::default()).unwrap();
    assert_eq!(listed.issues.len(), 1, "a lost run is named beside the others");
}

#[test]
fn an_abandoned_run_can_be_cancelled_and_an_owned_one_cannot() {
    let world = World::new();
    let (folder, mut owner) = world.live_run(1, 1);
    owner.append(call("requested", "c", "t"), stamp(2)).unwrap();
    let mut ports = Answers::new(CommitEvidence::Absent);
    let error = cancel_abandoned(&world.root, &folder, &mut ports).unwrap_err();
    assert_eq!(error.code(), "store.run_locked");
    drop(owner);
    let record = cancel_abandoned(&world.root, &folder, &mut ports).unwrap();
    assert_eq!(record.status, RunStatus::Cancelled);
    let expected = [
        "run_cancel_requested",
        "tool_call_failed c agent.process_restarted error",
        "run_cancelled",
    ];
    assert_eq!(appended(&folder, 2), expected);
    assert_eq!(
        cancel_abandoned(&world.root, &folder, &mut ports).unwrap(),
        record,
        "a second cancel changes nothing"
    );
}

#[test]
fn leftovers_of_closed_runs_and_caches_of_lost_ones_are_removed() {
    let world = World::new();
    let folder = world.run(1, 1, &[]);
    let (living, _owner) = world.live_run(2, 1);
    let lost = world.run(3, 1, &[completed()]);
    world.root.summary(&lost).unwrap();
    fs::remove_dir_all(lost.path()).unwrap();
    let temp = "run.json.6f1f9f5c-0b52-4b06-8f7e-2f8f4a1c9a10.tmp";
    fs::write(folder.path().join(temp), b"half").unwrap();
    let states = world.root.workspace(folder.workspace_id()).join("persistent-states");
    let half =
        |folder: &RunFolder| states.join(format!(".{}.tmp-6f1f9f5c-0b52-4b06-8f7e-2f8f4a1c9a10", folder.run_id()));
    fs::create_dir_all(half(&folder).join("persist")).unwrap();
    fs::create_dir_all(half(&living)).unwrap();
    recovered(&world, CommitEvidence::Absent);
    assert_eq!([half(&folder).exists(), half(&living).exists()], [false, true]);
    assert!(!folder.path().join(temp).exists());
    let caches = |id| {
        [
            world.root.index_path(&id).exists(),
            world.root.summary_path(&id).exists(),
        ]
    };
    assert_eq!((caches(run_id(1)), caches(run_id(3))), ([true, false], [false, false]));
}

#[test]
fn what_a_run_was_writing_when_it_died_is_removed_also_when_it_had_ended() {
    let world = World::new();
    let (open, ended) = (world.run(1, 1, &[]), world.run(2, 1, &[completed()]));
    let (living, _owner) = world.live_run(3, 1);
    let unique = "6f1f9f5c-0b52-4b06-8f7e-2f8f4a1c9a10";
    let leave = |folder: &RunFolder, inside: &str| {
        let inside = folder.path().join(inside);
        fs::create_dir_all(&inside).unwrap();
        let left = [
            inside.join(format!("call_1.json.{unique}.tmp")),
            folder.path().join(format!(".staging-{unique}")),
        ];
        fs::write(&left[0], b"half").unwrap();
        fs::create_dir(&left[1]).unwrap();
        left
    };
    let left = [
        leave(&open, "tool-results"),
        leave(&ended, ""),
        leave(&living, "tool-args"),
    ];
    recovered(&world, CommitEvidence::Absent);
    assert_eq!(
        left.map(|left| left.map(|path| path.exists())),
        [[false; 2], [false; 2], [true; 2]]
    );
}

/// How many ends each requested call has, in the order of the requests; a reused id is a call of its own.
fn pairing(all: &[Envelope]) -> Vec<usize> {
    let mut ends: Vec<usize> = Vec::new();
    let mut open: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for event in all {
        let id = event.text("callId").unwrap_or_default().to_owned();
        match event.kind.as_str() {
            "tool_call_requested" => {
                open.entry(id).or_default().push(ends.len());
                ends.push(0);
            }
            "tool_call_completed" | "tool_call_failed" => {
                let at = open
                    .get_mut(&id)
                    .and_then(Vec::pop)
                    .expect("an end belongs to an open call");
                ends[at] += 1;
            }
            _ => {}
        }
    }
    ends
}

/// A call's life, cut off after some of its stages.
fn lives() -> impl Strategy<Value = Vec<Draft>> {
    let life = (0..3_u32, 0..4_usize, 0..3_usize).prop_map(|(id, stages, way)| {
        let id = format!("call {id}");
        let middle = [
            call("started", &id, "mcp/1:search"),
            approval("awaiting_approval", &id),
            commit("requested", "commit_1", &id),
        ];
        let whole = [
            call("requested", &id, "t"),
            middle[way].clone(),
            call("started", &id, "t"),
            call("failed", &id, "t"),
        ];
        whole[..=stages].to_vec()
    });
    prop::collection::vec(life, 0..6).prop_map(|lives| lives.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn after_recovery_every_call_has_one_end_and_the_run_one_terminal_event(
        lives in lives(),
        cut in any::<prop::sample::Index>(),
        chat in prop_oneof![Just(CommitEvidence::Absent), Just(CommitEvidence::Unreadable), Just(CommitEvidence::Present { message_id: None })],
    ) {
        let world = World::new();
        let folder = world.run(1, 1, &lives);
        let bytes = fs::read(folder.journal().events()).unwrap();
        let first = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        fs::write(folder.journal().events(), &bytes[..first + cut.index(bytes.len() - first + 1)]).unwrap();
        recovered(&world, chat);
        let all = events(&folder);
        prop_assert!(pairing(&all).iter().all(|ends| *ends == 1));
        let ends: Vec<&str> = all.iter().map(|e| e.kind.as_str()).filter(|k| matches!(*k, "run_failed" | "run_partial_success")).collect();
        prop_assert_eq!(ends.len(), 1);
        prop_assert_eq!(all.last().map(|event| event.kind.as_str()), ends.first().copied());
    }
}
