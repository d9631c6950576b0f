//! Closing the runs that a dead process left open.
//!
//! There is no resume: what was open is ended, and what cannot be known is said to be unknown. Runs with a living owner, damaged
//! journals and journals of other programs are left as they are.

use innkeeper_protocol::id::{CommitId, RunId};

use super::cache::{CACHED_IN_A_PASS, Loaded};
use super::closing::{Ending, Witness, bookkeeping_events, closing_events};
use super::error::{RunIssue, RunsError};
use super::fold::RunFold;
use super::folder::{RunFolder, RunsRoot, issue};
use super::leftovers;
use super::list::{damage_of, loss_of};
use super::open_rollback::RollbackHistory;
use super::open_work::{DanglingCall, OpenWork};
use super::record::RunRecord;
use crate::journal::{Durability, EVENTS_FILE, Journal, JournalError, Stamps};

pub use super::closing::{BrokenRun, CommitEvidence};

/// What closing a run needs from outside: stamps, and answers about the world.
pub trait RecoveryPorts: Stamps {
    /// Whether this call, which was started and has no end, may have had an effect outside: an MCP tool, a destructive tool of others.
    /// Asked for calls without a commit only, and not of requests to the network, which the journal tells itself.
    fn outside_effect_possible(&self, run: &RunRecord, call: &DanglingCall) -> bool;
    /// Whether the run's chat holds this commit.
    fn chat_has_commit(&self, run: &RunRecord, commit: &CommitId) -> CommitEvidence;
}

/// What recovery did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecoveryReport {
    /// Runs that were closed, or whose last invocation was.
    pub finalised: Vec<RunId>,
    /// Runs that had ended before and whose rollback was ended now, as failed.
    pub rollbacks: Vec<RunId>,
    /// Folders in which a run is about to begin, or never did; they are left alone.
    pub not_begun: Vec<RunId>,
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
    RollbackClosed,
    NotBegun,
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
    let found = root.load_all(&folders, CACHED_IN_A_PASS);
    for (folder, found) in folders.into_iter().zip(found) {
        let id = folder.run_id().clone();
        match found.and_then(|loaded| recover_run(root, &folder, loaded, ports, &mut report.issues)) {
            Ok(Recovered::Finalised) => report.finalised.push(id),
            Ok(Recovered::RollbackClosed) => report.rollbacks.push(id),
            Ok(Recovered::NotBegun) => report.not_begun.push(id),
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
    match root.load_record(folder) {
        // Also one that is owned, because it is being brought back.
        Ok(record) if record.status.is_terminal() => Ok(record),
        _ => finalise(root, folder, Ending::Cancelled, ports).map(|(record, _)| record),
    }
}

/// Closes a run of this process whose journal took no more events, now that nothing is done for it any more: it may take them again.
///
/// # Errors
/// As [`cancel_abandoned`]; the next start closes the run then.
pub fn close_broken(
    root: &RunsRoot,
    folder: &RunFolder,
    broken: &BrokenRun,
    ports: &mut dyn RecoveryPorts,
) -> Result<RunRecord, RunsError> {
    finalise(root, folder, Ending::Broken(broken), ports).map(|(record, _)| record)
}

fn recover_run(
    root: &RunsRoot,
    folder: &RunFolder,
    loaded: Loaded,
    ports: &mut dyn RecoveryPorts,
    issues: &mut Vec<RunIssue>,
) -> Result<Recovered, RunsError> {
    let flaw = damage_of(folder, &loaded).or_else(|| loss_of(folder, &loaded));
    if let Some(flaw) = flaw {
        issues.push(flaw);
        return Ok(Recovered::AlreadyEnded);
    }
    match loaded {
        // Nothing is removed: another process may be about to write the first event, and a lost journal is evidence.
        Loaded { record: None, .. } => Ok(Recovered::NotBegun),
        Loaded {
            record: Some(record), ..
        } if record.is_settled() => {
            leftovers::sweep_ended(root, folder);
            Ok(Recovered::AlreadyEnded)
        }
        Loaded { record: Some(_), .. } => finalise(root, folder, Ending::Restarted, ports).map(|(_, done)| done),
    }
}

/// Closes the run, or what may be open after its end: its last invocation, and a rollback that a dead process left in the middle. Says
/// what it did.
fn finalise(
    root: &RunsRoot,
    folder: &RunFolder,
    ending: Ending<'_>,
    ports: &mut dyn RecoveryPorts,
) -> Result<(RunRecord, Recovered), RunsError> {
    let (mut fold, mut work, mut rollbacks) = (RunFold::default(), OpenWork::default(), RollbackHistory::default());
    let mut journal = Journal::open_existing(folder.journal().clone(), Durability::Durable, ports, &mut |event| {
        fold.apply(event);
        work.observe(event);
        rollbacks.observe(event);
    })?;
    let record = |fold: &RunFold, journal: &Journal| {
        fold.record(journal.bytes()).ok_or_else(|| RunsError::NoRecord {
            path: folder.journal().events(),
        })
    };
    let before = record(&fold, &journal)?;
    let (drafts, done) = if before.status.is_terminal() {
        // A rollback is only begun when the run has ended.
        let rollback = rollbacks.closing_events();
        let done = if rollback.is_empty() {
            Recovered::Finalised
        } else {
            Recovered::RollbackClosed
        };
        ([bookkeeping_events(&work, before.status), rollback].concat(), done)
    } else {
        let drafts = closing_events(&work, ending, &Answers { ports, run: &before });
        (drafts, Recovered::Finalised)
    };
    if drafts.is_empty() {
        return Ok((before, Recovered::AlreadyEnded));
    }
    // Before the run has its end: nobody would look for leftovers of an ended run again.
    leftovers::sweep(root, folder);
    for draft in drafts {
        let event = journal.append(draft, ports.stamp())?;
        fold.apply(&event);
    }
    let after = record(&fold, &journal)?;
    if let Err(error) = root.save_record(folder, &after) {
        // The next reader folds the journal.
        tracing::debug!(code = error.code(), %error, "a cache of a run was not written");
    }
    Ok((after, done))
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

#[cfg(test)]
mod tests;
