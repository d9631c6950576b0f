//! Reaching a run that is on its way: guidance, approvals, cancel, and the answers of a front end that owns the chat.
//!
//! What an answer leads to is the loop's business; here it is only taken, checked and passed on.

mod active;
mod answering;
mod bridge;
mod desk;
mod guiding;
mod inbox;
mod mailbox;

pub(crate) use active::{ActiveRun, ActiveRuns, Entered};
pub(crate) use answering::not_pending;
pub use bridge::HostBridge;
pub(crate) use desk::{AnswerRefusal, ApprovalDesk, Asked};
pub(crate) use guiding::discarded;
pub(crate) use inbox::{Served, WayIn};
pub(crate) use mailbox::{Mailbox, MailboxRefusal};
