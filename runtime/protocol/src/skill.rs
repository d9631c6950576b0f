//! Agent Skills as tools see them: names, descriptions, and text files that can be read.
//!
//! Where skills lie and which of them apply to a run is the library's business; budgets and policy are kept where calls are armed.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::digest::Sha256;
use crate::path::WorkspacePath;
use crate::port::FileText;
use crate::run::RunError;

/// Longest name of a skill in bytes.
pub const MAX_SKILL_NAME_BYTES: usize = 128;

/// Whether a text can be the name of a skill: lower-case ASCII letters, digits, `_`, `-`, at most 128.
#[must_use]
pub fn is_skill_name(text: &str) -> bool {
    (1..=MAX_SKILL_NAME_BYTES).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'-')
}

/// Names that are never shown of a skill, at any depth and in any case: other programs keep secrets and bulk there.
pub const HIDDEN_SEGMENTS: [&str; 3] = [".git", ".ssh", ".env"];

/// Whether a path is, or lies below, one of [`HIDDEN_SEGMENTS`].
#[must_use]
pub fn is_hidden(path: &WorkspacePath) -> bool {
    path.components().any(|segment| {
        HIDDEN_SEGMENTS
            .iter()
            .any(|hidden| segment.eq_ignore_ascii_case(hidden))
    })
}

/// Where a skill comes from; a later scope replaces an earlier skill of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SkillScope {
    /// For every run.
    Global,
    /// For runs with a preset.
    Preset,
    /// For runs with a profile.
    Profile,
    /// For chats with a character.
    Character,
}

/// Which preset and which character a run's skills are looked up for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillScopeRefs {
    /// The preset in use, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<SkillPreset>,
    /// The character of the chat, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub character_id: Option<String>,
}

/// A preset, as the skills installed for it name it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillPreset {
    /// The API that the preset is for.
    pub api_id: String,
    /// The preset's name.
    pub name: String,
}

/// What the journal says of a skill that applies to a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EffectiveSkill {
    /// Its name.
    pub name: String,
    /// Where it comes from.
    pub scope: SkillScope,
    /// Digest over its files when the skills of the run were settled.
    pub installed_hash: Sha256,
}

/// A skill that applies to a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SkillSummary {
    /// Its name.
    pub name: String,
    /// What it is for, as its author says.
    pub description: String,
    /// Text files in it.
    pub files: u32,
    /// Where it comes from.
    pub scope: SkillScope,
}

/// Why a file of a skill cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SkillError {
    /// No such skill among those that apply.
    #[error("no such skill applies to this run")]
    NotVisible,
    /// No such file, or the skill's folder is gone.
    #[error("there is no such file in the skill")]
    NotFound,
    /// A directory, a link, a special file, not UTF-8, or too large; the text says which.
    #[error("{0}")]
    Invalid(String),
    /// A fault that ends the run.
    #[error(transparent)]
    Fault(#[from] RunError),
}

/// Text files of a skill, and how many others were passed over.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkillFiles {
    /// Bytewise by path, relative to the skill.
    pub paths: Vec<WorkspacePath>,
    /// Not UTF-8, over 16 MiB, links, special files and names that are no path.
    pub skipped: u32,
}

/// The skills that apply to one run.
#[async_trait]
pub trait SkillLibrary: Send + Sync {
    /// The effective skills, by name.
    async fn list(&self) -> Result<Vec<SkillSummary>, RunError>;
    /// Text files at or below a path, or of the whole skill.
    async fn files(&self, skill: &str, below: Option<&WorkspacePath>) -> Result<SkillFiles, SkillError>;
    /// One text file of at most 16 MiB.
    async fn read(&self, skill: &str, path: &WorkspacePath) -> Result<FileText, SkillError>;
}
