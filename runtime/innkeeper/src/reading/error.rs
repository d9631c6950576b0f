//! What the store says about turns, timelines, diffs and rollbacks, as faces show it.

use innkeeper_protocol::path::PathRefusal;
use innkeeper_protocol::run::{ErrorKind, RunError};
use innkeeper_store::checkpoint::CheckpointError;
use innkeeper_store::diff::DiffError;
use innkeeper_store::rollback::RollbackError;
use innkeeper_store::timeline::TimelineError;
use innkeeper_store::turn::TurnError;

use crate::error::{HostError, fault};

/// An error of a kind, with its causes.
fn of_kind(code: &'static str, kind: ErrorKind, error: &dyn std::error::Error) -> HostError {
    HostError::from(RunError {
        kind,
        ..fault(code, error)
    })
}

impl From<PathRefusal> for HostError {
    fn from(error: PathRefusal) -> Self {
        of_kind(error.code(), ErrorKind::Validation, &error)
    }
}

impl From<TimelineError> for HostError {
    fn from(error: TimelineError) -> Self {
        match error {
            TimelineError::Journal(error) => error.into(),
            error @ TimelineError::Dangling { .. } => of_kind(error.code(), ErrorKind::Validation, &error),
        }
    }
}

impl From<TurnError> for HostError {
    fn from(error: TurnError) -> Self {
        match error {
            TurnError::Tree(error) => error.into(),
            TurnError::Journal(error) => error.into(),
            error @ TurnError::NotFound { .. } => of_kind(error.code(), ErrorKind::NotFound, &error),
            error @ (TurnError::Damaged { .. }
            | TurnError::OtherRound { .. }
            | TurnError::OtherInvocation { .. }
            | TurnError::Path(_)) => of_kind(error.code(), ErrorKind::Validation, &error),
        }
    }
}

impl From<CheckpointError> for HostError {
    fn from(error: CheckpointError) -> Self {
        let kind = match &error {
            CheckpointError::NotFound { .. } => ErrorKind::NotFound,
            CheckpointError::Damaged { .. }
            | CheckpointError::BlobMissing { .. }
            | CheckpointError::BlobDamaged { .. } => ErrorKind::Validation,
            _ => ErrorKind::Internal,
        };
        match error {
            CheckpointError::Tree(error) => error.into(),
            error @ CheckpointError::NotFound { .. } => of_kind(error.code(), kind, &error)
                .with_hint("The run's `checkpoint_created` events name its checkpoints."),
            error => of_kind(error.code(), kind, &error),
        }
    }
}

impl From<DiffError> for HostError {
    fn from(error: DiffError) -> Self {
        match error {
            DiffError::Checkpoint(error) => error.into(),
            DiffError::Tree(error) => error.into(),
            // What the run began with is a file of ours: its damage is nobody's input.
            error @ (DiffError::Beginning(_) | DiffError::State(_)) => {
                of_kind(error.code(), ErrorKind::Internal, &error)
            }
        }
    }
}

impl From<RollbackError> for HostError {
    fn from(error: RollbackError) -> Self {
        match error {
            RollbackError::Checkpoint(error) => error.into(),
            RollbackError::Tree(error) => error.into(),
            error @ RollbackError::InTheWay { .. } => of_kind(error.code(), ErrorKind::Validation, &error)
                .with_hint("Move what lies there out of the run's folder, and try again."),
            error @ RollbackError::ChangedSince => of_kind(error.code(), ErrorKind::Validation, &error)
                .with_hint("Ask for the rollback again, and leave the files alone meanwhile."),
            error @ RollbackError::Incomplete { .. } => of_kind(error.code(), ErrorKind::Internal, &error)
                .with_hint("Roll back to the checkpoint that is named, once the disk works again."),
        }
    }
}
