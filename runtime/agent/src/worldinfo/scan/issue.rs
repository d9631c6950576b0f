//! What a scan could not look at, or left out. Told, never a reason to refuse a run.

use crate::worldinfo::settings::{MAX_PASSES, MAX_WORK};

/// Something that a scan passed over.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScanIssue {
    /// A key is a regular expression that cannot be used, or gave up.
    #[error("the key {key} of {entry} is passed over: {why}")]
    Key {
        /// The entry, `BOOK#UID`.
        entry: String,
        /// The key, at most 80 characters of it.
        key: String,
        /// Why.
        why: String,
    },
    /// An entry that was activated and is too long.
    #[error("{entry} is left out: there is no room for its {chars} characters")]
    NoRoom {
        /// The entry, `BOOK#UID`.
        entry: String,
        /// Its length.
        chars: usize,
    },
    /// Entries bring in each other without end.
    #[error("the scan of world info stopped after {MAX_PASSES} passes; entries bring in each other")]
    PassesSpent,
    /// Too many or too costly keys.
    #[error("the scan of world info stopped after {MAX_WORK} steps; the entries not yet looked at are left out")]
    WorkSpent,
    /// More of the like.
    #[error("and {count} more")]
    More {
        /// How many.
        count: usize,
    },
}

impl ScanIssue {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Key { .. } => "worldinfo.key_invalid",
            Self::NoRoom { .. } | Self::PassesSpent | Self::WorkSpent | Self::More { .. } => "worldinfo.scan_limit",
        }
    }
}
