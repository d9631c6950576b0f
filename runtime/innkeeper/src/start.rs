//! Starting a run over a chat file: everything is checked before anything is written.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use innkeeper_agent::profile::{Fills, Profile, ResolvedProfile, default_writer, fill, resolve};
use innkeeper_agent::{Run, RunSetup};
use innkeeper_protocol::id::{InvocationId, RunId, StableChatId, StateId, ToolId, WorkspaceId};
use innkeeper_protocol::model::Model;
use innkeeper_protocol::port::WorkspaceFiles;
use innkeeper_protocol::run::{ChatRef, GenerationType, Presentation};
use innkeeper_protocol::worldinfo::Activation;
use innkeeper_store::chat::{ChatFile, ChatPath, FrozenInput, HistoryView, freeze, read_chat, speaker_name};
use innkeeper_store::chats_registry::{ChatRegistry, workspace_id};
use innkeeper_store::journal::{Durability, Journal};
use innkeeper_store::runs::RunsRoot;
use innkeeper_store::tree::Tree;
use innkeeper_tools::Snapshot;
use serde_json::{Map, Value};
use tokio::sync::mpsc::unbounded_channel;
use tracing::Instrument as _;

use crate::builder::Innkeeper;
use crate::cancel::CancelSwitch;
use crate::error::HostError;
use crate::executor::{Executor, Work};
use crate::handle::RunHandle;
use crate::inputs::{Frozen, Sources, invocation, messages, offered, prompt_snapshot, rules};
use crate::policy::{FileRules, check_needed, withheld};
use crate::ports::{FileHost, FileHostSetup, RunFiles, blocking};
use crate::recorder::{EventStamps, Recorder};
use crate::setup::RunFrame;
use crate::skills;
use crate::system::{fresh_hex, fresh_uuid};

/// Which profile a run goes by.
#[derive(Debug, Clone, Default)]
pub enum ProfileChoice {
    /// The built-in writer.
    #[default]
    BuiltIn,
    /// This one.
    Given(Box<Profile>),
}

/// A run that is to be started over a chat file.
pub struct StartRun {
    /// The chat, a SillyTavern `.jsonl` file. Commits go into it.
    pub chat: PathBuf,
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
    /// World info that the front end activated: the snapshot's `worldInfoActivation`. Without it the tool says that nothing is known.
    pub activation: Option<Value>,
    /// A folder of skills, or one skill, beside what is installed in the data root.
    pub skills: Option<PathBuf>,
}

impl StartRun {
    /// A normal run with the built-in writer.
    #[must_use]
    pub fn new(chat: impl Into<PathBuf>, model: Arc<dyn Model>) -> Self {
        Self {
            chat: chat.into(),
            model,
            profile: ProfileChoice::BuiltIn,
            instruction: None,
            generation: GenerationType::Normal,
            speaker: None,
            presentation: None,
            max_rounds: None,
            seed: None,
            activation: None,
            skills: None,
        }
    }
}

/// The chat of a run as it was found.
struct Input {
    path: ChatPath,
    chat: Arc<ChatFile>,
    frozen: FrozenInput,
    speaker: String,
    chat_ref: ChatRef,
}

impl Input {
    /// Reads the chat; nothing is written.
    fn read(path: &Path, generation: GenerationType, speaker: Option<&str>) -> Result<Self, HostError> {
        let path = ChatPath::resolve(path)?;
        let chat = read_chat(&path)?;
        let speaker = speaker_name(&chat, speaker)?;
        let frozen = freeze(&chat, generation)?;
        let chat_ref = chat_ref(path.as_path());
        Ok(Self {
            path,
            chat: Arc::new(chat),
            frozen,
            speaker,
            chat_ref,
        })
    }
}

/// Who a chat is, whatever its file is called.
struct Identity {
    stable_chat_id: StableChatId,
    workspace_id: WorkspaceId,
}

