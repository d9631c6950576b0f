//! The agent's loop as a pure step function, profiles, and what a model is told.
//!
//! Nothing here reads a clock, draws a random number, makes an id or touches a file: what happened comes in as an [`Event`], what is to
//! be done goes out as a list of [`Effect`]s.

mod approvals;
mod calls;
pub mod card;
mod commits;
mod effect;
mod ending;
mod event;
mod fields;
mod gates;
mod guidance;
pub mod live;
pub mod profile;
pub mod prompt;
mod rounds;
mod run;
pub mod snapshot;
mod step;
pub mod worldinfo;

pub use commits::fill_commit;
pub use effect::Effect;
pub use event::{Event, Promotion, WrittenText};
pub use fields::{Found, WrongType};
pub use run::{LoopRules, OfferedTool, Run, RunSetup, RunSkills};
pub use step::step;
