//! Bringing the workspace of a run back to a checkpoint: the five roots that the model sees, and nothing else.
//!
//! A plan is made first and touches nothing; it finds every content whole before anybody is asked. Carrying it out begins with a safety
//! checkpoint of what is there, made by the caller, and either ends at the checkpoint or goes back to the safety checkpoint. A process that
//! is killed in between leaves the mark that the journal has: a rollback that was asked for and has no end.

mod apply;
mod error;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use innkeeper_protocol::event::PersistentChange;
use innkeeper_protocol::path::WorkspacePath;

use crate::checkpoint::{Checkpoint, Checkpoints};
use crate::listing::{Difference, ListedFile, differences};
use crate::tree::{Kind, Scope, Tree, TreeError};

pub use error::RollbackError;

/// What going back to a checkpoint means now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RollbackPlan {
    /// Where it leads.
    pub checkpoint: Checkpoint,
    /// Every file that will come, change or go, by path.
    pub changes: Vec<PersistentChange>,
    /// Files among them that somebody changed after the newest checkpoint: only the safety checkpoint will hold what is in them now.
    pub unsaved: Vec<WorkspacePath>,
}

/// The workspace of a run that is to go back.
#[derive(Debug)]
pub struct Rollback {
    tree: Arc<Tree>,
    checkpoints: Checkpoints,
}

impl Rollback {
    /// Works on the files of this run. Only for the run's owner.
    #[must_use]
    pub fn new(tree: Arc<Tree>) -> Self {
        let checkpoints = Checkpoints::new(Arc::clone(&tree));
        Self { tree, checkpoints }
    }

    /// The run's checkpoints, for the one of what is there now.
    #[must_use]
    pub fn checkpoints(&self) -> &Checkpoints {
        &self.checkpoints
    }

    /// Finds out what going back to this checkpoint means, and that it can be done. Touches nothing.
    ///
    /// # Errors
    /// When the checkpoint is missing, its list or one of its contents is damaged, or something that is no file of ours is in the way: the
    /// file is named.
    pub fn plan(&self, number: u64) -> Result<RollbackPlan, RollbackError> {
        let checkpoint = self.checkpoints.load(number)?;
        self.checkpoints.verify(&checkpoint)?;
        let present = self.checkpoints.present()?.files;
        let found = differences(&present, &checkpoint.files);
        for difference in &found {
            self.check_way(difference)?;
        }
        let (changes, unsaved) = (told(&found), self.unsaved(&present, &found)?);
        Ok(RollbackPlan {
            checkpoint,
            changes,
            unsaved,
        })
    }

    /// Carries a plan out, from the state that `safety` holds.
    ///
    /// # Errors
    /// When something was changed since the plan was made: then nothing is done. When the disk refuses: then the workspace is as in
    /// `safety` again, or the error says that it is not.
    pub fn apply(&self, plan: &RollbackPlan, safety: &Checkpoint) -> Result<Vec<PersistentChange>, RollbackError> {
        let found = differences(&safety.files, &plan.checkpoint.files);
        let changes = told(&found);
        if changes != plan.changes {
            return Err(RollbackError::ChangedSince);
        }
        match self.carry_out(&found) {
            Ok(()) => Ok(changes),
            Err(cause) => Err(self.go_back(safety, cause)),
        }
    }

    /// Brings the workspace back to what it was before a failure.
    fn go_back(&self, safety: &Checkpoint, cause: RollbackError) -> RollbackError {
        let back = || {
            let present = self.checkpoints.present()?.files;
            self.carry_out(&differences(&present, &safety.files))
        };
        match back() {
            Ok(()) => cause,
            Err(second) => RollbackError::Incomplete {
                safety: safety.id.clone(),
                cause: Box::new(cause),
                second: Box::new(second),
            },
        }
    }

    /// Files of the plan that are in no checkpoint as they are now. Where the newest checkpoint cannot be read, all count.
    fn unsaved(&self, present: &[ListedFile], planned: &[Difference<'_>]) -> Result<Vec<WorkspacePath>, RollbackError> {
        let newest = self.checkpoints.numbers()?.last().copied();
        let newest = newest.and_then(|number| self.checkpoints.load(number).ok());
        let saved = newest.map(|checkpoint| checkpoint.files).unwrap_or_default();
        let touched = differences(&saved, present);
        let is_planned = |path: &WorkspacePath| planned.iter().any(|difference| difference.path() == path);
        Ok(touched
            .iter()
            .map(Difference::path)
            .filter(|path| is_planned(path))
            .cloned()
            .collect())
    }

    /// Refuses a file in whose place, or on whose way, lies what no checkpoint holds: a link, a device, a name on the disk that is no
    /// workspace path.
    fn check_way(&self, difference: &Difference<'_>) -> Result<(), RollbackError> {
        let Some(file) = difference.after() else { return Ok(()) };
        match self.tree.find(&file.path) {
            // A file on the way, or a twin of a name, is a file that goes.
            Ok(None) | Err(TreeError::NotADirectory { .. } | TreeError::NameConflict { .. }) => Ok(()),
            Ok(Some(entry)) if entry.kind == Kind::File => Ok(()),
            Ok(Some(_)) => {
                let listing = self.tree.list(&Scope::Path(file.path.clone()), u32::MAX, 0)?;
                if listing.skipped == 0 {
                    return Ok(());
                }
                Err(RollbackError::InTheWay {
                    path: file.path.clone(),
                })
            }
            Err(error) => Err(error.into()),
        }
    }
}

fn told(found: &[Difference<'_>]) -> Vec<PersistentChange> {
    found.iter().map(Difference::to_change).collect()
}
