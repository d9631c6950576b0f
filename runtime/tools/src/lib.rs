//! The tools of a host: what there is, what one invocation is offered, and how a call is checked and carried to its component.
//!
//! It decides no policy and applies no effect: a call comes back with its plan, and the plan is somebody else's to carry out.

mod arguments;
mod catalogue;
mod dispatch;
mod error;
mod snapshot;
mod spec;
mod words;

pub use arguments::ArgumentGate;
pub use catalogue::{Catalogue, ComponentInfo, Origin, Tool};
pub use dispatch::{CallEnvironment, Dispatched};
pub use error::ToolsError;
pub use snapshot::{Binding, Snapshot, SnapshotError};
