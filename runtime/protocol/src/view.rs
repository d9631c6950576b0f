//! What the commands that read runs take and give: requests as they arrive, answers as faces show them.
//!
//! Plain camelCase data. Numbers and names in a request may be out of range; they are checked by the command, which knows the code for it.

mod diff;
mod timeline;
mod turn;

pub use diff::{FileDiff, ReadDiff, RollbackOutcome, RollbackRun, RunDiff};
pub use timeline::{DelegationEdge, ReadRunEvents, TimelineInvocation, TimelineProjection};
pub use turn::{
    ModelTurnView, ProviderView, ReadModelTurn, ReadWorkspaceFile, SourcedText, TextView, ToolCallView,
    WorkspaceFileView,
};
