//! Decides what a tool may do: one pure, total function, [`resolve()`], from policy inputs and a tool's spec to a [`Decision`].
//!
//! It reads no file, asks nobody and counts nothing: whoever calls it brings the rules as parsed and the calls as counted, holds the
//! pending question, and keeps what a person answered.

mod decision;
mod inputs;
mod resolve;
mod selector;

pub use decision::{Approval, AskRule, CallBudget, Decision, Reason};
pub use inputs::{PlanNodePolicy, PolicyInputs, ProfilePolicy, Rules, RuntimeBudget};
pub use resolve::resolve;
pub use selector::{InvalidSelector, SourceSelector};
