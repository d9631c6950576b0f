//! What the module `inbox` promises, tried with real files: owner and sender are two processes elsewhere, and two values here.

use std::fs;
use std::path::PathBuf;

use innkeeper_protocol::approval::{ApprovalId, ApprovalScope};
use innkeeper_protocol::id::{CallId, RunId, WorkspaceId};
use serde_json::{Value, json};

use super::*;
use crate::runs::RunsRoot;

/// A run with an owner and a sender.
struct World {
    _data: tempfile::TempDir,
    run: RunFolder,
    inbox: Inbox,
    outbox: Outbox,
}

impl World {
    fn new() -> Self {
        let (data, run) = new_run();
        let inbox = Inbox::open(&run).unwrap();
        let outbox = Outbox::open(&run).unwrap();
        Self {
            _data: data,
            run,
            inbox,
            outbox,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        Place::path_in(&self.run).join(name)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path("")).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn take(&self) -> Vec<Received> {
        self.inbox.take().unwrap()
    }
}

fn new_run() -> (tempfile::TempDir, RunFolder) {
    let data = tempfile::tempdir().unwrap();
    let workspace = WorkspaceId::parse("chat_0000000000000000").unwrap();
    let run_id = RunId::parse("run_1").unwrap();
    let run = RunsRoot::new(data.path()).create_run(&workspace, &run_id).unwrap();
    (data, run)
}

fn guide(text: &str) -> InboxRequest {
    InboxRequest::Guide {
        text: text.to_owned(),
        client_guidance_id: None,
    }
}

fn received(id: RequestId, request: InboxRequest) -> Received {
    Received {
        id,
        request: Ok(request),
    }
}

fn done() -> InboxAnswer {
    InboxAnswer {
        error: None,
        value: json!({"status": "queued"}),
    }
}

#[test]
fn every_request_has_one_form() {
    let forms = [
        (
            InboxRequest::Approve {
                call_id: CallId::parse("c 1").unwrap(),
                approval_id: Some(ApprovalId::parse("approval_1").unwrap()),
                scope: ApprovalScope::Always,
                reason: None,
            },
            json!({"kind": "approve", "with": {"callId": "c 1", "approvalId": "approval_1", "scope": "always"}}),
        ),
        (
            InboxRequest::Deny {
                call_id: CallId::parse("c 1").unwrap(),
                approval_id: None,
                reason: Some("no".to_owned()),
            },
            json!({"kind": "deny", "with": {"callId": "c 1", "reason": "no"}}),
        ),
        (InboxRequest::Cancel, json!({"kind": "cancel"})),
        (guide("hm"), json!({"kind": "guide", "with": {"text": "hm"}})),
    ];
    for (request, form) in forms {
        assert_eq!(serde_json::to_value(&request).unwrap(), form);
        assert_eq!(serde_json::from_value::<InboxRequest>(form).unwrap(), request);
    }
}

#[test]
fn an_unknown_member_is_refused() {
    for form in [
        json!({"kind": "cancel", "after": 5}),
        json!({"kind": "cancel", "with": {"after": 5}}),
        json!({"kind": "guide", "with": {"text": "x", "only": "if"}}),
        json!({"kind": "guide", "with": {"text": "x"}, "only": "if"}),
        json!({"kind": "approve", "with": {"callId": " ", "scope": "once"}}),
    ] {
        assert!(serde_json::from_value::<InboxRequest>(form.clone()).is_err(), "{form}");
    }
}

#[test]
fn a_request_comes_once_and_its_answer_goes_back_once() {
    let world = World::new();
    let id = world.outbox.post(&InboxRequest::Cancel).unwrap();
    assert_eq!(world.outbox.answer_of(&id).unwrap(), None);
    assert_eq!(world.take(), [received(id, InboxRequest::Cancel)]);
    assert_eq!(world.take(), []);
    world.inbox.answer(&id, &done()).unwrap();
    assert_eq!(world.outbox.answer_of(&id).unwrap(), Some(done()));
    assert_eq!(world.outbox.answer_of(&id).unwrap(), None);
    assert_eq!(world.names(), Vec::<String>::new());
}

#[test]
fn a_failure_keeps_its_code() {
    let world = World::new();
    let id = world.outbox.post(&guide("")).unwrap();
    world.take();
    let failure = InboxAnswer {
        error: Some(InboxFailure {
            code: "agent.guidance_empty".to_owned(),
            message: "it is empty".to_owned(),
            hint: None,
        }),
        value: Value::Null,
    };
    world.inbox.answer(&id, &failure).unwrap();
    assert_eq!(world.outbox.answer_of(&id).unwrap(), Some(failure));
}

#[test]
fn requests_come_in_the_order_of_posting_and_a_hand_at_a_time() {
    let world = World::new();
    let texts: Vec<_> = (0..MAX_TAKEN + 3).map(|number| number.to_string()).collect();
    let posted: Vec<_> = texts
        .iter()
        .map(|text| received(world.outbox.post(&guide(text)).unwrap(), guide(text)))
        .collect();
    assert_eq!(world.take(), posted[..MAX_TAKEN]);
    assert_eq!(world.take(), posted[MAX_TAKEN..]);
}

#[test]
fn two_senders_at_once_both_arrive() {
    let world = World::new();
    let send = |name: &str| -> Vec<RequestId> { (0..20).map(|_| world.outbox.post(&guide(name)).unwrap()).collect() };
    let (mut sent, more) = std::thread::scope(|scope| {
        let one = scope.spawn(|| send("one"));
        let two = scope.spawn(|| send("two"));
        (one.join().unwrap(), two.join().unwrap())
    });
    sent.extend(more);
    sent.sort();
    let taken: Vec<_> = world.take().into_iter().map(|received| received.id).collect();
    assert_eq!(taken, sent);
}

#[test]
fn what_is_no_request_is_told_to_its_sender() {
    let world = World::new();
    let files = [
        (
            "00000000-0000-7000-8000-000000000001",
            b"{".to_vec(),
            "EOF while parsing an object at line 1 column 1",
        ),
        (
            "00000000-0000-7000-8000-000000000002",
            vec![b' '; 256 * 1024 + 1],
            "it is larger than 262144 bytes",
        ),
        (
            "00000000-0000-7000-8000-000000000003",
            "[".repeat(1000).into_bytes(),
            "expected",
        ),
    ];
    for (id, content, _) in &files {
        fs::write(world.path(&format!("{id}.json")), content).unwrap();
    }
    let taken = world.take();
    assert_eq!(taken.len(), files.len());
    for (received, (id, _, problem)) in taken.iter().zip(&files) {
        assert_eq!(received.id.to_string(), *id);
        let told = received.request.as_ref().unwrap_err();
        assert!(told.contains(problem), "{told}");
        world.inbox.answer(&received.id, &done()).unwrap();
        assert_eq!(world.outbox.answer_of(&received.id).unwrap(), Some(done()));
    }
    assert_eq!(world.names(), Vec::<String>::new());
}

#[test]
fn junk_is_removed_and_what_others_still_need_is_not() {
    let world = World::new();
    let (id, temp) = (
        "0190b5a0-0000-7000-8000-00000000000a",
        "1190b5a0-0000-4000-8000-00000000000a",
    );
    let kept = [
        format!("{id}.answer.json"),
        format!("{id}.json.{temp}.tmp"),
        format!("{id}.taken"),
    ];
    let junk = [
        "x.json".to_owned(),
        "0190B5A0-0000-7000-8000-00000000000B.json".to_owned(),
        format!("{id}.json.bak"),
        ".answer.json".to_owned(),
    ];
    for name in kept.iter().chain(&junk) {
        fs::write(world.path(name), "{\"kind\":\"cancel\"}").unwrap();
    }
    fs::create_dir(world.path("folder")).unwrap();
    fs::create_dir(world.path(&format!("{id}.json"))).unwrap();
    let sent = world.outbox.post(&guide("after all")).unwrap();
    assert_eq!(world.take(), [received(sent, guide("after all"))]);
    let mut expected = kept.to_vec();
    expected.extend(["folder".to_owned(), format!("{id}.json"), format!("{sent}.taken")]);
    expected.sort();
    assert_eq!(world.names(), expected);
}

#[test]
fn a_message_that_nobody_would_read_is_not_sent() {
    let world = World::new();
    let long = "x".repeat(256 * 1024);
    assert_eq!(
        world.outbox.post(&guide(&long)).unwrap_err().code(),
        "store.inbox_too_large"
    );
    assert_eq!(world.names(), Vec::<String>::new());
    let id = world.outbox.post(&InboxRequest::Cancel).unwrap();
    world.take();
    let answer = InboxAnswer {
        error: None,
        value: json!(long),
    };
    assert_eq!(
        world.inbox.answer(&id, &answer).unwrap_err().code(),
        "store.inbox_too_large"
    );
    world.inbox.answer(&id, &done()).unwrap();
    assert_eq!(world.outbox.answer_of(&id).unwrap(), Some(done()));
}

#[test]
fn a_request_of_an_owner_that_died_is_not_given_to_the_next() {
    let world = World::new();
    let (first, second) = (
        world.outbox.post(&guide("1")).unwrap(),
        world.outbox.post(&guide("2")).unwrap(),
    );
    assert!(world.outbox.withdraw(&second).unwrap());
    assert_eq!(world.take(), [received(first, guide("1"))]);
    let third = world.outbox.post(&guide("3")).unwrap();
    let next = Inbox::open(&world.run).unwrap();
    assert_eq!(next.take().unwrap(), [received(third, guide("3"))]);
    assert_eq!(world.outbox.answer_of(&first).unwrap(), None);
    assert!(!world.outbox.withdraw(&first).unwrap());
    assert_eq!(world.names(), [format!("{third}.taken")]);
}

#[test]
fn a_withdrawn_request_is_not_taken() {
    let world = World::new();
    let id = world.outbox.post(&InboxRequest::Cancel).unwrap();
    assert!(world.outbox.withdraw(&id).unwrap());
    assert!(!world.outbox.withdraw(&id).unwrap());
    assert_eq!(world.take(), []);
    assert_eq!(world.names(), Vec::<String>::new());
}

#[test]
fn an_answer_to_a_withdrawn_request_leaves_nothing() {
    let world = World::new();
    let before = world.outbox.post(&guide("answered before")).unwrap();
    let after = world.outbox.post(&guide("answered after")).unwrap();
    assert_eq!(world.take().len(), 2);
    world.inbox.answer(&before, &done()).unwrap();
    assert!(!world.outbox.withdraw(&before).unwrap());
    assert!(!world.outbox.withdraw(&after).unwrap());
    world.inbox.answer(&after, &done()).unwrap();
    assert_eq!(world.names(), Vec::<String>::new());
}

#[test]
fn a_damaged_answer_is_an_error_once() {
    let world = World::new();
    let id = world.outbox.post(&InboxRequest::Cancel).unwrap();
    fs::write(world.path(&id.answer()), "{\"value\":").unwrap();
    assert_eq!(world.outbox.answer_of(&id).unwrap_err().code(), "store.inbox_damaged");
    assert_eq!(world.outbox.answer_of(&id).unwrap(), None);
}

#[test]
fn the_end_of_a_run_leaves_answers_only() {
    let world = World::new();
    let answered = world.outbox.post(&InboxRequest::Cancel).unwrap();
    world.take();
    world.inbox.answer(&answered, &done()).unwrap();
    world.outbox.post(&guide("too late")).unwrap();
    world.inbox.clear().unwrap();
    assert_eq!(world.names(), [answered.answer()]);
    assert_eq!(world.outbox.answer_of(&answered).unwrap(), Some(done()));
}

#[test]
fn without_an_inbox_nothing_is_sent() {
    let (_data, run) = new_run();
    assert_eq!(Outbox::open(&run).unwrap_err().code(), "store.run_locked");
    let world = World::new();
    world.inbox.clear().unwrap();
    assert_eq!(
        world.outbox.post(&InboxRequest::Cancel).unwrap_err().code(),
        "store.run_locked"
    );
    assert_eq!(world.inbox.take().unwrap(), []);
    world.inbox.clear().unwrap();
}

#[tokio::test]
async fn an_arrival_ends_the_wait() {
    let world = World::new();
    let id = world.outbox.post(&InboxRequest::Cancel).unwrap();
    let arrival = world.inbox.arrival(Duration::from_secs(3600));
    tokio::time::timeout(Duration::from_secs(30), arrival).await.unwrap();
    assert_eq!(world.take(), [received(id, InboxRequest::Cancel)]);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn only_the_user_can_look_into_it() {
        let mode = fs::metadata(World::new().path("")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }

    #[test]
    fn an_inbox_that_is_a_link_is_refused() {
        let (data, run) = new_run();
        symlink(data.path(), Place::path_in(&run)).unwrap();
        let codes = [
            Inbox::open(&run).err().unwrap().code(),
            Outbox::open(&run).unwrap_err().code(),
        ];
        assert_eq!(codes, ["store.inbox_unreadable"; 2]);
    }

    #[test]
    fn a_link_is_removed_and_what_it_points_to_stays() {
        let world = World::new();
        let target = world.run.path().join("target.json");
        fs::write(&target, "{\"kind\":\"cancel\"}").unwrap();
        symlink(&target, world.path("00000000-0000-7000-8000-000000000001.json")).unwrap();
        assert_eq!(world.take(), []);
        assert_eq!(world.names(), Vec::<String>::new());
        assert!(target.exists());
    }
}
