//! Many writers in two processes add to one message, each on the state that it has read: what is acknowledged is there, once each.
//!
//! `INNKEEPER_SWAP_ROUNDS`, which makes other long loops longer, makes each of them try 200 times.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use innkeeper_protocol::call::CommitMode;
use innkeeper_protocol::id::CommitId;
use innkeeper_protocol::run::GenerationType;

use super::fixtures::*;
use crate::chat::*;

/// The chat of the other process; set when this test runs as one.
const CHAT: &str = "INNKEEPER_TEST_CONTENDED_CHAT";
/// Writers in each of the two processes.
const WRITERS: usize = 4;
/// How often each of them adds, or is refused.
const ATTEMPTS: usize = 20;
/// What is added each time.
const DROP: &str = "x";

/// One attempt: the chat is read, and what was read is what the commit is based on.
fn add(chat: &Path, locks: &Path, name: &str) -> bool {
    let path = ChatPath::resolve(chat).unwrap();
    let read = read_chat(&path).unwrap();
    let mut committer = ChatCommitter::new(path, locks.to_owned(), read.fingerprint());
    let mut asked = later(&commit(GenerationType::Normal, DROP), 1, CommitMode::Append, DROP);
    asked.asked.commit_id = CommitId::parse(&format!("commit_{name}")).unwrap();
    match committer.commit(&asked) {
        Ok(outcome) => outcome.written,
        Err(error) => {
            assert_eq!(error.code(), "agent.chat_commit_rejected", "{error}");
            false
        }
    }
}

fn attempts() -> usize {
    if std::env::var_os("INNKEEPER_SWAP_ROUNDS").is_some() {
        200
    } else {
        ATTEMPTS
    }
}

/// All writers of one process. Returns how many additions were acknowledged.
fn write(chat: &Path, process: &str) -> usize {
    let locks = chat.parent().unwrap().join("locks");
    let writer = |number: usize| {
        let attempt = |attempt| add(chat, &locks, &format!("{process}_{number}_{attempt}"));
        (0..attempts()).filter(|number| attempt(*number)).count()
    };
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS).map(|number| scope.spawn(move || writer(number))).collect();
        writers.into_iter().map(|writer| writer.join().unwrap()).sum()
    })
}

fn start(chat: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args([
            "every_acknowledged_addition_of_two_processes_is_there_once",
            "--nocapture",
        ])
        .env(CHAT, chat)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn every_acknowledged_addition_of_two_processes_is_there_once() {
    if let Some(chat) = std::env::var_os(CHAT) {
        println!("acknowledged: {}", write(Path::new(&chat), "b"));
        return;
    }
    let folder = Folder::with(USER);
    let other = start(&folder.chat);
    let ours = write(&folder.chat, "a");
    let output = String::from_utf8(other.wait_with_output().unwrap().stdout).unwrap();
    let (_, told) = output.split_once("acknowledged: ").expect("the other process tells");
    let theirs: usize = told.lines().next().unwrap().parse().unwrap();
    assert!(ours > 0 && theirs > 0, "{ours} and {theirs}: nobody was contended with");
    let text = folder.read().message(1).unwrap().text;
    assert_eq!(
        text,
        DROP.repeat(ours + theirs),
        "{ours} and {theirs} additions were acknowledged"
    );
}
