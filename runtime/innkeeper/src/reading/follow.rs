//! Following a run while it goes on, whichever process executes it.

use innkeeper_protocol::id::RunId;
use innkeeper_store::journal::{Follower, Page};

use super::RunReader;
use crate::error::{About as _, HostError};

/// A run that is being followed. Dropping it changes nothing for the run.
pub struct FollowedRun {
    follower: Follower,
}

impl RunReader {
    /// Follows the events of a run after this number; with an invocation only those about it. They come as they are written, without
    /// polling, and the last is followed by none once nobody owns the run or its bookkeeping is done.
    ///
    /// # Errors
    /// `agent.not_found` for an unknown run.
    pub fn follow_agent_run(
        &self,
        run_id: &RunId,
        after_seq: u64,
        invocation: Option<&str>,
    ) -> Result<FollowedRun, HostError> {
        let folder = self.root().find_run(run_id).map_err(HostError::from).about(run_id)?;
        let follower = Follower::new(folder.journal().clone(), after_seq, invocation.map(str::to_owned));
        Ok(FollowedRun { follower })
    }
}

impl FollowedRun {
    /// The next events, at least one or a newly met damaged place; none at the end. May be dropped while it waits, and asked again.
    ///
    /// # Errors
    /// [`HostError`] when the journal cannot be read, or the invocation is no id.
    pub async fn next(&mut self) -> Result<Option<Page>, HostError> {
        Ok(self.follower.next().await?)
    }
}
