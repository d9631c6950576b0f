//! Closing the runs that a dead process left open.
//!
//! There is no resume: what was open is ended, and what cannot be known is said to be unknown. Runs with a living owner, damaged
//! journals and journals of other programs are left as they are.

use std::fs;

use innkeeper_protocol::id::{CommitId, RunId};

use super::cache::Loaded;
use super::closing::{Ending, Witness, closing_events};
use super::error::{RunIssue, RunsError};
use super::fold::RunFold;
use super::folder::{RunFolder, RunsRoot, issue};
use super::leftovers;
use super::list::damage_of;
use super::open_work::{DanglingCall, OpenWork};
use super::record::RunRecord;
use crate::journal::{self, Durability, EVENTS_FILE, Journal, JournalError, LOCK_FILE, REPAIR_FILE, Stamps};

pub use super::closing::CommitEvidence;

/// What closing a run needs from outside: stamps, and answers about the world.
pub trait RecoveryPorts: Stamps {
    /// Whether this call, which was started and has no end, may have had an effect outside: an MCP tool, granted network, a
    /// destructive tool of others. Asked for calls without a commit only.
    fn outside_effect_possible(&self, run: &RunRecord, call: &DanglingCall) -> bool;
    /// Whether the run's chat holds this commit.
    fn chat_has_commit(&self, run: &RunRecord, commit: &CommitId) -> CommitEvidence;
}

/// What recovery did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecoveryReport {
    /// Runs that were closed.
    pub finalised: Vec<RunId>,
    /// Folders without a single event: nobody was told of these runs, and the folder is gone.
    pub removed: Vec<RunId>,
    /// Runs that a living process owns.
    pub live: Vec<RunId>,
    /// Open runs of other programs, which cannot be continued.
    pub foreign: Vec<RunId>,
    /// Runs that could not be read or closed; the others were.
    pub issues: Vec<RunIssue>,
}

/// What became of one run.
enum Recovered {
    Finalised,
    Removed,
    AlreadyEnded,
}

/// Closes every run that has no end and no living owner. May be interrupted at any point and repeated.
///
/// # Errors
/// When the folder of chats cannot be read. A single run that fails is an issue of the report.
pub fn recover(root: &RunsRoot, ports: &mut dyn RecoveryPorts) -> Result<RecoveryReport, RunsError> {
    let mut report = RecoveryReport::default();
    let (folders, issues) = root.folders()?;
    report.issues = issues;
    for folder in folders {
        let id = folder.run_id().clone();
        match recover_run(root, &folder, ports, &mut report.issues) {
            Ok(Recovered::Finalised) => report.finalised.push(id),
            Ok(Recovered::Removed) => report.removed.push(id),
            Ok(Recovered::AlreadyEnded) => {}
            Err(RunsError::Journal(JournalError::RunLocked { .. })) => report.live.push(id),
            Err(RunsError::Journal(JournalError::Unchained { .. })) => report.foreign.push(id),
            Err(error) => report.issues.push(issue(Some(id), EVENTS_FILE, &error)),
        }
    }
    leftovers::drop_orphans(root);
    Ok(report)
}

/// Cancels a run that has no owner: what it left open is closed, then it ends `cancelled`. A run that has ended stays as it is.
///
/// # Errors
/// `store.run_locked` when a process owns the run, `store.journal_damaged`, `store.journal_write_failed`.
pub fn cancel_abandoned(
    root: &RunsRoot,
    folder: &RunFolder,
    ports: &mut dyn RecoveryPorts,
) -> Result<RunRecord, RunsError> {
    finalise(root, folder, Ending::Cancelled, ports).map(|(record, _)| record)
}

fn recover_run(
    root: &RunsRoot,
    folder: &RunFolder,
    ports: &mut dyn RecoveryPorts,
    issues: &mut Vec<RunIssue>,
) -> Result<Recovered, RunsError> {
    let loaded = root.load(folder)?;
    if let Some(damage) = damage_of(folder, &loaded) {
        issues.push(damage);
        return Ok(Recovered::AlreadyEnded);
    }
    match loaded {
        Loaded { record: None, .. } => remove_unborn(folder),
        Loaded {
            record: Some(record), ..
        } if record.status.is_terminal() => Ok(Recovered::AlreadyEnded),
        Loaded { record: Some(_), .. } => {
            let (_, closed) = finalise(root, folder, Ending::Restarted, ports)?;
            Ok(if closed {
                Recovered::Finalised
            } else {
                Recovered::AlreadyEnded
            })
        }
    }
}

/// Closes the run unless it has ended; says whether it did.
fn finalise(
    root: &RunsRoot,
    folder: &RunFolder,
    ending: Ending,
    ports: &mut dyn RecoveryPorts,
) -> Result<(RunRecord, bool), RunsError> {
    let (mut fold, mut work) = (RunFold::default(), OpenWork::default());
    let mut journal = Journal::open_existing(folder.journal().clone(), Durability::Durable, ports, &mut |event| {
        fold.apply(event);
        work.observe(event);
    })?;
    let record = |fold: &RunFold, journal: &Journal| {
        fold.record(journal.bytes()).ok_or_else(|| RunsError::NoRecord {
            path: folder.journal().events(),
        })
    };
    let before = record(&fold, &journal)?;
    if before.status.is_terminal() {
        return Ok((before, false));
    }
    for draft in closing_events(&work, ending, &Answers { ports, run: &before }) {
        let event = journal.append(draft, ports.stamp())?;
        fold.apply(&event);
    }
    leftovers::sweep(root, folder);
    let after = record(&fold, &journal)?;
    if let Err(error) = root.save_record(folder, &after) {
        // The next reader folds the journal.
        tracing::debug!(code = error.code(), %error, "a cache of a run was not written");
    }
    Ok((after, true))
}

/// The caller's answers, for one run.
struct Answers<'a> {
    ports: &'a dyn RecoveryPorts,
    run: &'a RunRecord,
}

impl Witness for Answers<'_> {
    fn effect_possible(&self, call: &DanglingCall) -> bool {
        self.ports.outside_effect_possible(self.run, call)
    }

    fn evidence(&self, commit: &CommitId) -> CommitEvidence {
        self.ports.chat_has_commit(self.run, commit)
    }
}

/// Removes a folder in which a run was about to begin. Only what a beginning leaves is removed: a folder with more in it stays.
fn remove_unborn(folder: &RunFolder) -> Result<Recovered, RunsError> {
    let lock = journal::lock(folder.path())?;
    if !journal::read(folder.journal())?.events.is_empty() {
        return Ok(Recovered::AlreadyEnded);
    }
    for name in [EVENTS_FILE, REPAIR_FILE, LOCK_FILE] {
        let path = folder.path().join(name);
        match fs::remove_file(&path) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => return Err(RunsError::Io { path, source }),
            _ => {}
        }
    }
    fs::remove_dir(folder.path()).map_err(|source| RunsError::Io {
        path: folder.path().to_owned(),
        source,
    })?;
    drop(lock);
    Ok(Recovered::Removed)
}

#[cfg(test)]
mod tests;
