//! Why the skills of a run could not be settled at all. What is wrong with a single skill is [`super::SkillProblem`].

use std::path::PathBuf;

use innkeeper_protocol::run::{ErrorKind, RunError};

use crate::tree::TreeError;

/// Why the skills of a run could not be settled. The run does not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SkillsError {
    /// A folder that holds skills cannot be read; it is never taken for an empty one.
    #[error("skills cannot be read from {}: {}", path.display(), reason(source))]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the disk said.
        source: TreeError,
    },
    /// A file stands where a folder of skills should be.
    #[error("skills cannot be read from {}: it is no folder", path.display())]
    NotAFolder {
        /// Where.
        path: PathBuf,
    },
    /// The preset of the scope has a blank part.
    #[error("the preset that skills are looked up for needs an API id and a name")]
    PresetInvalid,
    /// The character of the scope is blank.
    #[error("the character that skills are looked up for needs an id")]
    CharacterBlank,
    /// A profile names skills that do not apply.
    #[error("the profile names skills that are not installed for this run: {}", names.join(", "))]
    VisibleMissing {
        /// Their names, in the order of the profile.
        names: Vec<String>,
    },
    /// The thread that read them broke down.
    #[error("reading skills broke down")]
    Interrupted,
}

impl SkillsError {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Folder { .. } | Self::NotAFolder { .. } => "skill.folder_unreadable",
            Self::PresetInvalid => "agent.skill_scope_preset_invalid",
            Self::CharacterBlank => "agent.skill_scope_character_id_empty",
            Self::VisibleMissing { .. } => "agent.skill_visible_missing",
            Self::Interrupted => "agent.internal_error",
        }
    }

    const fn kind(&self) -> ErrorKind {
        match self {
            Self::Folder { .. } | Self::Interrupted => ErrorKind::Internal,
            Self::NotAFolder { .. } | Self::PresetInvalid | Self::CharacterBlank => ErrorKind::Validation,
            Self::VisibleMissing { .. } => ErrorKind::NotFound,
        }
    }
}

impl From<SkillsError> for RunError {
    fn from(error: SkillsError) -> Self {
        let converted = Self::new(error.code(), error.kind(), error.to_string());
        match error {
            SkillsError::VisibleMissing { .. } => {
                converted.with_hint("Install them, or take them out of `skills.visible` of the profile.")
            }
            _ => converted,
        }
    }
}

/// What the system said, where it said something.
pub(super) fn reason(error: &TreeError) -> String {
    match error {
        TreeError::Io { source, .. } => source.to_string(),
        other => other.to_string(),
    }
}
