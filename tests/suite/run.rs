//! Whole runs through `Innkeeper::start_run`: a scripted model, a chat file, and the journal that is left behind.
//!
//! Every run here, however it ends, is checked against the order that journals keep (`journal`); a test says only what is its own.

mod cancel;
mod commits;
mod endings;
mod gates;
mod happy;
mod journal;
mod limits;
mod restart;
mod skills;
mod stage;

pub use happy::turns as happy_turns;
pub use stage::{Outcome, Stage, script};
