//! SillyTavern has the chat open while a run commits: whatever the order, nothing is lost without a word and nothing is there twice.

use std::collections::BTreeSet;

use innkeeper_testkit::sillytavern::{Save, SillyTavern};
use proptest::prelude::*;

use innkeeper_protocol::call::CommitMode;
use innkeeper_protocol::run::GenerationType;

use super::fixtures::*;
use crate::chat::*;

fn modern() -> Folder {
    Folder::with(&format!(
        "{{\"chat_metadata\":{{\"integrity\":\"{OLD_INTEGRITY}\"}}}}\n{USER}"
    ))
}

#[test]
fn an_open_client_is_warned_after_a_commit() {
    let folder = modern();
    let mut client = SillyTavern::open(&folder.chat).unwrap();
    folder.committer().commit(&commit(GenerationType::Normal, "A")).unwrap();
    client.say("mine");
    assert_eq!(client.save("unused").unwrap(), Save::IntegrityMismatch);
    assert_eq!(SillyTavern::open(&folder.chat).unwrap().texts(), ["Hi", "A"]);
}

#[test]
fn a_client_that_reloads_goes_on_and_the_run_is_told() {
    let folder = modern();
    let mut committer = folder.committer();
    let first = commit(GenerationType::Normal, "A");
    committer.commit(&first).unwrap();
    let mut client = SillyTavern::open(&folder.chat).unwrap();
    client.say("mine");
    assert_eq!(client.save("unused").unwrap(), Save::Done);
    let error = committer
        .commit(&later(&first, 2, CommitMode::Replace, "B"))
        .unwrap_err();
    assert_eq!(error.code(), "agent.chat_commit_rejected");
    assert_eq!(SillyTavern::open(&folder.chat).unwrap().texts(), ["Hi", "A", "mine"]);
}

#[test]
fn a_client_that_insists_drops_the_commit_and_a_later_one_is_refused() {
    let folder = modern();
    let mut committer = folder.committer();
    let client = SillyTavern::open(&folder.chat).unwrap();
    let first = commit(GenerationType::Normal, "A");
    committer.commit(&first).unwrap();
    client.overwrite().unwrap();
    assert_eq!(
        committer
            .commit(&later(&first, 2, CommitMode::Append, "B"))
            .unwrap_err()
            .code(),
        "agent.chat_commit_rejected"
    );
    assert_eq!(find_commit(&folder.read(), &first.asked.commit_id), None);
}

#[derive(Debug, Clone, Copy)]
enum Act {
    Say(usize),
    Edit(usize),
    DeleteLast(usize),
    Reload(usize),
    Save(usize),
    Commit(CommitMode),
    Repeat,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        1 => (0..2_usize).prop_map(Act::Say),
        1 => (0..2_usize).prop_map(Act::Edit),
        1 => (0..2_usize).prop_map(Act::DeleteLast),
        2 => (0..2_usize).prop_map(Act::Reload),
        3 => (0..2_usize).prop_map(Act::Save),
        2 => Just(Act::Commit(CommitMode::Append)),
        1 => Just(Act::Commit(CommitMode::Replace)),
        1 => Just(Act::Repeat),
    ]
}

/// A chat, two tabs and a run, and what each was told.
struct World {
    folder: Folder,
    tabs: [SillyTavern; 2],
    committer: ChatCommitter,
    first: ChatCommit,
    last: Option<ChatCommit>,
    count: u32,
    /// When each tab last read the file, and when a commit last wrote it.
    loaded: [u32; 2],
    committed: u32,
    /// The text that must be on disk.
    disk: Vec<String>,
}

impl World {
    fn new(kind: GenerationType) -> Self {
        let folder = Folder::with(&format!(
            "{{\"chat_metadata\":{{\"integrity\":\"{OLD_INTEGRITY}\"}}}}\n{USER}\n{{\"name\":\"Alice\",\"mes\":\"old\",\"swipes\":[\"old\"],\"swipe_id\":0,\"swipe_info\":[{{}}]}}"
        ));
        let open = || SillyTavern::open(&folder.chat).unwrap();
        let (tabs, disk, committer) = ([open(), open()], open().texts(), folder.committer());
        Self {
            folder,
            tabs,
            committer,
            first: commit(kind, "0"),
            last: None,
            count: 0,
            loaded: [0; 2],
            committed: 0,
            disk,
        }
    }

    fn step(&mut self, act: Act) {
        self.count += 1;
        let text = format!("t{}", self.count);
        match act {
            Act::Say(tab) => self.tabs[tab].say(&text),
            Act::Edit(tab) => self.tabs[tab].edit(0, &text),
            Act::DeleteLast(tab) => self.tabs[tab].delete_last(),
            Act::Reload(tab) => {
                self.tabs[tab] = SillyTavern::open(&self.folder.chat).unwrap();
                self.loaded[tab] = self.count;
            }
            Act::Save(tab) => self.save(tab),
            Act::Commit(mode) => {
                let mut next = later(&self.first, self.count, mode, &text);
                next.integrity = format!("ours-{}", self.count);
                self.commit(next);
            }
            Act::Repeat => {
                if let Some(last) = self.last.clone() {
                    self.commit(last);
                }
            }
        }
    }

    fn save(&mut self, tab: usize) {
        if self.tabs[tab].save("never used").unwrap() == Save::Done {
            assert!(
                self.loaded[tab] >= self.committed,
                "a tab that never saw the commit overwrote it"
            );
            self.disk = self.tabs[tab].texts();
        }
    }

    fn commit(&mut self, request: ChatCommit) {
        let before = self.folder.text();
        match self.committer.commit(&request) {
            Ok(outcome) if outcome.written => {
                let index = outcome.message_index as usize;
                let shown = self.folder.read().message(outcome.message_index).unwrap().text;
                assert!(shown.ends_with(&request.asked.text));
                self.disk.resize(self.disk.len().max(index + 1), String::new());
                self.disk[index] = shown;
                self.committed = self.count;
                self.last = Some(request);
            }
            Ok(_) => assert_eq!(self.folder.text(), before),
            Err(error) => {
                assert_eq!(error.code(), "agent.chat_commit_rejected");
                assert_eq!(self.folder.text(), before);
            }
        }
    }

    /// The file holds exactly what those who were told "done" wrote, and each commit once.
    fn check(&self) {
        assert_eq!(SillyTavern::open(&self.folder.chat).unwrap().texts(), self.disk);
        let chat = self.folder.read();
        let mut seen = BTreeSet::new();
        for index in 0..chat.total() {
            let message = value(&chat, index);
            let commits = message["extra"]["tauritavern"]["agent"]["commits"]
                .as_array()
                .cloned()
                .unwrap_or_default();
            for commit in commits {
                assert!(seen.insert(commit["commitId"].to_string()), "twice: {commit}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_lost_silently_or_doubled(kind in 0..4_usize, acts in prop::collection::vec(act(), 1..14)) {
        let kinds = [GenerationType::Normal, GenerationType::Regenerate, GenerationType::Swipe, GenerationType::Continue];
        let mut world = World::new(kinds[kind]);
        for act in acts {
            world.step(act);
            world.check();
        }
    }
}
