//! Kills after every system call that changes a file: during a run over chats of several lengths, and during the recovery after that.

use std::path::PathBuf;

use serde_json::Value;

use super::checks::{announced, check};
use super::events::kill_at_events;
use super::is_thorough;
use super::place::{Place, chat_of, short_script};
use super::stepper::{self, Then, step};

/// The starter that changes nothing.
pub const PLAIN: [&str; 1] = ["env"];

/// How many runs are killed at a time: one waits for its disk while another one works.
const AT_A_TIME: usize = 2;

/// Where a run is killed by default: every so many calls, an odd number so that all kinds have their turn.
struct Plan {
    messages: usize,
    every: usize,
    /// Whether every call of a commit is tried, however far apart the others are.
    commits: bool,
}

/// The calls of a whole run, or nothing where programs cannot be traced: then it is killed at its events.
fn whole_run(messages: usize) -> Option<(Place, Vec<String>)> {
    let whole = Place::new(&chat_of(messages), &short_script());
    if !stepper::is_there() {
        kill_at_events(&whole, 1);
        return None;
    }
    let place = Place::like(&whole);
    let steps = step(&place, &PLAIN, &place.run_arguments(), |_, _| Then::GoOn);
    assert_eq!(steps.code, Some(0), "{}", steps.stdout);
    assert!(
        announced(&steps.stdout).len() >= 40,
        "the run is too short to say anything"
    );
    check(&place, &announced(&steps.stdout));
    Some((whole, steps.calls))
}

/// Kills a run after this many calls; what it had announced by then.
fn killed(place: &Place, calls: usize) -> Vec<Value> {
    let arguments = place.run_arguments();
    let steps = step(place, &PLAIN, &arguments, |_, seen| kill_from(seen.len(), calls));
    announced(&steps.stdout)
}

pub fn kill_from(seen: usize, calls: usize) -> Then {
    if seen >= calls { Then::Kill } else { Then::GoOn }
}

/// Kills runs as planned, each at a place of its own.
fn kill_along(plan: &Plan) {
    let Some((whole, calls)) = whole_run(plan.messages) else {
        return;
    };
    let folder = whole.chat_folder().file_name().unwrap().to_str().unwrap().to_owned();
    let is_commit = |call: &str| plan.commits && call.contains(&format!("/{folder}"));
    let is_chosen = |at: usize, call: &str| is_thorough() || at.is_multiple_of(plan.every) || is_commit(call);
    let chosen: Vec<usize> = calls
        .iter()
        .enumerate()
        .filter(|(at, call)| is_chosen(*at, call))
        .map(|(at, _)| at + 1)
        .collect();
    let said: usize = std::thread::scope(|scope| {
        let (whole, chosen) = (&whole, &chosen);
        let work = |worker| move || kill_at(whole, chosen.iter().enumerate().skip(worker).step_by(AT_A_TIME));
        let workers: Vec<_> = (0..AT_A_TIME).map(|worker| scope.spawn(work(worker))).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).sum()
    });
    assert!(whole.is_untouched(), "the program wrote into an old chat in place");
    let (tried, all, messages) = (chosen.len(), calls.len(), plan.messages);
    eprintln!(
        "chat of {messages}: killed after {tried} of {all} system calls; of {said} announced events none was lost, and no line changed"
    );
}

/// Kills a run after each of these numbers of calls. Gives how many events were announced in all.
fn kill_at<'a>(whole: &Place, points: impl Iterator<Item = (usize, &'a usize)>) -> usize {
    let mut said = 0;
    for (number, point) in points {
        let place = Place::like(whole);
        let announced = killed(&place, *point);
        check(&place, &announced);
        if number % 5 == 0 {
            check_goes_on(&place);
        }
        said += announced.len();
    }
    said
}

/// The next run over the same chat works, and clears away what the dead one left beside the chat.
fn check_goes_on(place: &Place) {
    assert!(place.run().output().unwrap().status.success());
    check(place, &[]);
    let names: Vec<PathBuf> = std::fs::read_dir(place.chat_folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(names, [place.chat()]);
}

#[test]
fn a_run_over_a_chat_of_one_message() {
    kill_along(&Plan {
        messages: 1,
        every: 61,
        commits: true,
    });
}

#[test]
fn a_run_over_a_chat_of_a_thousand_messages() {
    kill_along(&Plan {
        messages: 1_000,
        every: 181,
        commits: false,
    });
}

#[test]
fn a_run_over_a_chat_of_fifty_thousand_messages() {
    kill_along(&Plan {
        messages: 50_000,
        every: 307,
        commits: false,
    });
}

/// What the runs of a place tell, without ids and dates.
fn stories(place: &Place) -> Vec<(String, Value)> {
    let mut told = Vec::new();
    for run in place.runs() {
        let text = std::fs::read_to_string(run.join("events.jsonl")).unwrap_or_default();
        let events = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        told.extend(events.map(|mut event| (event["type"].as_str().unwrap().to_owned(), event["payload"].take())));
    }
    told
}

/// Kills the recovery after one and the same kill again and again, each time later, and compares with a recovery that was let be.
fn kill_recoveries(whole: &Place, point: usize) -> usize {
    let place = Place::like(whole);
    let announced = killed(&place, point);
    let kept = place.keep();
    check(&place, &announced);
    let clean = stories(&place);
    let arguments = ["--json", "runs", "list"].map(str::to_owned);
    let mut kills = 0;
    loop {
        place.put_back(&kept);
        let calls = kills + 1;
        let steps = step(&place, &PLAIN, &arguments, |_, seen| kill_from(seen.len(), calls));
        check(&place, &announced);
        assert_eq!(
            stories(&place),
            clean,
            "killed after {point} calls, and the recovery after {calls}"
        );
        if steps.code.is_some() {
            return kills;
        }
        kills += 1;
    }
}

#[test]
fn a_recovery_that_is_killed_anywhere_ends_as_one_that_was_not() {
    let Some((whole, calls)) = whole_run(1) else { return };
    let rename = calls
        .iter()
        .position(|call| call.contains("rename") && call.contains("chat.jsonl"));
    let after_the_commit = rename.expect("the run commits") + 1;
    let points = if is_thorough() {
        (10..calls.len()).step_by(23).collect()
    } else {
        vec![after_the_commit]
    };
    let kills: usize = points.iter().map(|point| kill_recoveries(&whole, *point)).sum();
    eprintln!(
        "{} recoveries were killed after {kills} system calls and ended alike",
        points.len()
    );
}

/// A torn last line is what a full disk or a lost power leaves; its repair may be killed, too.
#[test]
fn a_repair_that_is_killed_anywhere_ends_as_one_that_was_not() {
    let Some((whole, calls)) = whole_run(1) else { return };
    let place = Place::like(&whole);
    killed(&place, calls.len() / 2);
    let journal = place.runs()[0].join("events.jsonl");
    let text = std::fs::read_to_string(&journal).unwrap();
    std::fs::write(&journal, &text[..text.len() - 9]).unwrap();
    let kept = place.keep();
    check(&place, &[]);
    let clean = stories(&place);
    assert_eq!(clean.iter().filter(|(kind, _)| kind == "journal_repaired").count(), 1);
    let arguments = ["--json", "runs", "list"].map(str::to_owned);
    for calls in 1.. {
        place.put_back(&kept);
        let steps = step(&place, &PLAIN, &arguments, |_, seen| kill_from(seen.len(), calls));
        check(&place, &[]);
        assert_eq!(stories(&place), clean, "killed after {calls} calls");
        if steps.code.is_some() {
            break;
        }
    }
}
