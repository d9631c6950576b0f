//! How a compiler's child process ended, and what that means for the component.
//!
//! Exit codes carry the meaning; what the child says is only shown.

use std::process::ExitStatus;

use crate::load_error::LoadError;

/// Compiled; an instance fits into the pool's share of a call.
pub(crate) const EXIT_POOLED: u8 = 0;
/// Compiled; an instance takes more than that.
pub(crate) const EXIT_LARGE: u8 = 10;
/// The component is refused, for the reason that was said.
pub(crate) const EXIT_INVALID: u8 = 65;
/// The child could not do its work.
pub(crate) const EXIT_FAILED: u8 = 70;

/// What is known of an end.
pub(crate) struct Verdict {
    status: ExitStatus,
    said: String,
}

impl Verdict {
    pub(crate) fn new(status: ExitStatus, said: String) -> Self {
        Self { status, said }
    }

    /// Whether an instance fits into the pool, if there is code for one.
    pub(crate) fn fits_pool(self) -> Result<bool, LoadError> {
        let Some(code) = self.status.code() else {
            let how = format!(
                "it needs more time or memory than there is for it, or breaks the compiler down ({})",
                self.status
            );
            return Err(LoadError::CompileLimit { how });
        };
        match u8::try_from(code) {
            Ok(EXIT_POOLED) => Ok(true),
            Ok(EXIT_LARGE) => Ok(false),
            Ok(EXIT_INVALID) => Err(LoadError::Invalid { reason: self.said }),
            Ok(EXIT_FAILED) => Err(LoadError::CompilerFailed { reason: self.said }),
            _ => Err(LoadError::CompileLimit {
                how: format!("it breaks the compiler down ({})", self.status),
            }),
        }
    }
}
