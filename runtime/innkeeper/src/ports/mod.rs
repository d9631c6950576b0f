//! The ports of the file host: a run's workspace and a chat that is a plain file.

mod chat;
mod files;

pub(crate) use chat::{FileHost, FileHostSetup};
pub(crate) use files::RunFiles;

use innkeeper_protocol::run::RunError;

/// Runs file work away from the threads that drive calls.
pub(crate) async fn blocking<T: Send + 'static, E: From<RunError> + Send + 'static>(
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, E> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => Err(RunError::internal("agent.internal_error", format!("file work broke down: {error}")).into()),
    }
}
