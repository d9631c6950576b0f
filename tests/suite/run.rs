//! Whole runs through `Innkeeper::start_run`: a scripted model, a chat file, and the journal that is left behind.
//!
//! Every run here, however it ends, is checked against the order that journals keep (`journal`); a test says only what is its own.

mod approvals;
mod assembly;
mod bridge;
mod cancel;
mod commits;
mod edited;
mod endings;
mod gates;
mod guidance;
mod happy;
pub mod journal;
mod limits;
mod prompt;
pub mod restart;
mod skills;
mod snapshot;
pub mod stage;

pub use bridge::start as start_bridged;
pub use happy::turns as happy_turns;
pub use stage::{CHAT, Outcome, Stage, script};
