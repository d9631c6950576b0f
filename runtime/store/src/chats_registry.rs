//! `chats.json` in the data root: which stable identity a plain chat file has, so that a renamed chat keeps its workspace and a
//! branch gets its own.
//!
//! A known path keeps its identity. An unknown path takes the identity in the file's newest agent metadata if the path registered
//! for that identity is gone (a rename); anything else is a new chat or a branch and gets a fresh identity. A damaged registry is an
//! error that names the file: it is never taken for an empty one. The registry does not look into folders and forgets no chat by
//! itself.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::id::StableChatId;
use innkeeper_protocol::run::ChatRef;
use serde::{Deserialize, Serialize};

use crate::atomic::{Durability, write_in};
use crate::chat::lock::{ATTEMPTS, lock_file};
use crate::chat::{ChatFile, ChatPath, newest_stable_chat_id};
use crate::regular::read_in;

const FILE_NAME: &str = "chats.json";
const LOCK_NAME: &str = "chats.json.lock";
const VERSION: u32 = 1;

/// Some hundred thousand chats; a larger file is not ours.
const MAX_REGISTRY_BYTES: u64 = 64 * 1024 * 1024;

/// The workspace of a chat: `chat_` and the first 8 bytes, in hexadecimal, of the SHA-256 over `{"kind":…,"stableChatId":…}`.
#[must_use]
pub fn workspace_id(chat: &ChatRef, stable_chat_id: &StableChatId) -> String {
    let (kind, id) = (chat.kind(), serde_json::Value::from(stable_chat_id.as_str()));
    let digest = Sha256::of(format!("{{\"kind\":\"{kind}\",\"stableChatId\":{id}}}").as_bytes());
    // A digest is 64 characters of ASCII, so the cut is always there.
    format!("chat_{}", digest.as_str().get(..16).unwrap_or_default())
}

/// Who a chat file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatIdentity {
    /// The identity that survives renames.
    pub stable_chat_id: StableChatId,
    /// How it was found.
    pub origin: Origin,
}

/// How an identity was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The path is registered.
    Known,
    /// The file's own metadata names it, and the path registered for it is gone.
    Renamed {
        /// The path that is gone.
        from: PathBuf,
    },
    /// A new chat or a branch.
    New,
}

/// What can go wrong with the registry.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// The file holds something else than a registry.
    #[error("the chat registry {} is damaged: {reason}", path.display())]
    Damaged {
        /// The registry.
        path: PathBuf,
        /// What the reader met.
        reason: String,
    },
    /// The file could not be read, or is no regular file.
    #[error("the chat registry {} could not be read", path.display())]
    Unreadable {
        /// The registry.
        path: PathBuf,
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
    /// The file could not be written; the old one is still there.
    #[error("the chat registry {} could not be written; it is unchanged", path.display())]
    WriteFailed {
        /// The registry.
        path: PathBuf,
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
    /// Another process keeps the registry's lock.
    #[error("another process is writing to the chat registry {}", path.display())]
    Locked {
        /// The registry.
        path: PathBuf,
    },
    /// The registry is JSON, and the chat's path is no Unicode text.
    #[error("the chat path {} is not valid Unicode and cannot be registered", path.display())]
    PathNotUnicode {
        /// The chat.
        path: PathBuf,
    },
    /// The file is not the chat that the run belongs to.
    #[error("the chat {} has the identity {}, the run belongs to {expected}", path.display(), found.as_ref().map_or("of no chat", StableChatId::as_str))]
    OtherChat {
        /// The chat.
        path: PathBuf,
        /// The run's chat.
        expected: StableChatId,
        /// The file's identity, if it has one.
        found: Option<StableChatId>,
    },
}

impl RegistryError {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Damaged { .. } => "store.chat_registry_damaged",
            Self::Unreadable { .. } => "store.chat_registry_unreadable",
            Self::WriteFailed { .. } => "store.chat_registry_write_failed",
            Self::Locked { .. } => "store.chat_registry_locked",
            Self::PathNotUnicode { .. } => "store.chat_path_not_unicode",
            Self::OtherChat { .. } => "agent.commit_chat_mismatch",
        }
    }

    /// What the person can do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Damaged { .. } => "Restore the file from a backup, or move it away: every chat then counts as new.",
            Self::Unreadable { .. } => "Check the file's permissions and the disk.",
            Self::WriteFailed { .. } => "Check free space and permissions of the data folder.",
            Self::Locked { .. } => "Wait until the other process is done and try again.",
            Self::PathNotUnicode { .. } => "Rename the chat or its folder.",
            Self::OtherChat { .. } => "Start a new run on this chat.",
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Registered {
    version: u32,
    chats: BTreeMap<String, StableChatId>,
}

impl Default for Registered {
    fn default() -> Self {
        Self {
            version: VERSION,
            chats: BTreeMap::new(),
        }
    }
}

/// The registry of one data root.
#[derive(Debug, Clone)]
pub struct ChatRegistry {
    data_root: PathBuf,
}

impl ChatRegistry {
    /// For a data root, which is made when it is first written to.
    #[must_use]
    pub fn new(data_root: PathBuf) -> Self {
        Self { data_root }
    }

