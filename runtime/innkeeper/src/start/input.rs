//! The chat of a run as it is found: a file of ours to write into, or what an application says that its own chat holds.
//!
//! Nothing is written here but the registry of chat files, which gives each its lasting identity.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use innkeeper_protocol::event::InputBoundary;
use innkeeper_protocol::id::{StableChatId, WorkspaceId};
use innkeeper_protocol::port::{ChatSource, HistoryError};
use innkeeper_protocol::run::{ChatRef, GenerationType};
use innkeeper_store::chat::{ChatFile, ChatPath, FrozenInput, freeze, read_chat, speaker_name};
use innkeeper_store::chats_registry::{ChatRegistry, workspace_id};

use super::{StartRun, id_error};
use crate::builder::Innkeeper;
use crate::error::HostError;
use crate::ports::blocking;
use crate::system::fresh_uuid;

/// Which chat a run is about, and who owns it.
#[derive(Clone)]
pub enum RunChat {
    /// A SillyTavern `.jsonl` file. Commits go into it.
    File(PathBuf),
    /// A chat of the application. Commits are asked for in the journal and answered with
    /// [`resolve_agent_chat_commit`](Innkeeper::resolve_agent_chat_commit).
    Application(ApplicationChat),
}

/// A chat that the application owns.
#[derive(Clone)]
pub struct ApplicationChat {
    /// Where it lies in the application.
    pub chat_ref: ChatRef,
    /// The application's lasting id of it: 1 to 512 bytes once trimmed.
    pub stable_chat_id: String,
    /// Where it is read from when the run starts.
    pub source: Arc<dyn ChatSource>,
}

/// The chat of a run as it was found.
pub(super) struct Input {
    pub(super) chat: Arc<ChatFile>,
    pub(super) frozen: FrozenInput,
    pub(super) chat_ref: ChatRef,
    pub(super) owner: Owner,
}

/// Who writes into the chat.
pub(super) enum Owner {
    /// We do, into this file and in this speaker's name.
    File { path: ChatPath, speaker: String },
    /// The application does.
    Application(StableChatId),
}

/// Who a chat is, whatever its file is called.
pub(super) struct Identity {
    pub(super) stable_chat_id: StableChatId,
    pub(super) workspace_id: WorkspaceId,
}

impl Input {
    /// Reads a chat file; nothing is written.
    fn of_file(path: &Path, generation: GenerationType, speaker: Option<&str>) -> Result<Self, HostError> {
        let path = ChatPath::resolve(path)?;
        let chat = read_chat(&path)?;
        let speaker = speaker_name(&chat, speaker)?;
        let frozen = freeze(&chat, generation)?;
        Ok(Self {
            chat: Arc::new(chat),
            frozen,
            chat_ref: chat_ref(path.as_path()),
            owner: Owner::File { path, speaker },
        })
    }

    async fn of_application(given: ApplicationChat, generation: GenerationType) -> Result<Self, HostError> {
        let stable_chat_id = stable_chat_id(&given.stable_chat_id)?;
        let lines = given.source.lines(&given.chat_ref, &stable_chat_id).await;
        let lines = lines.map_err(|error| unreadable(error, &given.chat_ref))?;
        let name = match &given.chat_ref {
            ChatRef::Character { file_name, .. } => file_name.clone(),
            ChatRef::Group { chat_id } => chat_id.clone(),
        };
        blocking(move || {
            let chat = if lines.is_empty() {
                ChatFile::new_chat(Path::new(&name))
            } else {
                ChatFile::parse(Path::new(&name), lines)?
            };
            let frozen = freeze(&chat, generation)?;
            Ok(Self {
                chat: Arc::new(chat),
                frozen,
                chat_ref: given.chat_ref,
                owner: Owner::Application(stable_chat_id),
            })
        })
        .await
    }

    /// The file at the start, where the chat is one that we write into.
    pub(super) fn boundary(&self) -> Option<InputBoundary> {
        matches!(self.owner, Owner::File { .. }).then(|| self.frozen.boundary.clone())
    }

    /// Whether the chat shows a file while the model is still writing it: an application mirrors it into its message, a file of ours
    /// changes by commits only.
    pub(super) fn is_shown_live(&self) -> bool {
        matches!(self.owner, Owner::Application(_))
    }

    /// The chat file, where it is one that we write into.
    pub(super) fn file(&self) -> Option<PathBuf> {
        match &self.owner {
            Owner::File { path, .. } => Some(path.as_path().to_path_buf()),
            Owner::Application(_) => None,
        }
    }
}

impl RunChat {
    /// Where the chat lies, before it is read.
    pub(super) fn chat_ref(&self) -> Result<ChatRef, HostError> {
        match self {
            Self::File(path) => Ok(chat_ref(ChatPath::resolve(path)?.as_path())),
            Self::Application(chat) => Ok(chat.chat_ref.clone()),
        }
    }
}

/// The application's lasting id of a chat, trimmed.
fn stable_chat_id(text: &str) -> Result<StableChatId, HostError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(HostError::new(
            "agent.stable_chat_id_required",
            "the start names no stableChatId",
        ));
    }
    StableChatId::parse(text).map_err(|error| HostError::new("agent.invalid_stable_chat_id", error.to_string()))
}

fn unreadable(error: HistoryError, chat: &ChatRef) -> HostError {
    match error {
        HistoryError::Unavailable => {
            let message = format!("the application has no chat {}", serde_json::json!(chat));
            HostError::new("agent.chat_unavailable", message)
        }
        HistoryError::Fault(error) => error.into(),
    }
}

impl Innkeeper {
    pub(super) async fn read_input(&self, start: &StartRun) -> Result<Input, HostError> {
        let card = start.prompt.card.as_ref().map(|card| card.name.clone());
        let speaker = card.or_else(|| start.speaker.clone());
        let generation = start.generation;
        match start.chat.clone() {
            RunChat::File(path) => blocking(move || Input::of_file(&path, generation, speaker.as_deref())).await,
            RunChat::Application(given) => Input::of_application(given, generation).await,
        }
    }

    /// Gives the chat its lasting identity. The first thing of a start that writes.
    pub(super) fn identify(&self, input: &Input, data_root: &Path) -> Result<Identity, HostError> {
        std::fs::create_dir_all(data_root)
            .map_err(|e| HostError::internal("store.io_failed", format!("{}: {e}", data_root.display())))?;
        let stable_chat_id = match &input.owner {
            Owner::Application(id) => id.clone(),
            Owner::File { path, .. } => {
                let fresh = StableChatId::parse(&fresh_uuid(&*self.entropy)).map_err(id_error)?;
                let registry = ChatRegistry::new(data_root.to_path_buf());
                registry.identify(path, &input.chat, &fresh)?.stable_chat_id
            }
        };
        let workspace_id = WorkspaceId::parse(&workspace_id(&input.chat_ref, &stable_chat_id)).map_err(id_error)?;
        Ok(Identity {
            stable_chat_id,
            workspace_id,
        })
    }
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
