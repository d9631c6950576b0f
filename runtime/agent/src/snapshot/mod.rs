//! A front end's own prompt: what it hands over when it starts a run, checked step by step before anything is written.
//!
//! The order of the checks is part of the contract: of two faults the earlier one is told. The types keep to it: [`StartOptions`], then
//! [`Submitted`], then the profile is chosen by whoever has it, then [`Submitted::agree`] gives the [`PromptSnapshot`].
//! Nothing is added to such a prompt, and nothing is guessed.

mod agreement;
mod error;
mod frozen;
mod messages;
mod options;
mod payload;
mod policy;
mod scopes;
mod submitted;

pub use agreement::{agreed_base, check_stream};
pub use error::{FrozenFault, FrozenPart, ScopeFault, SnapshotError};
pub use frozen::frozen_inputs;
pub use options::{StartOptions, generation_type};
pub use scopes::scope_refs;
pub use submitted::{PromptSnapshot, Submission, Submitted};

#[cfg(test)]
mod tests;
