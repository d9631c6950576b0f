//! What a run's model is writing right now: the drafts of files and patches, out of the arguments of calls that are still coming.
//!
//! A preview and nothing else: it is not journalled, proves no success, and is gone as soon as the call itself stands in the journal.
//! Calls of other tools are not shown.

mod json_text;
mod mailbox;
mod projection;
mod scanner;
mod shape;

pub use mailbox::LiveSubscription;
pub use projection::{LiveInvocation, LiveProjection, LiveSource};
pub use shape::{LiveCall, LiveDraft, LiveField, LiveUpdate};
