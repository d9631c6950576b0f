//! The exit codes, which scripts rely on.
//!
//! Why a command ended is said elsewhere; here is only the number.

use std::process::ExitCode;

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// What was asked for is done.
    Done,
    /// The run failed or ended in partial success, or the call failed.
    Failed,
    /// Wrong usage, or input that cannot be used.
    Usage,
    /// Denied by policy.
    Denied,
    /// Stopped by an interrupt.
    Cancelled,
}

impl Exit {
    /// The number.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Denied => 3,
            Self::Cancelled => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
