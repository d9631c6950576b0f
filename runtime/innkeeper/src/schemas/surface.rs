//! The surface that the schemas describe: the library's commands, and what the command line prints of them as JSON.
//!
//! Commands without a data transfer object, such as the setting up of a host, are none of a front end's and not here.

use std::collections::BTreeSet;

use innkeeper_agent::live::LiveUpdate;
use innkeeper_agent::profile::Profile;
use innkeeper_protocol::envelope::Envelope;
use innkeeper_protocol::extension::ExtensionId;
use innkeeper_protocol::id::{CommitId, ProfileId, RunId, ToolId};
use innkeeper_protocol::tool::Permission;
use innkeeper_protocol::view::{
    ModelTurnView, ReadDiff, ReadModelTurn, ReadRunEvents, ReadWorkspaceFile, RollbackOutcome, RollbackRun, RunDiff,
    WorkspaceFileView,
};
use innkeeper_store::runs::{ListQuery, RunPage, RunSummary};

use super::command::Command;
use super::document::{Document, optional, required};
use crate::assembly::{PreparePromptAssembly, PromptAssembly};
use crate::bench::BenchResult;
use crate::commands::{AgentRun, AnsweredToolCall, ApproveToolCall, SubmitGuidance, SubmittedGuidance};
use crate::extensions::{ExtensionList, ExtensionOffer, GrantChange, InstallReport, RemovedExtension};
use crate::inspect::ComponentReport;
use crate::policy::{PolicyChange, PolicyReport, PolicyReset};
use crate::profiles::{AgentSystemPrompt, ProfileCheck, ProfileHealth, ProfileList, RepairAction};
use crate::reading::{PendingApproval, RunEvents};
use crate::start::StartAgentRun;
use crate::tool_list::ToolList;
use crate::trial::TrialReport;

