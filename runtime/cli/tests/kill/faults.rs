//! A disk that is full from any append on, a sync that fails once, a chat that cannot be replaced: the run ends or goes on as it says,
//! and nothing is lost or doubled.

use std::path::{Path, PathBuf};

use rustix::process::{Pid, Resource, Rlimit, prlimit};
use serde_json::{Value, json};

use super::checks::{announced, check, check_ends, stored};
use super::is_thorough;
use super::place::{Place, chat_of, short_script};
use super::stepper::{self, Steps, Then, step};

/// Ignores the signal that comes with a write beyond the limit, so that the write fails as on a full disk.
const FULL_DISK: [&str; 4] = ["sh", "-c", "trap '' XFSZ; exec \"$@\"", "sh"];

/// From now on no file of the program can grow beyond so many bytes; `u64::MAX` for as many as it likes.
fn limit_files(program: Pid, bytes: u64) {
    let limit = Rlimit {
        current: (bytes < u64::MAX).then_some(bytes),
        maximum: None,
    };
    prlimit(Some(program), Resource::Fsize, limit).unwrap();
}

/// The file that a call of the log is about.
fn file_of(call: &str) -> &Path {
    Path::new(call.split_once('<').unwrap().1.split_once('>').unwrap().0)
}

/// Whether the call makes an event durable.
fn is_append(call: &str) -> bool {
    call.contains(" fdatasync(") && call.contains("/events.jsonl>")
}

/// What the program says of its run at the end.
fn report(stdout: &str) -> Value {
    let last: Value = serde_json::from_str(stdout.lines().last().unwrap()).unwrap();
    last["run"].clone()
}

/// Plays a run whose disk is full but for `room` bytes right after this append, until a call frees it.
fn full_after(place: &Place, append: usize, room: u64, frees: impl Fn(&str) -> bool) -> Steps {
    let mut appends = 0;
    step(place, &FULL_DISK, &place.run_arguments(), |program, calls| {
        let call = calls.last().unwrap();
        if is_append(call) {
            appends += 1;
            if appends == append {
                limit_files(program, std::fs::metadata(file_of(call)).unwrap().len() + room);
            }
        } else if frees(call) {
            limit_files(program, u64::MAX);
        }
        Then::GoOn
    })
}

#[test]
fn a_disk_that_is_full_after_any_append_ends_the_run_and_loses_nothing() {
    if !stepper::is_there() {
        return;
    }
    let whole = Place::new(&chat_of(1), &short_script());
    let every = if is_thorough() { 1 } else { 16 };
    let mut codes: Vec<String> = Vec::new();
    for append in (1_usize..).step_by(every) {
        let place = Place::like(&whole);
        // Now and then a part of the next line still fits.
        let room = if append.is_multiple_of(3) { 0 } else { 40 };
        let steps = full_after(&place, append, room, |_| false);
        let (said, run) = (announced(&steps.stdout), report(&steps.stdout));
        check(&place, &said);
        let is_completed = said.iter().any(|event| event["type"] == "run_completed");
        assert_eq!(run["status"] == "completed", is_completed, "{run}");
        if said.len() < append {
            break;
        }
        codes.push(run["error"]["code"].as_str().unwrap_or("none").to_owned());
        // With space the same chat takes the next run.
        assert!(place.run().output().unwrap().status.success());
        check(&place, &said);
    }
    let failed = codes
        .iter()
        .filter(|code| *code == "store.journal_write_failed")
        .count();
    assert!(failed > codes.len() / 3, "{codes:?}");
    eprintln!(
        "the disk was full after {} appends; {failed} runs ended because of their journal",
        codes.len()
    );
}

#[test]
fn a_full_disk_in_the_middle_of_a_write_leaves_the_old_file() {
    if !stepper::is_there() {
        return;
    }
    let call = |content: &str| json!({ "path": "output/main.md", "content": content });
    let large = "x".repeat(300_000);
    let write = |content: &str| json!({ "calls": [{ "name": "workspace_write_file", "arguments": call(content) }] });
    let place = Place::new(&chat_of(1), &json!([write("Old.\n"), write(&large)]));
    let mut started = 0;
    let steps = step(&place, &FULL_DISK, &place.run_arguments(), |program, calls| {
        let call = calls.last().unwrap();
        // The arguments are kept before the call starts; what follows is the write itself.
        if is_append(call)
            && std::fs::read_to_string(file_of(call))
                .unwrap()
                .matches("\"tool_call_started\"")
                .count()
                == 2
        {
            started += 1;
            limit_files(program, 100_000);
        }
        Then::GoOn
    });
    assert!(started > 0, "the second call was never started");
    check(&place, &announced(&steps.stdout));
    let run = &place.runs()[0];
    assert_eq!(std::fs::read_to_string(run.join("output/main.md")).unwrap(), "Old.\n");
    let failed = report(&steps.stdout);
    assert_eq!(
        (failed["status"].as_str(), failed["error"]["code"].as_str()),
        (Some("partial_success"), Some("workspace.io_failed"))
    );
}

