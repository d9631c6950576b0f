//! The tools of a host: what there is, what one invocation is offered, and how a call is checked and carried to its component.
//!
//! It decides no policy and applies no effect: a call comes back with its plan, and the plan is somebody else's to carry out.

mod approval;
mod arguments;
mod catalogue;
mod diagnostic;
mod dispatch;
mod error;
pub mod grants;
mod manifest;
mod served;
mod snapshot;
mod spec;
mod words;

pub use approval::{ShownArguments, canonical_digest};
pub use arguments::ArgumentGate;
pub use catalogue::{Catalogue, ComponentInfo, Origin, Tool, check_versions};
pub use diagnostic::Diagnostic;
pub use dispatch::{CallEnvironment, Dispatched};
pub use error::ToolsError;
pub use manifest::{Ask, Manifest, ManifestError, SuggestedLimits, bare_manifest};
pub use served::{Misfit, misfit};
pub use snapshot::{Binding, Snapshot, SnapshotError, usual_alias};
