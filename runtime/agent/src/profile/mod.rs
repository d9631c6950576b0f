//! Agent profiles: the file as it is written, its defaults, and the checked form that a run is frozen with.
//!
//! Folders, presets and model connections are not looked at here: whoever loads a profile brings its bytes, and whoever starts a run
//! checks what the profile points at.

mod abilities;
mod check;
mod defaults;
mod error;
mod field;
mod fill;
mod json_path;
mod limits;
mod migrate;
mod output;
mod resolve;
mod resolved;
mod schema;
mod shape;
mod stored;
mod tools;

pub use abilities::{Delegation, OnDenied, Skills, ToolText, Tools, Workspace};
pub use check::{Checked, Problem, check};
pub use defaults::{DEFAULT_PROFILE_ID, default_writer};
pub use error::ProfileError;
pub use field::{NumberField, Requirement, TextField, ToolList};
pub use fill::{Fills, ReadBudget, fill};
pub use json_path::JsonPath;
pub use limits::ToolLimits;
pub use migrate::migrate;
pub use resolve::resolve;
pub use resolved::{
    ModelRetry, PromptBudget, ResolvedArtifact, ResolvedContext, ResolvedDelegation, ResolvedOutput, ResolvedProfile,
    ResolvedRun, ResolvedSkills, ResolvedTools, ResolvedWorkspace, ToolResultPolicy,
};
pub use schema::{
    Artifact, ArtifactTarget, Context, Instructions, KIND, Model, ModelMode, Output, Plan, Preset, PresetMode,
    PresetRef, Profile, RetryPolicy, RunSettings, SCHEMA_VERSION, ToolResultSettings,
};
pub use stored::{FaultKind, StoredFault, StoredProfile, normalize_identity, read_stored};

#[cfg(test)]
pub(crate) mod tests;
