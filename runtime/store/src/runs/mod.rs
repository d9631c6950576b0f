//! Runs on disk: where a run's folder lies, what its journal says about it, and the list of all runs.
//!
//! The journal is the truth; everything else here is a cache of it and may be deleted. No run is started or executed here: what
//! happens in a run is the executor's affair, except that [`recover()`] closes what a dead process left open.

mod cache;
mod closing;
mod error;
mod fold;
mod folder;
mod leftovers;
mod list;
mod open_rollback;
mod open_work;
mod record;
mod recover;
#[cfg(test)]
mod testing;

pub use error::{RunIssue, RunsError};
pub use fold::RunFold;
pub use folder::{RunFolder, RunsRoot};
pub use list::{ListCursor, ListQuery, RunPage};
pub use open_rollback::RollbackHistory;
pub use open_work::DanglingCall;
pub use record::{CommittedMessage, RunRecord, RunSummary};
pub use recover::{BrokenRun, CommitEvidence, RecoveryPorts, RecoveryReport, cancel_abandoned, close_broken, recover};

pub(crate) use folder::private_dir;
