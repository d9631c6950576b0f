//! Replacement on real files: old or new, never half, never someone else's.

use std::io;
use std::sync::{Arc, Mutex};

use innkeeper_protocol::call::CommitMode;
use innkeeper_protocol::id::{CommitId, RunId};
use innkeeper_protocol::run::GenerationType;

use super::fixtures::*;
use crate::chat::*;

const STEPS: [Step; 6] = [
    Step::CreateTemp,
    Step::Write,
    Step::SyncTemp,
    Step::Compare,
    Step::Rename,
    Step::SyncFolder,
];

/// Does something before one step, once.
struct Before<F>(Step, Mutex<Option<F>>);

impl<F: FnOnce() -> io::Result<()> + Send> Faults for Before<F> {
    fn before(&self, step: Step) -> io::Result<()> {
        if step != self.0 {
            return Ok(());
        }
        let action = self.1.lock().unwrap().take();
        action.map_or(Ok(()), |action| action())
    }
}

fn before<F: FnOnce() -> io::Result<()> + Send + 'static>(step: Step, action: F) -> Box<dyn Faults> {
    Box::new(Before(step, Mutex::new(Some(action))))
}

fn normal(text: &str) -> ChatCommit {
    commit(GenerationType::Normal, text)
}

#[test]
fn a_commit_replaces_the_file_and_leaves_nothing_else() {
    let folder = Folder::with(USER);
    let outcome = folder.committer().commit(&normal("A")).unwrap();
    assert_eq!(
        outcome,
        CommitOutcome {
            message_index: 1,
            written: true,
            durable: true
        }
    );
    assert_eq!(
        (folder.read().message(1).unwrap().text, folder.names()),
        ("A".into(), vec!["chat.jsonl".to_owned()])
    );
}

#[test]
fn a_full_disk_at_any_step_leaves_old_or_new_and_can_be_tried_again() {
    for step in STEPS {
        let folder = Folder::with(USER);
        let full = before(step, || Err(io::Error::from(io::ErrorKind::StorageFull)));
        let mut committer = folder.committer().with_faults(full);
        let outcome = committer.commit(&normal("A"));
        if step == Step::SyncFolder {
            // The rename has happened; what is unknown is whether it survives a power failure.
            assert_eq!(
                outcome.unwrap(),
                CommitOutcome {
                    message_index: 1,
                    written: true,
                    durable: false
                }
            );
        } else {
            let error = outcome.unwrap_err();
            assert_eq!(
                (error.code(), folder.text().as_str()),
                ("store.chat_write_failed", USER),
                "{step:?}"
            );
        }
        assert_eq!(folder.names(), ["chat.jsonl"], "{step:?}");
        let retried = committer.commit(&normal("A")).unwrap();
        assert_eq!((retried.message_index, folder.read().total()), (1, 2), "{step:?}");
    }
}

#[test]
fn a_save_just_before_the_rename_wins() {
    for step in [Step::CreateTemp, Step::Write, Step::SyncTemp, Step::Compare] {
        let folder = Folder::with(USER);
        let chat = folder.chat.clone();
        let saved = format!("{USER}\n{USER}");
        let theirs = saved.clone();
        let mut committer = folder
            .committer()
            .with_faults(before(step, move || std::fs::write(&chat, theirs)));
        let error = committer.commit(&normal("A")).unwrap_err();
        assert!(
            matches!(
                error,
                ChatError::Refused {
                    reason: Refusal::ChangedMeanwhile,
                    ..
                }
            ),
            "{step:?}: {error}"
        );
        assert_eq!(
            (folder.text(), folder.names()),
            (saved, vec!["chat.jsonl".to_owned()]),
            "{step:?}"
        );
    }
}

