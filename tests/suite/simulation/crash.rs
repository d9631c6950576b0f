//! A crash: of a played run there is only a prefix of its journal, perhaps with a torn line, and what it had put into the chat by then.

use std::fs;

use innkeeper::protocol::envelope::Envelope;
use innkeeper::protocol::id::CommitId;
use innkeeper::protocol::run::RunStatus;
use innkeeper_store::journal::{self, Stamp, Stamps};
use innkeeper_store::runs::{CommitEvidence, DanglingCall, RecoveryPorts, RunRecord, RunsRoot, recover};

use super::actors::Actors;
use super::play::{Play, stamp};
use crate::run::journal as order;

/// Rules that a crash in the middle of a call breaks: its end comes from the recovery, which knows of no checkpoint and no result.
const OF_WHOLE_CALLS: [&str; 2] = ["mutating calls", "commit calls"];

/// The crashes of one run.
pub struct Crashes<'a> {
    play: &'a Play,
    root: RunsRoot,
    seed: u64,
}

impl<'a> Crashes<'a> {
    /// Those of this run.
    pub fn of(play: &'a Play, seed: u64) -> Self {
        Self {
            play,
            root: RunsRoot::new(play.data.path()),
            seed,
        }
    }

    /// Crashes after so many appends: right after, and once more when what follows had been put into the chat already. Returns how many
    /// crashes that were.
    pub fn after(&self, appends: usize) -> usize {
        let before = self.chat(|at| at < appends);
        self.crash(appends, &before);
        let with = self.chat(|at| at <= appends);
        if with == before {
            return 1;
        }
        self.crash(appends, &with);
        2
    }

    fn chat(&self, was_there: impl Fn(usize) -> bool) -> Vec<String> {
        let there = self.play.chat.iter().filter(|commit| was_there(commit.appends));
        there.map(|commit| commit.id.clone()).collect()
    }

    fn crash(&self, appends: usize, chat: &[String]) {
        let path = self.play.folder.journal().events();
        let mut left = self.play.lines[..appends].concat();
        let mut dice = Actors::new(self.seed ^ appends as u64);
        if let (Some(next), true) = (self.play.lines.get(appends), dice.once_in(3)) {
            left.extend_from_slice(&next[..dice.below(next.len())]);
        }
        fs::write(&path, &left).unwrap();
        let mut world = World { chat, stamps: 10_000 };
        let report = recover(&self.root, &mut world).unwrap();
        assert_eq!(report.issues, [], "{}", self.place(appends));
        let events = journal::read(self.play.folder.journal()).unwrap().events;
        self.check(appends, chat, &events);
        let closed = fs::read(&path).unwrap();
        recover(&self.root, &mut world).unwrap();
        assert!(
            closed == fs::read(&path).unwrap(),
            "{}: closed twice",
            self.place(appends)
        );
    }

    fn check(&self, appends: usize, chat: &[String], events: &[Envelope]) {
        let place = || format!("{}\n{}", self.place(appends), order::listing(events));
        assert_eq!(events[..appends], self.play.events[..appends], "{}", place());
        let was_over = is_over(&self.play.events[..appends]);
        let broken = broken_rules(events, false);
        assert!(broken.is_empty(), "{broken:?} {}", place());
        let told: Vec<&str> = of(events, "chat_commit_completed")
            .filter_map(|event| event.text("commitId"))
            .collect();
        assert_eq!(told, chat, "{}", place());
        assert_eq!(of(events, "chat_commit_recorded").count(), chat.len(), "{}", place());
        let record = self.root.load_record(&self.play.folder).unwrap();
        let expected = if chat.is_empty() {
            RunStatus::Failed
        } else {
            RunStatus::PartialSuccess
        };
        assert!(was_over || record.status == expected, "{:?} {}", record.status, place());
    }

    fn place(&self, appends: usize) -> String {
        format!("seed {}, crash after {appends} appends", self.seed)
    }
}

/// What a journal violates. The rules of whole calls are left out where calls were cut short.
pub fn broken_rules(events: &[Envelope], are_calls_whole: bool) -> Vec<String> {
    let counts = |violation: &String| are_calls_whole || !OF_WHOLE_CALLS.iter().any(|rule| violation.starts_with(rule));
    order::violations(events).into_iter().filter(counts).collect()
}

fn of<'a>(events: &'a [Envelope], kind: &'a str) -> impl Iterator<Item = &'a Envelope> {
    events.iter().filter(move |event| event.kind == kind)
}

fn is_over(events: &[Envelope]) -> bool {
    let ends = ["run_completed", "run_failed", "run_partial_success", "run_cancelled"];
    events.iter().any(|event| ends.contains(&event.kind.as_str()))
}

/// What the next process finds.
struct World<'a> {
    chat: &'a [String],
    stamps: usize,
}

impl Stamps for World<'_> {
    fn stamp(&mut self) -> Stamp {
        self.stamps += 1;
        stamp(self.stamps)
    }
}

impl RecoveryPorts for World<'_> {
    fn outside_effect_possible(&self, _: &RunRecord, _: &DanglingCall) -> bool {
        false
    }

    fn chat_has_commit(&self, _: &RunRecord, commit: &CommitId) -> CommitEvidence {
        if self.chat.iter().any(|id| id == commit.as_str()) {
            CommitEvidence::Present {
                message_id: Some("12".to_owned()),
            }
        } else {
            CommitEvidence::Absent
        }
    }
}
