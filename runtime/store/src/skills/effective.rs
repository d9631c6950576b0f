//! The skills that apply to one run or invocation, and reading them as tools do.
//!
//! Names, descriptions and digests are those of the moment when they were settled; files are read from the disk when they are asked for.
//! Budgets and policy are not known here.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use innkeeper_protocol::path::WorkspacePath;
use innkeeper_protocol::port::FileText;
use innkeeper_protocol::run::RunError;
use innkeeper_protocol::skill::{
    EffectiveSkill, HIDDEN_SEGMENTS, SkillError, SkillFiles, SkillLibrary, SkillScope, SkillSummary, is_hidden,
};

use super::error::{SkillsError, reason};
use super::load::Skill;
use super::place::MAIN_FILE;
use super::problem::SkillIssue;
use super::scan::Found;
use super::walk::{WalkError, walk};
use crate::tree::{MAX_FILE_BYTES, TreeError};

/// Stands for every skill in a profile's list.
const EVERY: &str = "*";

/// The skills that apply. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct EffectiveSkills {
    scopes: Vec<SkillScope>,
    skills: BTreeMap<String, Arc<Skill>>,
    issues: Vec<SkillIssue>,
}

impl EffectiveSkills {
    pub(super) fn of(scope: SkillScope, found: Found) -> Self {
        let by_name = |skill: Skill| (skill.summary.name.clone(), Arc::new(skill));
        Self {
            scopes: vec![scope],
            skills: found.skills.into_iter().map(by_name).collect(),
            issues: found.issues,
        }
    }

    /// These skills, and then others, which replace those of the same name.
    #[must_use]
    pub fn then(mut self, later: Self) -> Self {
        self.scopes.extend(later.scopes);
        self.skills.extend(later.skills);
        self.issues.extend(later.issues);
        self
    }

    /// The scopes that were looked into, in their order.
    #[must_use]
    pub fn scopes(&self) -> &[SkillScope] {
        &self.scopes
    }

    /// What the journal says of them, by name.
    #[must_use]
    pub fn effective(&self) -> Vec<EffectiveSkill> {
        let described = |skill: &Arc<Skill>| EffectiveSkill {
            name: skill.summary.name.clone(),
            scope: skill.summary.scope,
            installed_hash: skill.installed_hash.clone(),
        };
        self.skills.values().map(described).collect()
    }

    /// What was wrong or unusual, in the order in which it was found.
    #[must_use]
    pub fn issues(&self) -> &[SkillIssue] {
        &self.issues
    }

    /// Checks that each skill that a profile names applies; `*` asks for none.
    ///
    /// # Errors
    /// [`SkillsError::VisibleMissing`] names all that do not.
    pub fn require_visible(&self, names: &[String]) -> Result<(), SkillsError> {
        let is_missing = |name: &&String| *name != EVERY && !self.skills.contains_key(*name);
        let names: Vec<String> = names.iter().filter(is_missing).cloned().collect();
        if names.is_empty() {
            return Ok(());
        }
        Err(SkillsError::VisibleMissing { names })
    }

    fn skill(&self, name: &str) -> Result<Arc<Skill>, SkillError> {
        self.skills.get(name).cloned().ok_or(SkillError::NotVisible)
    }
}

#[async_trait]
impl SkillLibrary for EffectiveSkills {
    async fn list(&self) -> Result<Vec<SkillSummary>, RunError> {
        Ok(self.skills.values().map(|skill| skill.summary.clone()).collect())
    }

    async fn files(&self, skill: &str, below: Option<&WorkspacePath>) -> Result<SkillFiles, SkillError> {
        let skill = self.skill(skill)?;
        let below = below.map(|path| skill.spelled(path)).transpose()?;
        blocking(move || skill.text_files(below.as_ref()))
            .await
            .unwrap_or_else(|error| Err(SkillError::Fault(error.into())))
    }

    async fn read(&self, skill: &str, path: &WorkspacePath) -> Result<FileText, SkillError> {
        let skill = self.skill(skill)?;
        let path = skill.spelled(path)?;
        blocking(move || skill.text(&path))
            .await
            .unwrap_or_else(|error| Err(SkillError::Fault(error.into())))
    }
}

impl Skill {
    /// The path as the disk spells it: who asks for `SKILL.md` gets the main file.
    fn spelled(&self, path: &WorkspacePath) -> Result<WorkspacePath, SkillError> {
        if is_hidden(path) {
            return Err(SkillError::Invalid(format!(
                "{} are never shown",
                HIDDEN_SEGMENTS.join(", ")
            )));
        }
        let is_main = path.as_str() == MAIN_FILE;
        Ok(if is_main { self.main.clone() } else { path.clone() })
    }

    fn text_files(&self, below: Option<&WorkspacePath>) -> Result<SkillFiles, SkillError> {
        let walked = walk(&self.place, below).map_err(|error| match error {
            WalkError::Tree(error) => refusal(error),
            WalkError::Limit(problem) => SkillError::Invalid(format!("the skill has grown: {problem}")),
        })?;
        let mut files = SkillFiles {
            paths: Vec::with_capacity(walked.files.len()),
            skipped: u32::try_from(walked.skipped).unwrap_or(u32::MAX),
        };
        for path in walked.files {
            match self.text(&path) {
                Ok(_) => files.paths.push(path),
                Err(SkillError::Fault(fault)) => return Err(SkillError::Fault(fault)),
                Err(_) => files.skipped = files.skipped.saturating_add(1),
            }
        }
        Ok(files)
    }

    fn text(&self, path: &WorkspacePath) -> Result<FileText, SkillError> {
        let full = self.place.resolve(path).ok_or(SkillError::NotFound)?;
        let file = self.place.tree().read(&full, MAX_FILE_BYTES).map_err(refusal)?;
        Ok(FileText {
            text: file.text,
            sha256: file.sha256,
        })
    }
}

/// What a tool is told. Paths in the tree's own words begin above the skill, so its words are not used.
fn refusal(error: TreeError) -> SkillError {
    let invalid = |text: &str| SkillError::Invalid(text.to_owned());
    match error {
        TreeError::Link { .. } => invalid("it is a link, or lies behind one; links are never followed"),
        TreeError::Special { .. } => invalid("it is neither a file nor a folder"),
        TreeError::IsDirectory { .. } => invalid("it is a folder; name a file in it"),
        TreeError::NotText { .. } => invalid("it is not a text in UTF-8"),
        TreeError::TooLarge { bytes, limit, .. } => {
            SkillError::Invalid(format!("it has {bytes} bytes; at most {limit} are read"))
        }
        TreeError::NameConflict { existing, .. } => {
            let spelled = existing.rsplit('/').next().unwrap_or_default();
            SkillError::Invalid(format!(
                "it differs from `{spelled}` by case or Unicode form only; use that spelling"
            ))
        }
        // A skill that was taken away or replaced as a whole is simply gone.
        TreeError::FileNotFound { .. }
        | TreeError::PathNotFound { .. }
        | TreeError::NotADirectory { .. }
        | TreeError::RootReplaced => SkillError::NotFound,
        other => SkillError::Fault(RunError::internal(
            "skill.unreadable",
            format!("a file of a skill cannot be read: {}", reason(&other)),
        )),
    }
}

/// Runs file work away from the threads that drive calls.
///
/// # Errors
/// When the work panicked or the runtime is going down.
pub(super) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, SkillsError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|_| SkillsError::Interrupted)
}

#[cfg(test)]
mod tests;