impl Innkeeper {
    /// Starts a run and returns once it is on its way.
    ///
    /// # Errors
    /// [`HostError`] when the profile, the chat or the data root cannot be used; nothing is written then. A run that fails later says so
    /// in its journal and report.
    pub async fn start_run(&self, start: StartRun) -> Result<RunHandle, HostError> {
        let data_root = self.data_root()?.to_path_buf();
        let (profile, source) = self.profile(&start.profile)?;
        let presentation = start.presentation.unwrap_or(profile.run().presentation);
        let policy = self.policy_rules().await?;
        let frozen = self.freeze_tools(&profile, &policy)?;
        check_needed(presentation, &frozen, &policy)?;
        check_foreground(presentation, &frozen)?;
        let activation = start.activation.as_ref().map(Activation::parse).transpose()?;
        let (path, generation, speaker) = (start.chat.clone(), start.generation, start.speaker.clone());
        let input = blocking(move || Input::read(&path, generation, speaker.as_deref())).await?;
        let skills = skills::of_run(&data_root, start.skills.as_deref(), &profile, &input.chat_ref).await?;
        let history = HistoryView::new(input.chat.clone(), input.frozen.visible)?;
        let messages = messages(&profile, &frozen, &history, start.instruction.as_deref());
        let base = history.persist_base()?.map(|id| StateId::parse(&id)).transpose();
        let persist_base_state_id = base.map_err(|e| HostError::new("agent.persist_state_missing", e.to_string()))?;
        let identity = self.identify(&input, &data_root)?;
        let run_id = RunId::parse(&format!("run_{}", fresh_hex(&*self.entropy))).map_err(id_error)?;
        let setup = RunSetup {
            run_id: run_id.clone(),
            workspace_id: identity.workspace_id.clone(),
            stable_chat_id: identity.stable_chat_id.clone(),
            chat_ref: input.chat_ref.clone(),
            generation_type: start.generation,
            profile_id: profile.id().clone(),
            profile_source: source,
            persist_base_state_id: persist_base_state_id.clone(),
            input_message_count: input.frozen.visible,
            input_boundary: Some(input.frozen.boundary.clone()),
            presentation,
            skills: skills.frozen,
            rules: rules(&profile, start.max_rounds),
            tools: offered(&frozen),
            messages: messages.clone(),
            settings: Map::new(),
            model: start.model.describe(),
        };
        let frame = RunFrame {
            run_id,
            workspace_id: identity.workspace_id.clone(),
            stable_chat_id: identity.stable_chat_id.clone(),
            chat_ref: input.chat_ref.clone(),
            generation_type: start.generation,
            profile_id: profile.id().clone(),
            persist_base_state_id,
            prompt_snapshot: prompt_snapshot(&setup, &profile, start.activation.as_ref()),
            skills: serde_json::to_value(&setup.skills.effective).map_err(crate::error::unwritable)?,
            tool_snapshot: serde_json::to_value(&frozen.snapshot).map_err(crate::error::unwritable)?,
            profile,
        };
        self.launch(
            &data_root,
            setup,
            frame,
            Sources {
                history,
                activation,
                skills: skills.library,
            },
            &input,
            &start,
        )
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

    fn profile(&self, choice: &ProfileChoice) -> Result<(ResolvedProfile, String), HostError> {
        let specs = self.catalogue.specs();
        let (profile, source) = match choice {
            ProfileChoice::BuiltIn => (self.default_profile(), "built_in".to_owned()),
            ProfileChoice::Given(profile) => ((**profile).clone(), format!("file:{}", profile.id)),
        };
        Ok((resolve(&profile, &specs)?, source))
    }

    /// The profile that runs go by unless another is given: the built-in writer with every tool of its list that this host has.
    #[must_use]
    pub fn default_profile(&self) -> Profile {
        let ids: Vec<ToolId> = self.catalogue.tools().iter().map(|tool| tool.spec.id.clone()).collect();
        default_writer(&ids)
    }

    fn freeze_tools(&self, profile: &ResolvedProfile, policy: &FileRules) -> Result<Frozen, HostError> {
        let inputs = policy.inputs(profile.policy());
        let fills = Fills::of(profile);
        let mut offered = Vec::new();
        let mut decisions = Vec::new();
        for id in profile.visible_tools() {
            let Some(tool) = self.catalogue.tool(id) else { continue };
            let decision = innkeeper_policy::resolve(&inputs, &tool.spec);
            if !decision.visible {
                continue;
            }
            let overrides: Vec<_> = profile.tools().tool_descriptions.get(id).into_iter().collect();
            offered.push((fill(&tool.spec, &fills, &overrides), decision.budget.max_calls));
            decisions.push(decision);
        }
        let snapshot = Snapshot::freeze(InvocationId::root(), offered, profile.tools().max_calls_per_run)?;
        let withheld = withheld(&self.catalogue, profile, &inputs, &snapshot)?;
        Ok(Frozen {
            snapshot,
            decisions,
            withheld,
        })
    }

    /// Gives the chat its lasting identity. The first thing of a start that writes.
    fn identify(&self, input: &Input, data_root: &Path) -> Result<Identity, HostError> {
        let fresh = StableChatId::parse(&fresh_uuid(&*self.entropy)).map_err(id_error)?;
        std::fs::create_dir_all(data_root)
            .map_err(|e| HostError::internal("store.io_failed", format!("{}: {e}", data_root.display())))?;
        let registry = ChatRegistry::new(data_root.to_path_buf());
        let stable_chat_id = registry.identify(&input.path, &input.chat, &fresh)?.stable_chat_id;
        let workspace_id = WorkspaceId::parse(&workspace_id(&input.chat_ref, &stable_chat_id)).map_err(id_error)?;
        Ok(Identity {
            stable_chat_id,
            workspace_id,
        })
    }

    fn launch(
        &self,
        data_root: &Path,
        setup: RunSetup,
        frame: RunFrame,
        sources: Sources,
        input: &Input,
        start: &StartRun,
    ) -> Result<RunHandle, HostError> {
        let root = RunsRoot::new(data_root);
        let folder = root.create_run(&frame.workspace_id, &frame.run_id)?;
        let journal = Journal::create(folder.journal().clone(), Durability::Durable)?;
        let tree = Arc::new(Tree::open(folder.path())?);
        let files: Arc<dyn WorkspaceFiles> = Arc::new(RunFiles::new(tree.clone()));
        let host = FileHost::new(FileHostSetup {
            path: input.path.clone(),
            lock_folder: data_root.join("locks"),
            start: input.frozen.boundary.clone(),
            speaker: input.speaker.clone(),
            api: Some(setup.model.source.clone()),
            model: Some(setup.model.model.clone()),
            clock: self.clock.clone(),
            entropy: self.entropy.clone(),
        });
        let stamps = EventStamps {
            clock: self.clock.clone(),
            entropy: self.entropy.clone(),
        };
        let (events, receiver) = unbounded_channel();
        let cancel = CancelSwitch::new();
        let run_folder = folder.path().to_path_buf();
        let executor = Executor {
            invocation: Arc::new(invocation(&frame.profile, setup.presentation, files, sources)),
            recorder: Recorder::new(root, folder, journal, tree, stamps),
            run: Run::new(setup),
            sandbox: self.sandbox.clone(),
            catalogue: self.catalogue.clone(),
            model: start.model.clone(),
            host: Arc::new(host),
            clock: self.clock.clone(),
            cancel: cancel.clone(),
            events,
            limits: self.limits.clone(),
            seed: start.seed.unwrap_or_else(|| self.entropy.seed()),
            work: Work::default(),
            frame,
        };
        let (run_id, workspace_id) = (executor.frame.run_id.clone(), executor.frame.workspace_id.clone());
        let span = tracing::info_span!("run", run = %run_id, workspace = %workspace_id);
        let invocation = tracing::info_span!(parent: &span, "invocation", invocation = %InvocationId::root());
        let task = tokio::spawn(executor.drive().instrument(invocation).instrument(span));
        let chat = input.path.as_path().to_path_buf();
        Ok(RunHandle {
            run_id,
            workspace_id,
            chat,
            folder: run_folder,
            cancel,
            events: receiver,
            task,
        })
    }
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

/// Where a chat file lies, in SillyTavern's words: its folder is the character, or `group chats`.
fn chat_ref(path: &Path) -> ChatRef {
    let name = |part: Option<&std::ffi::OsStr>| part.map(|p| p.to_string_lossy().into_owned()).unwrap_or_default();
    let folder = name(path.parent().and_then(Path::file_name));
    let stem = name(path.file_stem());
    if folder == "group chats" {
        return ChatRef::Group { chat_id: stem };
    }
    ChatRef::Character {
        character_id: folder,
        file_name: stem,
    }
}