#[test]
fn a_chat_that_is_deleted_meanwhile_is_not_created_again() {
    let folder = Folder::with(USER);
    let chat = folder.chat.clone();
    let mut committer = folder
        .committer()
        .with_faults(before(Step::Compare, move || std::fs::remove_file(chat)));
    assert_eq!(committer.commit(&normal("A")).unwrap_err().code(), "chat.not_found");
    assert_eq!(committer.commit(&normal("A")).unwrap_err().code(), "chat.not_found");
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn foreign_changes_are_refused_with_their_kind() {
    let two = format!("{USER}\n{USER}");
    type IsExpected = fn(&Refusal) -> bool;
    let cases: [(String, IsExpected); 4] = [
        (format!("{two}\n{USER}\n\n{USER}"), |reason| {
            matches!(reason, Refusal::ForeignLines { lines: 2 })
        }),
        (two.replacen("Hi", "Ho", 1), |reason| {
            matches!(reason, Refusal::PrefixChanged { .. })
        }),
        (USER.to_owned(), |reason| matches!(reason, Refusal::Shorter { .. })),
        (format!("{}\n{USER}", two.replacen("Hi", "Ho", 1)), |reason| {
            matches!(reason, Refusal::PrefixChanged { .. })
        }),
    ];
    for (theirs, expected) in cases {
        let folder = Folder::with(&two);
        let mut committer = folder.committer();
        std::fs::write(&folder.chat, &theirs).unwrap();
        let error = committer.commit(&normal("A")).unwrap_err();
        let ChatError::Refused { reason, .. } = &error else {
            panic!("{error}")
        };
        assert!(expected(reason), "{reason}");
        assert_eq!((error.code(), folder.text()), ("agent.chat_commit_rejected", theirs));
    }
}

#[test]
fn a_final_line_break_added_by_an_editor_is_no_change() {
    let folder = Folder::with(USER);
    let mut committer = folder.committer();
    std::fs::write(&folder.chat, format!("{USER}\n")).unwrap();
    committer.commit(&normal("A")).unwrap();
    assert!(folder.text().starts_with(&format!("{USER}\n{{")) && folder.text().ends_with('\n'));
}

#[test]
fn own_commits_count_as_known_and_foreign_lines_after_them_do_not() {
    let header = format!(r#"{{"chat_metadata":{{"integrity":"{OLD_INTEGRITY}"}}}}"#);
    let folder = Folder::with(&format!("{header}\n{USER}"));
    let mut committer = folder.committer();
    let first = normal("A");
    committer.commit(&first).unwrap();
    committer.commit(&later(&first, 2, CommitMode::Append, "B")).unwrap();
    assert_eq!(folder.read().message(1).unwrap().text, "AB");
    let theirs = format!("{}\n{USER}", folder.text());
    std::fs::write(&folder.chat, &theirs).unwrap();
    let error = committer
        .commit(&later(&first, 3, CommitMode::Append, "C"))
        .unwrap_err();
    assert!(
        matches!(
            error,
            ChatError::Refused {
                reason: Refusal::ForeignLines { lines: 1 },
                ..
            }
        ),
        "{error}"
    );
    // What was applied stays applied, and asking again says so.
    let again = committer.commit(&later(&first, 2, CommitMode::Append, "B")).unwrap();
    assert_eq!(
        (again, folder.text()),
        (
            CommitOutcome {
                message_index: 1,
                written: false,
                durable: true
            },
            theirs
        )
    );
}

#[test]
fn a_rename_that_failed_after_all_happened_is_ours() {
    let folder = Folder::with(USER);
    let CommitPlan::Write { bytes, .. } = plan(&folder.read(), &normal("A")).unwrap() else {
        panic!("nothing written")
    };
    let chat = folder.chat.clone();
    let lying = before(Step::Rename, move || {
        std::fs::write(&chat, bytes)?;
        Err(io::Error::other("connection lost"))
    });
    let mut committer = folder.committer().with_faults(lying);
    committer.commit(&normal("A")).unwrap_err();
    let next = committer
        .commit(&later(&normal("A"), 2, CommitMode::Append, "B"))
        .unwrap();
    assert_eq!(
        (next.message_index, folder.read().message(1).unwrap().text),
        (1, "AB".into())
    );
}

#[test]
fn a_state_is_noted_beside_foreign_lines_without_making_them_ours() {
    let folder = Folder::with(USER);
    let mut committer = folder.committer();
    committer.commit(&normal("A")).unwrap();
    std::fs::write(&folder.chat, format!("{}\n{USER}", folder.text())).unwrap();
    let outcome = committer.keep_state(&note()).unwrap();
    assert_eq!(
        (
            outcome.message_index,
            agent(&folder.read(), 1)["persistStateId"].as_str()
        ),
        (1, Some("run_1"))
    );
    assert_eq!(folder.read().total(), 3);
    let error = committer
        .commit(&later(&normal("A"), 2, CommitMode::Append, "B"))
        .unwrap_err();
    assert_eq!(error.code(), "agent.chat_commit_rejected");
}

#[test]
fn leftovers_of_this_chat_are_removed_and_others_are_not() {
    let folder = Folder::with(USER);
    let at = |name: &str| folder.root.path().join(name);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (root, names) = (folder.root.path().to_owned(), seen.clone());
    let spy = before(Step::Rename, move || {
        names
            .lock()
            .unwrap()
            .extend(std::fs::read_dir(root)?.map(|entry| entry.unwrap().file_name().into_string().unwrap()));
        Err(io::Error::other("stop"))
    });
    folder.committer().with_faults(spy).commit(&normal("A")).unwrap_err();
    let temp = seen
        .lock()
        .unwrap()
        .iter()
        .find(|name| name.ends_with(".tmp"))
        .unwrap()
        .clone();
    std::fs::write(at(&temp), "half").unwrap();
    std::fs::write(at(".innkeeper-0123456789ab-0.tmp"), "another chat's").unwrap();
    folder.committer().commit(&normal("A")).unwrap();
    assert_eq!(folder.names(), [".innkeeper-0123456789ab-0.tmp", "chat.jsonl"]);
}

#[cfg(unix)]
#[test]
fn permissions_stay_and_a_read_only_chat_is_left_alone() {
    use std::os::unix::fs::PermissionsExt;

    let folder = Folder::with(USER);
    let set = |mode| std::fs::set_permissions(&folder.chat, std::fs::Permissions::from_mode(mode)).unwrap();
    set(0o640);
    folder.committer().commit(&normal("A")).unwrap();
    assert_eq!(
        std::fs::metadata(&folder.chat).unwrap().permissions().mode() & 0o7777,
        0o640
    );
    set(0o440);
    let error = folder
        .committer()
        .commit(&later(&normal("A"), 2, CommitMode::Append, "B"))
        .unwrap_err();
    assert_eq!(
        (error.code(), folder.read().message(1).unwrap().text),
        ("store.chat_write_failed", "A".into())
    );
}

#[test]
fn commits_of_two_runs_never_interleave() {
    let folder = Folder::with(USER);
    let outcomes: Vec<_> = std::thread::scope(|scope| {
        let runs = ["run_a", "run_b", "run_c", "run_d"].map(|run| {
            let mut committer = folder.committer();
            scope.spawn(move || {
                let mut request = normal(run);
                request.asked.run_id = RunId::parse(run).unwrap();
                request.asked.commit_id = CommitId::parse(&format!("commit_{run}")).unwrap();
                request.integrity = run.into();
                committer
                    .commit(&request)
                    .map(|outcome| outcome.message_index)
                    .map_err(|error| error.code())
            })
        });
        runs.map(|run| run.join().unwrap()).into()
    });
    let won = outcomes.iter().filter(|outcome| **outcome == Ok(1)).count();
    let refused = outcomes
        .iter()
        .filter(|outcome| **outcome == Err("agent.chat_commit_rejected"))
        .count();
    assert_eq!((won, refused, folder.read().total()), (1, 3, 2));
}

#[test]
fn a_held_lock_is_named() {
    let folder = Folder::with(USER);
    folder.committer().commit(&normal("A")).unwrap();
    let lock = std::fs::read_dir(folder.root.path().join("locks"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let held = crate::chat::lock::lock_file(&lock, 1).unwrap();
    let mut committer = folder.committer();
    committer.lock_attempts = 1;
    assert_eq!(committer.commit(&normal("B")).unwrap_err().code(), "store.chat_locked");
    drop(held);
}
