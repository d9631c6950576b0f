//! The profiles of a data root: listing, loading, checking, saving, repairing and removing them, and choosing the one of a run.
//!
//! What a profile may say is decided in `innkeeper-agent`, how its file is kept in `innkeeper-store`. Whether presets and connections
//! exist that a profile names is not known here. Everything blocks for the time that small files take.

mod choose;
mod health;
mod shapes;

use std::path::{Path, PathBuf};

use innkeeper_agent::profile::{
    DEFAULT_PROFILE_ID, FaultKind, Profile, ProfileError, StoredFault, StoredProfile, check, normalize_identity,
    read_stored, resolve,
};
use innkeeper_agent::prompt::system_prompt;
use innkeeper_protocol::id::{MAX_SEGMENT_BYTES, ProfileId};
use innkeeper_store::atomic::{Durability, write_atomic};
use innkeeper_store::profiles::{ProfilesError, ProfilesFolder, file_name};

use crate::builder::Innkeeper;
use crate::error::{HostError, chain};

pub use choose::ChosenProfile;
pub(crate) use choose::check_startable;
pub use shapes::{
    AgentSystemPrompt, Blocked, ProfileCheck, ProfileDiagnostic, ProfileHealth, ProfileIssue, ProfileIssueKind,
    ProfileList, ProfileProblem, ProfileRepair, ProfileSummary, RepairAction,
};

/// Tries to change a file that somebody else is changing at the same time.
const REPAIR_ATTEMPTS: u32 = 3;

impl Innkeeper {
    /// Every profile: the built-in one first, unless a file takes its place, then the files in the order of their ids. A file that
    /// cannot be used is an issue and hides no other. A file of an older version is brought to the present one.
    ///
    /// # Errors
    /// [`HostError`] when the folder cannot be read, or holds a file whose name is no profile id.
    pub fn list_agent_profiles(&self) -> Result<ProfileList, HostError> {
        let folder = self.profiles()?;
        let ids = folder.ids()?;
        let mut list = ProfileList::default();
        if !ids.iter().any(is_default) {
            list.profiles.push(ProfileSummary::of(&self.default_profile()));
        }
        for id in ids {
            match read(&folder, &id) {
                Ok(Some(profile)) => list.profiles.push(ProfileSummary::of(&profile)),
                // It was removed just now.
                Ok(None) => {}
                Err(Unloadable::File(fault)) => list.issues.push(ProfileIssue::of_fault(&id, &fault)),
                Err(Unloadable::Store(error @ ProfilesError::Unreadable { .. })) => {
                    list.issues.push(ProfileIssue::unreadable(&id, &error.into()));
                }
                Err(Unloadable::Store(error)) => return Err(error.into()),
            }
        }
        Ok(list)
    }

    /// The profile of this id as its file has it; `None` when there is none. The default is there also without a file.
    ///
    /// # Errors
    /// [`HostError`] when its file cannot be used.
    pub fn load_agent_profile(&self, id: &ProfileId) -> Result<Option<Profile>, HostError> {
        let stored = stored(&self.profiles()?, id)?;
        Ok(stored.or_else(|| is_default(id).then(|| self.default_profile())))
    }

    /// Everything that is wrong with a profile file, for who writes it. With a `stem` it must be the profile of that id.
    #[must_use]
    pub fn check_agent_profile(&self, json: &[u8], stem: Option<&ProfileId>) -> ProfileCheck {
        ProfileCheck::of(check(json, stem, &self.tools().specs()))
    }

    /// The folder of the files; it need not exist.
    ///
    /// # Errors
    /// `agent.data_root_required` for a host without a data root.
    pub fn agent_profile_folder(&self) -> Result<PathBuf, HostError> {
        Ok(self.profiles()?.path())
    }

    /// What a profile can be used for, and what is in the way. What stops a run is decided when it starts.
    ///
    /// # Errors
    /// `agent.profile_not_found`, or [`HostError`] when its file cannot be used.
    pub fn diagnose_agent_profile(&self, id: &ProfileId) -> Result<ProfileHealth, HostError> {
        let profile = self.load_agent_profile(id)?.ok_or_else(|| not_found(id))?;
        Ok(ProfileHealth::of(id, &profile, &self.tools().specs()))
    }

    /// What the model of a run with this profile would be told by us; of the built-in profile where none is named.
    ///
    /// # Errors
    /// [`HostError`] when the profile cannot be used; presets and connections that it names need not exist.
    pub async fn resolve_agent_system_prompt(&self, id: Option<&ProfileId>) -> Result<AgentSystemPrompt, HostError> {
        let profile = match id {
            None => self.default_profile(),
            Some(id) => self.load_agent_profile(id)?.ok_or_else(|| not_found(id))?,
        };
        let profile = resolve(&profile, &self.tools().specs())?;
        let frozen = self.freeze_tools(&self.tools(), &profile, &self.policy_rules().await?)?;
        let bindings = frozen.snapshot.bindings.into_iter();
        let tools: Vec<_> = bindings
            .map(|binding| (binding.model_alias, binding.descriptor))
            .collect();
        Ok(AgentSystemPrompt {
            agent_system_prompt: system_prompt(&profile, &tools),
        })
    }

