//! What the module `approvals` promises, tried on real files.

use std::fs;
use std::thread;

use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::event::AnsweredBy;
use innkeeper_protocol::id::{CallId, RunId, ToolId};

use super::*;

const REVOKED_AT: &str = "2026-10-06T00:00:00Z";

/// A data root with a file of its own.
struct Data {
    root: tempfile::TempDir,
    approvals: Approvals,
}

impl Data {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let approvals = Approvals::new(&root.path().join("data"));
        Self { root, approvals }
    }

    /// With answers 1 to `count`.
    fn with(count: u32) -> Self {
        let data = Self::new();
        for number in 1..=count {
            data.approvals.grant(&answer(number)).unwrap();
        }
        data
    }

    fn path(&self) -> PathBuf {
        self.root.path().join("data/approvals.jsonl")
    }

    fn text(&self) -> String {
        fs::read_to_string(self.path()).unwrap()
    }

    fn add(&self, text: &str) {
        fs::write(self.path(), self.text() + text).unwrap();
    }

    /// As another process sees it, or this one after a restart.
    fn standing(&self) -> Vec<StandingApproval> {
        Approvals::new(&self.root.path().join("data")).list().unwrap()
    }
}

fn id(number: u32) -> ApprovalId {
    ApprovalId::parse(&format!("approval_{number:032x}")).unwrap()
}

fn answer(number: u32) -> StandingApproval {
    StandingApproval {
        approval_id: id(number),
        tool_id: ToolId::parse("builtin:dice.roll").unwrap(),
        tool_digest: Sha256::of(b"dice"),
        arguments_digest: Sha256::of(&number.to_be_bytes()),
        granted_at: "2026-10-05T00:00:00Z".to_owned(),
        run_id: RunId::parse("run_1").unwrap(),
        call_id: CallId::parse("call \"1\"\n").unwrap(),
        by: AnsweredBy::User,
    }
}

fn binding(number: u32) -> ApprovalBinding {
    ApprovalBinding {
        tool_digest: Sha256::of(b"dice"),
        arguments_digest: Sha256::of(&number.to_be_bytes()),
    }
}

fn revocation(number: u32) -> String {
    format!("{{\"approvalId\":\"{}\",\"revokedAt\":\"{REVOKED_AT}\"}}", id(number))
}

fn code<T: std::fmt::Debug>(result: Result<T, ApprovalsError>) -> &'static str {
    result.unwrap_err().code()
}

#[test]
fn no_file_is_no_answer_and_a_look_makes_none() {
    let data = Data::new();
    assert_eq!(data.approvals.find(&binding(1)).unwrap(), None);
    assert!(!data.approvals.revoke(&id(1), REVOKED_AT).unwrap());
    assert_eq!(fs::read_dir(data.root.path()).unwrap().count(), 0);
}

#[test]
fn an_answer_outlives_a_restart_and_covers_nothing_else() {
    let data = Data::with(2);
    let mut other_tool = binding(1);
    other_tool.tool_digest = Sha256::of(b"loaded dice");
    assert_eq!(data.standing(), [answer(1), answer(2)]);
    assert_eq!(data.approvals.find(&binding(1)).unwrap(), Some(answer(1)));
    assert_eq!(data.approvals.find(&binding(3)).unwrap(), None);
    assert_eq!(data.approvals.find(&other_tool).unwrap(), None);
}

#[test]
fn a_line_has_the_members_that_others_read() {
    let line = format!(
        "{{\"approvalId\":\"{}\",\"toolId\":\"builtin:dice.roll\",\"toolDigest\":\"{}\",\"argumentsDigest\":\"{}\",\
         \"grantedAt\":\"2026-10-05T00:00:00Z\",\"runId\":\"run_1\",\"callId\":\"call \\\"1\\\"\\n\",\"by\":\"user\"}}\n",
        id(1),
        binding(1).tool_digest,
        binding(1).arguments_digest,
    );
    let data = Data::with(1);
    data.approvals.revoke(&id(1), REVOKED_AT).unwrap();
    assert_eq!(data.text(), format!("{line}{}\n", revocation(1)));
}

#[test]
fn a_revoked_answer_stands_no_more_and_is_revoked_once() {
    let data = Data::with(2);
    assert!(data.approvals.revoke(&id(1), REVOKED_AT).unwrap());
    assert!(!data.approvals.revoke(&id(1), REVOKED_AT).unwrap());
    assert!(!data.approvals.revoke(&id(7), REVOKED_AT).unwrap());
    assert_eq!(data.standing(), [answer(2)]);
    assert_eq!(data.approvals.find(&binding(1)).unwrap(), None);
}

#[test]
fn the_same_call_can_be_allowed_again_by_a_new_answer_only() {
    let data = Data::with(1);
    data.approvals.revoke(&id(1), REVOKED_AT).unwrap();
    let before = data.text();
    assert_eq!(code(data.approvals.grant(&answer(1))), "store.approvals_write_failed");
    assert_eq!(data.text(), before);
    let again = StandingApproval {
        approval_id: id(2),
        ..answer(1)
    };
    data.approvals.grant(&again).unwrap();
    assert_eq!(data.approvals.find(&binding(1)).unwrap(), Some(again));
}