    /// The identity of a chat, registering it if its path is unknown. `fresh` is a new UUID for the case that it is needed.
    ///
    /// # Errors
    /// Any [`RegistryError`] except `OtherChat`.
    pub fn identify(
        &self,
        path: &ChatPath,
        chat: &ChatFile,
        fresh: &StableChatId,
    ) -> Result<ChatIdentity, RegistryError> {
        let key = key(path)?;
        let lock = self.lock()?;
        let mut registered = self.load()?;
        let identity = decide(&registered.chats, key, newest_stable_chat_id(chat), fresh);
        match &identity.origin {
            Origin::Known => return Ok(identity),
            Origin::Renamed { .. } => registered.chats.retain(|_, id| *id != identity.stable_chat_id),
            Origin::New => {}
        }
        registered.chats.insert(key.to_owned(), identity.stable_chat_id.clone());
        self.save(&registered)?;
        drop(lock);
        Ok(identity)
    }

    /// The registered identity of a path.
    ///
    /// # Errors
    /// [`RegistryError::Damaged`], [`RegistryError::Unreadable`] or [`RegistryError::PathNotUnicode`].
    pub fn lookup(&self, path: &ChatPath) -> Result<Option<StableChatId>, RegistryError> {
        Ok(self.load()?.chats.remove(key(path)?))
    }

    /// The path that is registered for an identity; the file need not be there any more.
    ///
    /// # Errors
    /// [`RegistryError::Damaged`] or [`RegistryError::Unreadable`].
    pub fn path_of(&self, stable_chat_id: &StableChatId) -> Result<Option<PathBuf>, RegistryError> {
        let chats = self.load()?.chats;
        Ok(chats
            .into_iter()
            .find(|(_, id)| id == stable_chat_id)
            .map(|(path, _)| PathBuf::from(path)))
    }

    /// Checks that a path is still the chat of a run.
    ///
    /// # Errors
    /// [`RegistryError::OtherChat`], or as [`ChatRegistry::lookup`].
    pub fn check(&self, path: &ChatPath, stable_chat_id: &StableChatId) -> Result<(), RegistryError> {
        let found = self.lookup(path)?;
        if found.as_ref() == Some(stable_chat_id) {
            return Ok(());
        }
        Err(RegistryError::OtherChat {
            path: path.as_path().to_owned(),
            expected: stable_chat_id.clone(),
            found,
        })
    }

    fn file(&self) -> PathBuf {
        self.data_root.join(FILE_NAME)
    }

    fn load(&self) -> Result<Registered, RegistryError> {
        let path = self.file();
        let damaged = |reason| RegistryError::Damaged {
            path: path.clone(),
            reason,
        };
        let read = || read_in(&self.folder()?, FILE_NAME, MAX_REGISTRY_BYTES);
        let bytes = match read() {
            Ok(bytes) => bytes,
            Err(source) if source.kind() == io::ErrorKind::NotFound => return Ok(Registered::default()),
            Err(source) => return Err(RegistryError::Unreadable { path, source }),
        };
        let registered: Registered = serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        if registered.version != VERSION {
            return Err(damaged(format!("version {} is not {VERSION}", registered.version)));
        }
        Ok(registered)
    }

    fn save(&self, registered: &Registered) -> Result<(), RegistryError> {
        self.write(registered).map_err(|source| RegistryError::WriteFailed {
            path: self.file(),
            source,
        })
    }

    fn write(&self, registered: &Registered) -> io::Result<()> {
        let mut bytes = serde_json::to_vec_pretty(registered)?;
        bytes.push(b'\n');
        write_in(&self.folder()?, FILE_NAME, &bytes, Durability::Durable)
    }

    fn folder(&self) -> io::Result<Dir> {
        Dir::open_ambient_dir(&self.data_root, ambient_authority())
    }

    fn lock(&self) -> Result<File, RegistryError> {
        lock_file(&self.data_root.join(LOCK_NAME), ATTEMPTS)
            .map_err(|source| RegistryError::WriteFailed {
                path: self.file(),
                source,
            })?
            .ok_or_else(|| RegistryError::Locked { path: self.file() })
    }
}

fn key(path: &ChatPath) -> Result<&str, RegistryError> {
    path.as_path().to_str().ok_or_else(|| RegistryError::PathNotUnicode {
        path: path.as_path().to_owned(),
    })
}

fn decide(
    chats: &BTreeMap<String, StableChatId>,
    key: &str,
    own: Option<StableChatId>,
    fresh: &StableChatId,
) -> ChatIdentity {
    if let Some(id) = chats.get(key) {
        return ChatIdentity {
            stable_chat_id: id.clone(),
            origin: Origin::Known,
        };
    }
    if let Some(id) = own {
        let mut paths = chats
            .iter()
            .filter(|(_, other)| **other == id)
            .map(|(path, _)| Path::new(path));
        let first = paths.next();
        if let Some(from) = first.filter(|path| is_gone(path))
            && paths.all(is_gone)
        {
            return ChatIdentity {
                stable_chat_id: id,
                origin: Origin::Renamed { from: from.to_owned() },
            };
        }
    }
    ChatIdentity {
        stable_chat_id: fresh.clone(),
        origin: Origin::New,
    }
}

/// Only a clear "not there" counts: a folder that cannot be looked into may still hold the chat.
fn is_gone(path: &Path) -> bool {
    match std::fs::symlink_metadata(path) {
        Ok(_) => false,
        Err(error) => matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory),
    }
}

#[cfg(test)]
mod tests;
