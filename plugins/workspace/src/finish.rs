//! `workspace.finish`: asks the host to end the run.
//!
//! Whether it may end now is the host's decision.

use innkeeper_tool::{Failure, Reply};
use serde::{Deserialize, Serialize};

use crate::port::Control;
use crate::refusal::Refusal;

/// Arguments of `workspace.finish`.
#[derive(Clone, Debug, Deserialize)]
pub struct FinishArguments {
    /// For the record, kept as it is.
    pub reason: Option<String>,
}

#[derive(Serialize)]
struct Structured<'a> {
    reason: Option<&'a str>,
}

/// Asks to end the run.
///
/// # Errors
/// A [`Failure`] while a commit is missing, and for a caller that has to return a task instead.
pub fn finish(arguments: &FinishArguments, control: &mut impl Control) -> Result<Reply, Failure> {
    let reason = arguments.reason.as_deref();
    // Finishing concerns no file, so a refusal that names one has nothing to name.
    control.finish(reason).map_err(|error| Refusal::control("", error))?;
    Reply::text("The run is finished.").structured(&Structured { reason })
}

#[cfg(test)]
mod tests;
