//! Which profile a run goes by, and whether a person can start it.

use std::path::Path;

use innkeeper_agent::profile::{ModelMode, Profile, ResolvedProfile};
use innkeeper_store::profiles::ProfilesFolder;

use super::{is_default, not_found, parse_profile_id, stored};
use crate::builder::Innkeeper;
use crate::error::HostError;
use crate::start::ProfileChoice;

impl ProfileChoice {
    /// The profile of this id; the built-in one where no id is given or it is blank, even if there is a file of its name.
    ///
    /// # Errors
    /// As [`parse_profile_id`].
    pub fn of_id(id: Option<&str>) -> Result<Self, HostError> {
        match id.filter(|id| !id.trim().is_empty()) {
            None => Ok(Self::BuiltIn),
            Some(id) => parse_profile_id(id).map(Self::Id),
        }
    }
}

/// A profile that was chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct ChosenProfile {
    /// As its author wrote it.
    pub profile: Profile,
    /// Where it comes from, as the journal names it: `built_in` or `file:<id>`.
    pub source: String,
}

impl ChosenProfile {
    fn of_file(profile: Profile) -> Self {
        let source = format!("file:{}", profile.id.trim());
        Self { profile, source }
    }
}

impl Innkeeper {
    /// The profile that was chosen; one that is named by its id from this data root. Whether anything is wrong with it is not asked.
    ///
    /// # Errors
    /// `agent.profile_not_found`, or [`HostError`] when its file cannot be used.
    pub fn chosen_profile(&self, choice: &ProfileChoice, data_root: &Path) -> Result<ChosenProfile, HostError> {
        let built_in = || ChosenProfile {
            profile: self.default_profile(),
            source: "built_in".to_owned(),
        };
        match choice {
            ProfileChoice::BuiltIn => Ok(built_in()),
            ProfileChoice::Given(profile) => Ok(ChosenProfile::of_file((**profile).clone())),
            ProfileChoice::Id(id) => match stored(&ProfilesFolder::new(data_root), id)? {
                Some(profile) => Ok(ChosenProfile::of_file(profile)),
                None if is_default(id) => Ok(built_in()),
                None => Err(not_found(id)),
            },
        }
    }
}

/// Refuses profiles that are only for others, or not finished.
pub(crate) fn check_startable(profile: &ResolvedProfile) -> Result<(), HostError> {
    let id = profile.id();
    if !profile.run().direct_runnable {
        let message = format!("the profile {id} is only for other agents; nobody can start it");
        return Err(HostError::new("agent.profile_not_direct_runnable", message)
            .with_hint("Choose another profile, or set run.directRunnable to true in this one."));
    }
    if profile.model().mode == ModelMode::RequiresConfiguration {
        let message = format!("the profile {id} has no model yet");
        return Err(
            HostError::new("agent.profile_model_requires_configuration", message).with_hint(
                "Choose a model for it: set model.mode to `currentPromptSnapshot` to use the one that a run brings.",
            ),
        );
    }
    Ok(())
}