/// Every command of a front end.
pub(super) fn commands() -> Vec<Command> {
    [
        of_active_runs(),
        of_the_host(),
        of_stored_runs(),
        of_profiles(),
        of_policy(),
        of_extensions(),
        of_trials(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn of_active_runs() -> Vec<Command> {
    vec![
        Command::new("prepare_agent_prompt_assembly")
            .takes::<PreparePromptAssembly>()
            .gives::<PromptAssembly>(),
        Command::new("start_agent_run")
            .takes::<StartAgentRun>()
            .gives::<AgentRun>(),
        Command::new("cancel_agent_run")
            .takes_arguments("CancelAgentRun", &[required::<RunId>("runId")])
            .gives::<AgentRun>(),
        Command::new("submit_agent_run_guidance")
            .takes::<SubmitGuidance>()
            .gives::<SubmittedGuidance>(),
        Command::new("approve_agent_tool_call")
            .takes::<ApproveToolCall>()
            .gives::<AnsweredToolCall>(),
        Command::new("pending_approvals")
            .takes_arguments("PendingApprovals", &[required::<RunId>("runId")])
            .gives_named::<Vec<PendingApproval>>("PendingApprovals"),
        Command::new("subscribe_agent_run_live_projection")
            .takes_arguments("SubscribeAgentRunLiveProjection", &[required::<RunId>("runId")])
            .tells::<LiveUpdate>(),
    ]
}

/// The answers of a front end whose chat is its own.
fn of_the_host() -> Vec<Command> {
    vec![
        Command::new("resolve_agent_chat_commit").takes_arguments(
            "ResolveAgentChatCommit",
            &[
                required::<RunId>("runId"),
                required::<CommitId>("commitId"),
                optional::<String>("messageId"),
                optional::<String>("error"),
            ],
        ),
        Command::new("resolve_agent_persistent_state_metadata_update").takes_arguments(
            "ResolveAgentPersistentStateMetadataUpdate",
            &[
                required::<RunId>("runId"),
                required::<String>("updateId"),
                optional::<String>("error"),
            ],
        ),
    ]
}

fn of_stored_runs() -> Vec<Command> {
    vec![
        Command::new("list_agent_runs").takes::<ListQuery>().gives::<RunPage>(),
        Command::new("read_agent_run")
            .takes_arguments("ReadAgentRun", &[required::<RunId>("runId")])
            .gives::<RunSummary>(),
        Command::new("read_agent_run_events")
            .takes::<ReadRunEvents>()
            .gives::<RunEvents>(),
        Command::new("follow_agent_run")
            .takes_arguments(
                "FollowAgentRun",
                &[
                    required::<RunId>("runId"),
                    required::<u64>("afterSeq"),
                    optional::<String>("invocation"),
                ],
            )
            .tells::<Envelope>(),
        Command::new("read_agent_workspace_file")
            .takes::<ReadWorkspaceFile>()
            .gives::<WorkspaceFileView>(),
        Command::new("read_agent_model_turn")
            .takes::<ReadModelTurn>()
            .gives::<ModelTurnView>(),
        Command::new("read_agent_diff").takes::<ReadDiff>().gives::<RunDiff>(),
        Command::new("rollback_agent_run")
            .takes::<RollbackRun>()
            .asks::<PendingApproval>()
            .gives::<RollbackOutcome>(),
    ]
}

fn of_profiles() -> Vec<Command> {
    vec![
        Command::new("list_agent_profiles").gives::<ProfileList>(),
        Command::new("load_agent_profile")
            .takes_arguments("LoadAgentProfile", &[required::<ProfileId>("profileId")])
            .gives_named::<Option<Profile>>("LoadedProfile"),
        Command::new("check_agent_profile").gives::<ProfileCheck>(),
        Command::new("diagnose_agent_profile")
            .takes_arguments("DiagnoseAgentProfile", &[required::<ProfileId>("profileId")])
            .gives::<ProfileHealth>(),
        Command::new("resolve_agent_system_prompt")
            .takes_arguments("ResolveAgentSystemPrompt", &[optional::<ProfileId>("profileId")])
            .gives::<AgentSystemPrompt>(),
        Command::new("save_agent_profile").takes::<Profile>(),
        Command::new("delete_agent_profile")
            .takes_arguments("DeleteAgentProfile", &[required::<ProfileId>("profileId")]),
        Command::new("repair_agent_profile_file").takes_arguments(
            "RepairAgentProfileFile",
            &[required::<ProfileId>("profileId"), required::<RepairAction>("action")],
        ),
    ]
}

fn of_policy() -> Vec<Command> {
    vec![
        Command::new("policy").gives::<PolicyReport>(),
        Command::new("set_policy")
            .takes_arguments(
                "SetPolicy",
                &[required::<String>("target"), required::<Permission>("permission")],
            )
            .gives::<PolicyChange>(),
        Command::new("reset_policy").gives::<PolicyReset>(),
    ]
}

fn of_extensions() -> Vec<Command> {
    let grant = [required::<ExtensionId>("id"), required::<String>("capability")];
    vec![
        Command::new("list_extensions").gives::<ExtensionList>(),
        Command::new("plan_extension").gives::<ExtensionOffer>(),
        Command::new("install_extension").gives::<InstallReport>(),
        Command::new("accept_extension")
            .takes_arguments(
                "AcceptExtension",
                &[required::<ExtensionId>("id"), required::<BTreeSet<String>>("grants")],
            )
            .gives::<GrantChange>(),
        Command::new("grant_extension")
            .takes_arguments("GrantExtension", &grant)
            .gives::<GrantChange>(),
        Command::new("revoke_extension")
            .takes_arguments("RevokeExtension", &grant)
            .gives::<GrantChange>(),
        Command::new("remove_extension")
            .takes_arguments("RemoveExtension", &[required::<ExtensionId>("id")])
            .gives::<RemovedExtension>(),
        Command::new("add_extension_to_profile")
            .takes_arguments(
                "AddExtensionToProfile",
                &[required::<ExtensionId>("id"), required::<ProfileId>("profile")],
            )
            .gives_named::<Vec<ToolId>>("AllowedTools"),
    ]
}

/// What an author, or a person who does not trust one, has found out.
fn of_trials() -> Vec<Command> {
    vec![
        Command::new("inspect_component").gives::<ComponentReport>(),
        Command::new("try_extension").gives::<TrialReport>(),
    ]
}

/// What the command line prints with `--json`, where it is one of these shapes and nothing more.
pub(super) fn command_line() -> Vec<(String, Document)> {
    [
        ("tools list", Document::output::<ToolList>("ToolList")),
        ("tools show", Document::output::<ToolList>("ToolList")),
        ("tools call", Document::output::<BenchResult>("BenchResult")),
        ("runs list", Document::output::<RunPage>("RunPage")),
        ("runs events", Document::output::<Envelope>("Envelope")),
        ("runs diff", Document::output::<RunDiff>("RunDiff")),
        ("runs rollback", Document::output::<RollbackOutcome>("RollbackOutcome")),
        ("profiles list", Document::output::<ProfileList>("ProfileList")),
        ("policy show", Document::output::<PolicyReport>("PolicyReport")),
        ("extension list", Document::output::<ExtensionList>("ExtensionList")),
        ("extension accept", Document::output::<GrantChange>("GrantChange")),
        ("extension grant", Document::output::<GrantChange>("GrantChange")),
        ("extension revoke", Document::output::<GrantChange>("GrantChange")),
        (
            "extension remove",
            Document::output::<RemovedExtension>("RemovedExtension"),
        ),
    ]
    .map(|(command, document)| (command.to_owned(), document))
    .into()
}
