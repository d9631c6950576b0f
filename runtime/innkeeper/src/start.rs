//! Starting a run: everything is checked before anything is written.

mod input;
mod launch;
mod request;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use innkeeper_agent::RunSetup;
use innkeeper_agent::profile::{Fills, Profile, ResolvedProfile, default_writer, fill, resolve};
use innkeeper_agent::snapshot::{agreed_base, scope_refs};
use innkeeper_protocol::approval::ApprovalMode;
use innkeeper_protocol::extension::ExtensionId;
use innkeeper_protocol::id::{InvocationId, ProfileId, RunId, StateId, ToolId};
use innkeeper_protocol::model::Model;
use innkeeper_protocol::run::{GenerationType, Presentation};
use innkeeper_store::chat::HistoryView;
use innkeeper_tools::{Catalogue, Snapshot};
use serde_json::Value;

use crate::builder::Innkeeper;
use crate::error::HostError;
use crate::handle::RunHandle;
use crate::inputs::{Frozen, Sources, offered, rules};
use crate::policy::{FileRules, check_needed, withheld};
use crate::profiles::check_startable;
use crate::prompt::{Ingredients, PromptInputs};
use crate::setup::RunFrame;
use crate::skills;
use crate::system::fresh_hex;

pub use input::{ApplicationChat, RunChat};
pub use request::StartAgentRun;

/// Which profile a run goes by.
#[derive(Debug, Clone, Default)]
pub enum ProfileChoice {
    /// The built-in writer.
    #[default]
    BuiltIn,
    /// This one.
    Given(Box<Profile>),
    /// The one of this id: its file in the data root, and for the default the built-in one where there is no file.
    Id(ProfileId),
}

/// A run that is to be started.
pub struct StartRun {
    /// The chat.
    pub chat: RunChat,
    /// The model.
    pub model: Arc<dyn Model>,
    /// Who writes.
    pub profile: ProfileChoice,
    /// What the person wants, beside what the chat says.
    pub instruction: Option<String>,
    /// What kind of message is wanted.
    pub generation: GenerationType,
    /// Who speaks, where the chat does not say.
    pub speaker: Option<String>,
    /// Whether a person watches; the profile's word where none is given.
    pub presentation: Option<Presentation>,
    /// Model rounds; the profile's where none is given.
    pub max_rounds: Option<u32>,
    /// Seed of the tools' random numbers; a fresh one where none is given.
    pub seed: Option<u64>,
    /// What the prompt is made of, beside profile and chat.
    pub prompt: PromptInputs,
    /// World info that the front end activated: a snapshot's `worldInfoActivation`, and in place of the one inside a snapshot. Without it
    /// and without books the tool says that nothing is known.
    pub activation: Option<Value>,
    /// A folder of skills, or one skill, beside what is installed in the data root.
    pub skills: Option<PathBuf>,
    /// Which preset and character skills are looked up for, `{preset?: {apiId, name}, characterId?}`; refused where profile or chat say
    /// something else.
    pub skill_scope_refs: Option<Value>,
    /// The persistent state that the front end expects the run to start from; refused where the chat names another.
    pub persist_base_state_id: Option<String>,
    /// Who is asked about calls that need an approval.
    pub approvals: ApprovalMode,
    /// Extensions whose tools are offered in this run, beside those of the profile.
    pub with: Vec<ExtensionId>,
    /// Whether the model's answers come piece by piece; the profile's word where none is given.
    pub stream: Option<bool>,
}

impl StartRun {
    /// A normal run over a chat file, with the built-in writer and nobody who could be asked.
    #[must_use]
    pub fn new(chat: impl Into<PathBuf>, model: Arc<dyn Model>) -> Self {
        Self::over(RunChat::File(chat.into()), model)
    }

    /// The same over any chat.
    #[must_use]
    pub fn over(chat: RunChat, model: Arc<dyn Model>) -> Self {
        Self {
            chat,
            model,
            profile: ProfileChoice::BuiltIn,
            instruction: None,
            generation: GenerationType::Normal,
            speaker: None,
            presentation: None,
            max_rounds: None,
            seed: None,
            prompt: PromptInputs::default(),
            activation: None,
            skills: None,
            skill_scope_refs: None,
            persist_base_state_id: None,
            approvals: ApprovalMode::Never,
            with: Vec::new(),
            stream: None,
        }
    }
}

