//! The journal of a run: what happened, one line an event, the only truth about a run.
//!
//! Writing belongs to the one owner ([`Journal`]); reading needs no lock and works around damage ([`read_page`]). Nothing here knows
//! what an event means, except which invocations it is about.

mod chain;
mod error;
mod files;
mod follow;
mod line;
mod lines;
mod read;
mod scan;
mod scope;
mod seek;
#[cfg(test)]
pub(crate) mod testing;
mod watch;
mod writer;

pub use error::{DAMAGED_CODE, Damage, JournalError, JournalIssue, Refused};
pub use files::{EVENTS_FILE, LOCK_FILE, Location};
pub use follow::Follower;
pub use line::{MAX_LINE_BYTES, MAX_PAYLOAD_DEPTH};
pub use read::{Page, PageQuery, Reading, fold, fold_from, read, read_page};
pub use writer::{Durability, Journal, Stamp, Stamps};

pub(crate) use files::{Access, REPAIR_FILE, lock, open, sync_dir};
pub(crate) use watch::Watch;
