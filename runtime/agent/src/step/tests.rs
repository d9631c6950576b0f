//! The loop, played: scenes say what model, tools and host answer, and the journal that comes of it is compared.
//!
//! Nothing is performed here; that effects do what they say is tested where they are performed.

mod any_order;
mod approvals;
mod auto_commits;
mod calls;
mod cancel;
mod commits;
mod drift;
mod failures;
mod finish;
mod guidance;
mod model;
mod opening;
mod played;
mod props;
mod refusals;
mod scene;
mod story;