    /// Keeps a profile under its id, in place of what was there.
    ///
    /// # Errors
    /// [`HostError`] when something is wrong with it, or the file cannot be written; it is as it was. Presets and connections that it
    /// names need not exist.
    pub fn save_agent_profile(&self, profile: &Profile) -> Result<(), HostError> {
        let resolved = resolve(profile, &self.tools().specs())?;
        let profile = Profile {
            id: resolved.id().to_string(),
            ..profile.clone()
        };
        let mut bytes = serde_json::to_vec_pretty(&profile).map_err(crate::error::unwritable)?;
        bytes.push(b'\n');
        Ok(self.profiles()?.write(resolved.id(), &bytes)?)
    }

    /// Removes the file of a profile. The default then is the built-in one again.
    ///
    /// # Errors
    /// `agent.profile_not_found` when there is no file; [`HostError`] when it cannot be removed.
    pub fn delete_agent_profile(&self, id: &ProfileId) -> Result<(), HostError> {
        if self.profiles()?.delete(id)? {
            Ok(())
        } else {
            Err(not_found(id))
        }
    }

    /// Repairs a file that [`list_agent_profiles`](Self::list_agent_profiles) calls an issue. Where there is nothing to do, nothing is
    /// written.
    ///
    /// # Errors
    /// `agent.profile_not_found`; `agent.profile_repair_failed` when the file would still be unreadable, and then it is as it was.
    pub fn repair_agent_profile_file(&self, id: &ProfileId, action: RepairAction) -> Result<(), HostError> {
        match action {
            RepairAction::Delete => self.delete_agent_profile(id),
            RepairAction::NormalizeIdentity => self.normalize(id),
        }
    }

    fn normalize(&self, id: &ProfileId) -> Result<(), HostError> {
        let folder = self.profiles()?;
        for _ in 0..REPAIR_ATTEMPTS {
            let bytes = folder.read(id)?.ok_or_else(|| not_found(id))?;
            match normalize_identity(&bytes, id).map_err(|error| repair_failed(id, &error))? {
                None => return Ok(()),
                Some(new) if folder.replace(id, &bytes, &new)? => return Ok(()),
                Some(_) => {}
            }
        }
        Err(HostError::new(
            "agent.profile_repair_failed",
            format!("the profile {id} is being changed by somebody else"),
        ))
    }

    fn profiles(&self) -> Result<ProfilesFolder, HostError> {
        Ok(ProfilesFolder::new(self.data_root()?))
    }
}

/// An id out of the text that somebody gives.
///
/// # Errors
/// `agent.profile_id_empty`, `agent.profile_id_too_long` or `agent.profile_id_invalid`.
pub fn parse_profile_id(text: &str) -> Result<ProfileId, HostError> {
    let text = text.trim();
    let error = match text.len() {
        0 => ProfileError::IdEmpty,
        bytes if bytes > MAX_SEGMENT_BYTES => ProfileError::IdTooLong { bytes },
        _ => match ProfileId::parse(text) {
            Ok(id) => return Ok(id),
            Err(_) => ProfileError::IdInvalid { id: text.to_owned() },
        },
    };
    Err(error.into())
}

/// Replaces a profile file that lies anywhere, durably and whole.
///
/// # Errors
/// [`HostError`] when it cannot be written; it is as it was.
pub fn replace_profile_file(path: &Path, bytes: &[u8]) -> Result<(), HostError> {
    write_atomic(path, bytes, Durability::Durable).map_err(|source| HostError::internal(source.code(), chain(&source)))
}

/// Why a file gives no profile.
enum Unloadable {
    Store(ProfilesError),
    File(StoredFault),
}

/// The profile in the file of this id.
fn stored(folder: &ProfilesFolder, id: &ProfileId) -> Result<Option<Profile>, HostError> {
    read(folder, id).map_err(|error| match error {
        Unloadable::Store(error) => error.into(),
        Unloadable::File(fault) => {
            let file = folder.file(id);
            let message = format!("the profile {} cannot be used: {}", file.display(), fault.error);
            HostError::new(fault.error.code(), message).with_hint(advice(fault.kind))
        }
    })
}

/// Reads a file, and writes one of an older version back in the present one.
fn read(folder: &ProfilesFolder, id: &ProfileId) -> Result<Option<Profile>, Unloadable> {
    let Some(bytes) = folder.read(id).map_err(Unloadable::Store)? else {
        return Ok(None);
    };
    let StoredProfile { profile, migrated } = read_stored(&bytes, id).map_err(Unloadable::File)?;
    if let Some(new) = migrated {
        // Who changed it in between has the last word, and a disk that cannot be written is no reason not to read it.
        match folder.replace(id, &bytes, &new) {
            Ok(_) => tracing::info!(profile = %id, "a profile was brought to the present version"),
            Err(error) => tracing::warn!(profile = %id, %error, "a profile stays in an older version"),
        }
    }
    Ok(Some(profile))
}

fn is_default(id: &ProfileId) -> bool {
    id.as_str() == DEFAULT_PROFILE_ID
}

fn not_found(id: &ProfileId) -> HostError {
    HostError::not_found("agent.profile_not_found", format!("there is no profile {id}"))
        .with_hint("`innkeeper profiles list` shows the profiles that there are.")
}

fn repair_failed(id: &ProfileId, error: &ProfileError) -> HostError {
    let message = format!("the profile {} cannot be repaired: {error}", file_name(id));
    HostError::new("agent.profile_repair_failed", message)
        .with_hint("Correct the file by hand; `innkeeper profiles check FILE` names every problem.")
}

fn advice(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::Json => "Restore the file from a backup, or remove it.",
        FaultKind::Identity => "Set schemaVersion, kind and id right; the id is the name of the file without .json.",
        FaultKind::Structure => "`innkeeper profiles check FILE` names every problem in it.",
    }
}

#[cfg(test)]
mod tests;