impl Innkeeper {
    /// Starts a run and returns once it is on its way.
    ///
    /// # Errors
    /// [`HostError`] when the profile, the chat or the data root cannot be used; nothing is written then. A run that fails later says so
    /// in its journal and report.
    pub async fn start_run(&self, start: StartRun) -> Result<RunHandle, HostError> {
        let data_root = self.data_root()?.to_path_buf();
        self.shelf.refresh(&self.sandbox, &self.limits).await;
        // The run keeps these, whatever is installed or removed from now on.
        let catalogue = self.tools();
        let received = start.prompt.receive(start.generation)?;
        let (profile, source) = self.profile(&start.profile, &start.with, &catalogue)?;
        let accepted = received.agree(&start, &profile)?;
        let streams = start.stream.unwrap_or(profile.run().stream);
        let presentation = start.presentation.unwrap_or(profile.run().presentation);
        let policy = self.policy_rules().await?;
        let frozen = self.freeze_tools(&catalogue, &profile, &policy)?;
        check_needed(presentation, &frozen, &policy)?;
        check_foreground(presentation, &frozen)?;
        let refs = scope_refs(start.skill_scope_refs.as_ref(), &profile, &start.chat.chat_ref()?)?;
        let skills = skills::of_run(&data_root, start.skills.as_deref(), &profile, refs).await?;
        let input = self.read_input(&start).await?;
        let history = HistoryView::new(input.chat.clone(), input.frozen.visible)?;
        let prompt = accepted.put_together(&Ingredients {
            start: &start,
            profile: &profile,
            tools: &frozen,
            history: &history,
            chat: &input.chat_ref,
            seed: start.seed.unwrap_or_else(|| self.entropy.seed()),
            now_ms: self.clock.wall_ms(),
        })?;
        let persist_base_state_id = base_state(&start, &history)?;
        // From here on something is written.
        let identity = self.identify(&input, &data_root)?;
        let setup = RunSetup {
            run_id: RunId::parse(&format!("run_{}", fresh_hex(&*self.entropy))).map_err(id_error)?,
            workspace_id: identity.workspace_id,
            stable_chat_id: identity.stable_chat_id,
            chat_ref: input.chat_ref.clone(),
            generation_type: start.generation,
            profile_id: profile.id().clone(),
            profile_source: source,
            persist_base_state_id,
            input_message_count: input.frozen.visible,
            input_boundary: input.boundary(),
            presentation,
            skills: skills.frozen,
            rules: rules(&profile, start.max_rounds, streams && input.is_shown_live()),
            tools: offered(&frozen),
            messages: prompt.messages,
            settings: prompt.settings,
            generation_intent: prompt.intent,
            model: start.model.describe(),
        };
        let frame = RunFrame::of(&setup, profile, prompt.document, &frozen.snapshot)?;
        let sources = Sources {
            history,
            activation: prompt.activation,
            skills: skills.library,
            network: self.network.without(policy.denied_hosts.clone()),
            catalogue,
        };
        self.launch(&data_root, setup, frame, sources, &input, &start)
    }

    pub(crate) fn data_root(&self) -> Result<&Path, HostError> {
        self.data_root.as_deref().ok_or_else(|| {
            HostError::new(
                "agent.data_root_required",
                "this host has no data root, so it cannot keep runs",
            )
            .with_hint("Give the builder a data_root.")
        })
    }

    fn profile(
        &self,
        choice: &ProfileChoice,
        with: &[ExtensionId],
        catalogue: &Catalogue,
    ) -> Result<(ResolvedProfile, String), HostError> {
        let mut chosen = self.chosen_profile(choice, self.data_root()?)?;
        self.offer_extensions(with, &mut chosen.profile)?;
        let profile = resolve(&chosen.profile, &catalogue.specs())?;
        check_startable(&profile)?;
        Ok((profile, chosen.source))
    }

    /// The profile that runs go by unless another is given: the built-in writer with every tool of its list that this host has.
    #[must_use]
    pub fn default_profile(&self) -> Profile {
        let ids: Vec<ToolId> = self.tools().tools().iter().map(|tool| tool.spec.id.clone()).collect();
        default_writer(&ids)
    }

    pub(crate) fn freeze_tools(
        &self,
        catalogue: &Catalogue,
        profile: &ResolvedProfile,
        policy: &FileRules,
    ) -> Result<Frozen, HostError> {
        let inputs = policy.inputs(profile.policy());
        let fills = Fills::of(profile);
        let mut offered = Vec::new();
        let mut decisions = Vec::new();
        for id in profile.visible_tools() {
            let Some(tool) = catalogue.tool(id) else { continue };
            let decision = innkeeper_policy::resolve(&inputs, &tool.spec);
            if !decision.visible {
                continue;
            }
            let overrides: Vec<_> = profile.tools().tool_descriptions.get(id).into_iter().collect();
            offered.push((fill(&tool.spec, &fills, &overrides), decision.budget.max_calls));
            decisions.push(decision);
        }
        let snapshot = Snapshot::freeze(InvocationId::root(), offered, profile.tools().max_calls_per_run)?;
        let withheld = withheld(catalogue, profile, &inputs, &snapshot)?;
        Ok(Frozen {
            snapshot,
            decisions,
            withheld,
        })
    }
}

/// The persistent state that the chat says a run starts from; what the front end expects must agree.
fn base_state(start: &StartRun, history: &HistoryView) -> Result<Option<StateId>, HostError> {
    let found = history.persist_base()?.map(|id| StateId::parse(&id)).transpose();
    let found = found.map_err(|e| HostError::new("agent.persist_state_missing", e.to_string()))?;
    agreed_base(start.persist_base_state_id.as_deref(), found.as_ref())?;
    Ok(found)
}

fn id_error(error: innkeeper_protocol::id::InvalidId) -> HostError {
    HostError::internal("agent.internal_error", error.to_string())
}

/// A foreground run must be able to end with a message.
fn check_foreground(presentation: Presentation, frozen: &Frozen) -> Result<(), HostError> {
    let can_commit = frozen.snapshot.resolve("workspace_commit").is_some();
    if presentation == Presentation::Background || can_commit {
        return Ok(());
    }
    Err(HostError::new(
        "agent.foreground_commit_unavailable",
        "a foreground run needs the tool workspace.commit",
    )
    .with_hint("Allow builtin:workspace.commit in the profile, or start the run in the background."))
}
