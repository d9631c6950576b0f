//! The library that applications load: tools in sandboxes, agent runs over chats, and everything that a run leaves behind.
//!
//! It holds no rules of its own. What a run does next is decided in `innkeeper-agent`, what a tool may do in `innkeeper-policy`, how
//! things lie on disk in `innkeeper-store`; here they are put together and carried out.

mod bench;
mod builder;
mod cancel;
mod error;
mod executor;
mod handle;
mod inputs;
mod inspect;
mod policy;
mod ports;
mod reading;
mod recorder;
mod recovery;
mod setup;
mod skills;
mod start;
mod system;
mod words;

pub use bench::{BenchResult, BenchSetup, ForeignComponent, ToolBench};
pub use builder::{Builder, Innkeeper};
pub use cancel::CancelSwitch;
pub use error::HostError;
pub use handle::{RunHandle, RunReport};
pub use innkeeper_agent::profile;
pub use innkeeper_capabilities::Capability;
pub use innkeeper_gateway as gateway;
pub use innkeeper_protocol as protocol;
pub use innkeeper_store::journal::{JournalIssue, Page as EventPage, PageQuery};
pub use innkeeper_store::runs::{ListCursor, ListQuery, RunIssue, RunPage, RunSummary};
pub use innkeeper_tools::{Catalogue, ComponentInfo, Tool};
pub use inspect::{ComponentReport, ImportReport};
pub use policy::{PolicyChange, PolicyProblem, PolicyReport, PolicyReset, PolicyTarget, ReportedRule, ToolVerdict};
pub use reading::RunReader;
pub use start::{ProfileChoice, StartRun};
pub use system::{SystemClock, SystemEntropy};