#[test]
fn two_writers_at_once_lose_nothing() {
    let data = Data::new();
    let write = |numbers: std::ops::Range<u32>| {
        for number in numbers {
            data.approvals.grant(&answer(number)).unwrap();
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| write(0..8));
        scope.spawn(|| write(8..16));
    });
    let mut standing = data.standing();
    standing.sort_by(|a, b| a.approval_id.cmp(&b.approval_id));
    assert_eq!(standing, (0..16).map(answer).collect::<Vec<_>>());
}

#[test]
fn an_unfinished_answer_is_none_and_gives_way_to_the_next() {
    let whole = serde_json::to_string(&answer(2)).unwrap();
    for torn in [whole.as_str(), &whole[..whole.len() / 2], "{", "\0\0\0"] {
        let data = Data::with(1);
        data.add(torn);
        assert_eq!(data.standing(), [answer(1)], "{torn:?}");
        data.approvals.grant(&answer(3)).unwrap();
        assert_eq!(data.standing(), [answer(1), answer(3)], "{torn:?}");
    }
}

#[test]
fn a_revocation_holds_without_its_line_feed() {
    let data = Data::with(2);
    data.add(&revocation(1));
    assert_eq!(data.standing(), [answer(2)]);
    data.approvals.grant(&answer(3)).unwrap();
    assert_eq!(data.standing(), [answer(2), answer(3)]);
}

#[test]
fn with_a_damaged_line_no_answer_stands_and_nothing_is_written() {
    let twice = serde_json::to_string(&answer(1)).unwrap();
    let newer = twice.replace("\"by\"", "\"expiresAt\":\"2026-10-05T00:00:00Z\",\"by\"");
    let damages = [
        (
            twice.as_str(),
            "approval_00000000000000000000000000000001 was answered before",
        ),
        (&newer, "column 338: unknown field `expiresAt`"),
        ("{\"approvalId\":\"a\"}", "column 18: missing field `toolId`"),
        ("xx", "column 1: expected value"),
    ];
    for (line, expected) in damages {
        let data = Data::with(1);
        data.add(&format!("\n{line}\n{}\n", revocation(1)));
        let before = data.text();
        let ApprovalsError::Damaged { path, line, problem } = data.approvals.find(&binding(1)).unwrap_err() else {
            panic!("{line}");
        };
        assert_eq!((path, line), (data.path(), 3));
        assert!(problem.starts_with(expected), "{problem}");
        assert_eq!(code(data.approvals.grant(&answer(2))), "store.approvals_damaged");
        assert_eq!(
            code(data.approvals.revoke(&id(1), REVOKED_AT)),
            "store.approvals_damaged"
        );
        assert_eq!(data.text(), before);
    }
}

#[test]
fn what_is_no_file_of_ours_is_left_alone() {
    let data = Data::with(1);
    fs::remove_file(data.path()).unwrap();
    fs::create_dir(data.path()).unwrap();
    assert_eq!(code(data.approvals.find(&binding(1))), "store.approvals_unreadable");
    assert_eq!(code(data.approvals.grant(&answer(2))), "store.approvals_unreadable");
    fs::remove_dir(data.path()).unwrap();
    fs::File::create(data.path()).unwrap().set_len(MAX_BYTES + 1).unwrap();
    assert_eq!(code(data.approvals.list()), "store.approvals_unreadable");
}

#[test]
fn a_full_file_takes_revocations_only() {
    let data = Data::with(1);
    let room = usize::try_from(MAX_GRANTED_BYTES).unwrap() - data.text().len();
    data.add(&" ".repeat(room - 1));
    data.add("\n");
    let ApprovalsError::WriteFailed { source, .. } = data.approvals.grant(&answer(2)).unwrap_err() else {
        panic!("another error");
    };
    assert_eq!(source.to_string(), "it would be larger than 4194304 bytes");
    assert_eq!(data.standing(), [answer(1)]);
    assert!(data.approvals.revoke(&id(1), REVOKED_AT).unwrap());
    assert_eq!(data.standing(), []);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn only_the_user_can_write_an_answer() {
        let mode = fs::metadata(Data::with(1).path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_link_is_not_followed() {
        let data = Data::with(1);
        let elsewhere = data.root.path().join("elsewhere");
        fs::rename(data.path(), &elsewhere).unwrap();
        symlink(&elsewhere, data.path()).unwrap();
        let before = fs::read(&elsewhere).unwrap();
        assert_eq!(code(data.approvals.find(&binding(1))), "store.approvals_unreadable");
        assert_eq!(code(data.approvals.grant(&answer(2))), "store.approvals_unreadable");
        assert_eq!(
            code(data.approvals.revoke(&id(1), REVOKED_AT)),
            "store.approvals_unreadable"
        );
        assert_eq!(fs::read(&elsewhere).unwrap(), before);
    }

    #[test]
    fn a_pipe_is_not_waited_for() {
        let data = Data::with(1);
        fs::remove_file(data.path()).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            data.path(),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )
        .unwrap();
        assert_eq!(code(data.approvals.find(&binding(1))), "store.approvals_unreadable");
    }
}
