//! SillyTavern's chat files (`.jsonl`): reading them without losing a byte, freezing a run's input, and committing a run's message.
//!
//! | step | where |
//! |---|---|
//! | find the real file, read it | [`ChatPath`], [`read_chat`] |
//! | its lines, header and messages | [`ChatFile`] |
//! | what a run may see | [`freeze`], [`HistoryView`] |
//! | what a commit changes | [`plan()`], [`plan_state_update`] (pure) |
//! | whether someone else wrote | [`check_known`] |
//! | lock, compare, replace | [`ChatCommitter`] |
//!
//! What it does not do: it repairs no damaged chat, creates no chat, renders no macros, interprets no dates, and never writes a line
//! that it does not own. A chat that could not be read is an error, never an empty chat.

mod boundary;
mod committer;
mod error;
mod file;
mod json;
pub(crate) mod lock;
mod message;
mod metadata;
mod open;
mod plan;
mod replace;
mod request;
mod role;
mod splice;
mod swipes;

pub use boundary::{FrozenInput, HistoryView, PAGE_TEXT_BYTES, check_known, freeze};
pub use committer::{ChatCommitter, CommitOutcome};
pub use error::{ChatError, Refusal};
pub use file::ChatFile;
pub use metadata::{find_commit, newest_stable_chat_id};
pub use open::{ChatPath, MAX_CHAT_BYTES, read_chat, read_chat_up_to};
pub use plan::{CommitPlan, plan, plan_state_update, speaker_name};
pub use request::{ChatCommit, CommitTimes, StateNote, iso_date};

#[cfg(test)]
use replace::{Faults, Step};

#[cfg(test)]
mod tests;
