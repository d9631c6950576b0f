//! What a run starts from, put together from what was checked: rules, offered tools, and what its tools can reach.

use std::sync::Arc;

use innkeeper_agent::profile::{OnDenied, ResolvedProfile};
use innkeeper_agent::{LoopRules, OfferedTool};
use innkeeper_capabilities::{ControlRules, Invocation, InvocationSetup, Roots};
use innkeeper_policy::Decision;
use innkeeper_protocol::model::ToolOffer;
use innkeeper_protocol::port::WorkspaceFiles;
use innkeeper_protocol::run::Presentation;
use innkeeper_protocol::worldinfo::Activation;
use innkeeper_store::chat::HistoryView;
use innkeeper_store::skills::EffectiveSkills;
use innkeeper_tools::{Binding, Catalogue, Snapshot};

use crate::network::NetworkPorts;

/// The tools of a run, frozen.
pub(crate) struct Frozen {
    pub(crate) snapshot: Snapshot,
    pub(crate) decisions: Vec<Decision>,
    /// What the profile names and something denies, beside the snapshot.
    pub(crate) withheld: Vec<(Binding, Decision)>,
}

/// What the tools of a run read from, besides its workspace, and the tools themselves.
pub(crate) struct Sources {
    /// How tools reach the network.
    pub(crate) network: NetworkPorts,
    pub(crate) catalogue: Arc<Catalogue>,
    pub(crate) history: HistoryView,
    pub(crate) activation: Option<Activation>,
    pub(crate) skills: EffectiveSkills,
}

pub(crate) fn rules(profile: &ResolvedProfile, max_rounds: Option<u32>, shows_live_writes: bool) -> LoopRules {
    let (tools, context, run) = (profile.tools(), profile.context(), profile.run());
    LoopRules {
        max_rounds: max_rounds.map_or(tools.max_rounds, |rounds| rounds.clamp(1, tools.max_rounds)),
        max_calls: tools.max_calls_per_run,
        drift_attempts: run.drift_recovery_max_attempts,
        max_retries: run.model_retry.max_retries,
        retry_interval_ms: run.model_retry.interval_ms,
        shows_live_writes,
        denial_is_fatal: tools.on_denied == OnDenied::Fail,
        message_path: profile.message_path().clone(),
        message_required: profile.message_required(),
        keep_full_results: context.tool_results.keep_full,
        max_result_chars: context.tool_results.max_chars,
        inline_result_chars: tools.mcp_result_inline_char_limit,
        context_policy: serde_json::to_value(context).unwrap_or_default(),
    }
}

/// The tools as the loop knows them: those that are offered, and those whose calls are answered with a denial.
pub(crate) fn offered(frozen: &Frozen) -> Vec<OfferedTool> {
    let tool = |(binding, decision): (&Binding, &Decision)| OfferedTool {
        id: binding.descriptor.id.clone(),
        offer: ToolOffer {
            alias: binding.model_alias.clone(),
            description: binding.descriptor.description.clone(),
            input_schema: binding.descriptor.input_schema.clone(),
        },
        decision: decision.clone(),
        max_calls: binding.max_calls,
    };
    let withheld = frozen.withheld.iter().map(|(binding, decision)| (binding, decision));
    let bound = frozen.snapshot.bindings.iter().zip(&frozen.decisions);
    bound.chain(withheld).map(tool).collect()
}

pub(crate) fn invocation(
    profile: &ResolvedProfile,
    presentation: Presentation,
    files: Arc<dyn WorkspaceFiles>,
    sources: Sources,
) -> Invocation {
    let workspace = profile.workspace();
    Invocation::new(InvocationSetup {
        roots: Roots::new(workspace.visible_roots.clone(), workspace.writable_roots.clone()),
        files,
        chat: Some(Arc::new(sources.history)),
        activation: sources.activation.map(Arc::new),
        skills: Some(crate::skills::rules(sources.skills, profile)),
        control: ControlRules {
            message_path: profile.message_path().clone(),
            message_required: profile.message_required(),
            foreground: presentation == Presentation::Foreground,
            child: false,
        },
    })
}
