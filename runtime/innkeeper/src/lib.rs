//! The library that applications load: tools in sandboxes, agent runs over chats, and everything that a run leaves behind.
//!
//! It holds no rules of its own. What a run does next is decided in `innkeeper-agent`, what a tool may do in `innkeeper-policy`, how
//! things lie on disk in `innkeeper-store`; here they are put together and carried out.

mod assembly;
mod bench;
mod builder;
mod cancel;
mod commands;
mod control;
mod error;
mod executor;
mod extensions;
mod handle;
mod inputs;
mod inspect;
mod network;
mod policy;
mod ports;
mod profiles;
mod prompt;
mod reading;
mod recorder;
mod recovery;
mod schemas;
mod setup;
mod skills;
mod start;
mod system;
mod tool_list;
mod trial;
mod words;

pub use assembly::{PreparePromptAssembly, PromptAssembly};
pub use bench::{BenchResult, BenchSetup, ForeignComponent, SkillPolicy, ToolBench};
pub use builder::{Builder, Innkeeper};
pub use cancel::CancelSwitch;
pub use commands::{AgentRun, AnsweredToolCall, ApproveToolCall, SubmitGuidance, SubmittedGuidance};
pub use control::HostBridge;
pub use error::HostError;
pub use extensions::{
    AskedCapability, Consent, ExtensionCapability, ExtensionChange, ExtensionList, ExtensionOffer, ExtensionPlan,
    ExtensionReport, ExtensionState, GrantChange, InstallOutcome, InstallReport, PackageInput, RemovedExtension,
    ReplacedEdition, WaitingUpdate, parse_extension_id,
};
pub use handle::{RunHandle, RunNews, RunReport};
pub use innkeeper_agent::live;
pub use innkeeper_agent::{card, profile, snapshot, worldinfo};
pub use innkeeper_capabilities::{Capability, Grant, GrantError, Grants, HostName};
pub use innkeeper_gateway as gateway;
pub use innkeeper_protocol as protocol;
pub use innkeeper_sandbox::{Compiler, GuestCode, compile_in_child};
pub use innkeeper_store::inbox::InboxRequest;
pub use innkeeper_store::journal::{JournalIssue, Page as EventPage};
pub use innkeeper_store::runs::{ListCursor, ListQuery, RunIssue, RunPage, RunSummary};
pub use innkeeper_tools::{Catalogue, ComponentInfo, Diagnostic, Tool, usual_alias};
pub use inspect::{ComponentReport, ImportReport};
pub use network::{BenchNetwork, CannedAnswer};
pub use policy::{PolicyChange, PolicyProblem, PolicyReport, PolicyReset, PolicyTarget, ReportedRule, ToolVerdict};
pub use profiles::{
    AgentSystemPrompt, Blocked, ChosenProfile, ProfileCheck, ProfileDiagnostic, ProfileHealth, ProfileIssue,
    ProfileIssueKind, ProfileList, ProfileProblem, ProfileRepair, ProfileSummary, RepairAction, parse_profile_id,
    replace_profile_file,
};
pub use prompt::{PromptInputs, read_book, read_card};
pub use reading::{FollowedRun, PendingApproval, ProposedRollback, RemoteAnswer, RunEvents, RunReader};
pub use schemas::{SchemaFile, schema_files};
pub use start::{ApplicationChat, ProfileChoice, RunChat, StartAgentRun, StartRun};
pub use system::{SystemClock, SystemEntropy};
pub use tool_list::{ListedTool, ToolList};
pub use trial::{
    Check, CheckReport, Finding, LoadedPackage, ToolTrial, TrialPackage, TrialReport, TrialSample, TrialSetup, Weight,
};
