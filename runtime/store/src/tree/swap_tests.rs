//! Another process swaps a folder for a link out of the run, again and again, while files below it are read, written and listed.

#![cfg(target_os = "linux")]

use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::tests::{Run, path};
use super::*;

/// More rounds find rarer races; this many take about a second.
const ROUNDS_VARIABLE: &str = "INNKEEPER_SWAP_ROUNDS";
const ROUNDS: usize = 300;

fn rounds() -> usize {
    std::env::var(ROUNDS_VARIABLE)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(ROUNDS)
}

/// `output/d` is a folder and `output/l` a link to the folder outside; both hold `secret.md`.
fn prepared() -> Run {
    let run = Run::new();
    run.put("output/d/secret.md", "inside");
    std::os::unix::fs::symlink(run.base.path().join("outside"), run.at("output/l")).unwrap();
    run
}

/// Swaps the two names until told to stop, at least once for each operation.
fn swap_until(run: &Run, stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        renameat_with(CWD, run.at("output/d"), CWD, run.at("output/l"), RenameFlags::EXCHANGE).unwrap();
        std::thread::yield_now();
    }
}

fn expected<T>(result: Result<T, TreeError>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(error) => {
            assert_eq!(error.code(), "workspace.invalid_path", "{error}");
            None
        }
    }
}

/// Every round one of each; how many succeeded and how many were refused.
fn work(run: &Run, rounds: usize) -> (usize, usize) {
    let mut done = [0; 2];
    let mut count = |succeeded: bool| done[usize::from(!succeeded)] += 1;
    for round in 0..rounds {
        let read = expected(run.tree.read(&path("output/d/secret.md"), MAX_FILE_BYTES));
        count(read.is_some());
        if let Some(file) = read {
            assert_ne!(file.text, "canary");
        }
        let content = format!("written {round}");
        let change = Change::Write {
            path: path("output/d/secret.md"),
            bytes: content.into(),
            guard: Guard::Unchecked,
        };
        count(expected(run.tree.apply(&[change])).is_some());
        let file = path(&format!("output/d/new-{round}/a.md"));
        let create = Change::Write {
            path: file.clone(),
            bytes: b"x".to_vec(),
            guard: Guard::MustNotExist,
        };
        if expected(run.tree.apply(&[create])).is_some() {
            let removed = run.tree.apply(&[Change::Remove {
                path: file,
                guard: Guard::Unchecked,
            }]);
            assert!(removed.is_ok() || removed.is_err_and(|error| !error.is_fault()));
        }
        let _ = expected(run.tree.list(&Scope::Path(path("output/d")), 2, 10));
    }
    (done[0], done[1])
}

#[test]
fn a_swapped_folder_never_leads_out() {
    let run = prepared();
    let stop = AtomicBool::new(false);
    let (succeeded, refused) = std::thread::scope(|scope| {
        scope.spawn(|| swap_until(&run, &stop));
        let worker = scope.spawn(|| work(&run, rounds()));
        let done = worker.join();
        stop.store(true, Ordering::Relaxed);
        done.unwrap()
    });
    let outside: Vec<_> = run
        .everything()
        .into_iter()
        .filter(|(name, _)| name.starts_with("outside/"))
        .collect();
    assert_eq!(outside, [("outside/secret.md".to_owned(), "canary".to_owned())]);
    assert!(
        succeeded > 0 && refused > 0,
        "the swaps were not seen: {succeeded} succeeded, {refused} refused"
    );
    assert!(run.everything().iter().all(|(name, _)| !name.contains(".staging-")));
}