/// Plays a run in which a system call fails as said, in the tracer's words. Returns what it printed, and the calls that failed so.
fn with_fault(place: &Place, fault: &str) -> (String, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let log: PathBuf = folder.path().join("log");
    let (call, _) = fault.split_once(':').unwrap();
    let (log_path, trace, inject) = (
        log.display().to_string(),
        format!("trace={call}"),
        format!("inject={fault}"),
    );
    let starter = [
        "strace", "-f", "-qq", "-y", "-s", "0", "-o", &log_path, "-e", &trace, "-e", &inject,
    ];
    let output = place.command_under(&starter, &place.run_arguments()).output().unwrap();
    let log = std::fs::read_to_string(log).unwrap();
    let failed = log.lines().filter(|call| call.contains("(INJECTED)"));
    (
        String::from_utf8(output.stdout).unwrap(),
        failed.map(str::to_owned).collect(),
    )
}

#[test]
fn a_sync_that_fails_once_ends_the_run() {
    if !stepper::is_there() {
        return;
    }
    let whole = Place::new(&chat_of(1), &short_script());
    let every = if is_thorough() { 1 } else { 23 };
    let mut faults = 0;
    for number in (1..).step_by(every) {
        let place = Place::like(&whole);
        let (stdout, failed) = with_fault(&place, &format!("fdatasync:error=EIO:when={number}"));
        check(&place, &announced(&stdout));
        if failed.is_empty() {
            break;
        }
        let run = report(&stdout);
        assert_eq!(run["error"]["code"], "store.journal_write_failed", "{run}");
        assert_ne!(run["status"], "completed");
        faults += 1;
    }
    assert!(faults > 1);
}

#[test]
fn a_disk_that_is_full_for_one_append_only_ends_the_run_in_its_own_process() {
    if !stepper::is_there() {
        return;
    }
    let whole = Place::new(&chat_of(1), &short_script());
    let every = if is_thorough() { 1 } else { 29 };
    let mut ended = 0;
    for append in (1_usize..).step_by(every) {
        let place = Place::like(&whole);
        // A part of the next line fits. Once that is cut away again, there is space.
        let steps = full_after(&place, append, 40, |call| {
            call.contains(" ftruncate(") && call.contains("/events.jsonl>")
        });
        let said = announced(&steps.stdout);
        if said.len() < append {
            break;
        }
        // Nobody has looked at the run since: what closes it was written by its own process.
        let stored = stored(&place.runs()[0]);
        check_ends(&stored);
        check(&place, &said);
        let cut_short = stored
            .iter()
            .find(|event| event["type"] == "run_failed" || event["type"] == "run_partial_success");
        if let Some(end) = cut_short {
            assert_eq!(end["payload"]["code"], "store.journal_write_failed", "append {append}");
            assert_eq!(report(&steps.stdout)["error"]["code"], "store.journal_write_failed");
        }
        ended += 1;
    }
    assert!(ended > 1);
    eprintln!("{ended} runs whose disk was full for one append ended by themselves");
}

#[test]
fn a_file_system_without_locks_is_refused_with_a_reason_and_stays_readable() {
    if !stepper::is_there() {
        return;
    }
    let place = Place::new(&chat_of(1), &short_script());
    // The first lock is that of the list of chats, the second one the run's own.
    for which in 1..=2 {
        let (stdout, failed) = with_fault(&place, &format!("flock:error=EOPNOTSUPP:when={which}+"));
        assert!(!failed.is_empty(), "{stdout}");
        let said: Value = serde_json::from_str(stdout.lines().last().unwrap()).unwrap();
        let message = said["error"]["message"].as_str().unwrap();
        assert!(message.contains("lock"), "{message}");
        assert!(place.is_untouched());
        assert_eq!(place.recover()["runs"], json!([]));
    }
    assert!(place.run().output().unwrap().status.success());
    check(&place, &[]);
}

#[test]
fn a_chat_that_does_not_fit_on_the_disk_stays_and_takes_a_later_commit() {
    if !stepper::is_there() {
        return;
    }
    let commit = json!({ "calls": [{ "name": "workspace_commit", "arguments": {} }] });
    let mut turns = short_script();
    turns.as_array_mut().unwrap().insert(1, commit);
    let place = Place::new(&chat_of(1_000), &turns);
    assert!(
        place.before().len() > 200_000,
        "the chat must be longer than everything else"
    );
    let steps = step(&place, &FULL_DISK, &place.run_arguments(), |program, calls| {
        let call = calls.last().unwrap();
        if is_append(call) {
            let journal = std::fs::read_to_string(file_of(call)).unwrap();
            let count = |kind: &str| journal.matches(&format!("\"{kind}\"")).count();
            let is_first = count("chat_commit_requested") == 1 && count("chat_commit_failed") == 0;
            limit_files(program, if is_first { 100_000 } else { u64::MAX });
        }
        Then::GoOn
    });
    let said = announced(&steps.stdout);
    check(&place, &said);
    let count = |kind: &str| said.iter().filter(|event| event["type"] == kind).count();
    assert_eq!((count("chat_commit_failed"), count("run_completed")), (1, 1));
    assert!(count("chat_commit_completed") > 0);
    assert_eq!(
        std::fs::read_dir(place.chat_folder()).unwrap().count(),
        1,
        "a part of a new chat is left"
    );
}
