//! Skills that are installed under the data root, for all runs or for those with a preset, profile or character.
//!
//! The layout is in [`super`]. Nothing is installed here, and nothing created.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::id::ProfileId;
use innkeeper_protocol::path::WorkspacePath;
use innkeeper_protocol::skill::{SkillPreset, SkillScope, SkillScopeRefs};
use serde_json::{Value, json};

use super::effective::{EffectiveSkills, blocking};
use super::error::SkillsError;
use super::place::Place;
use super::scan::{Found, Reach, Search, scan};
use crate::tree::{Kind, Tree, TreeError};

/// Below DATA.
const ROOT: &str = "skills";

/// How much of a digest a folder's name has, in characters of hex.
const DIGEST_CHARS: usize = 16;

/// What the skills in one of the installed folders are for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScopeFolder {
    /// Every run.
    Global,
    /// Runs with this preset.
    Preset(SkillPreset),
    /// Runs and tasks with this profile.
    Profile(ProfileId),
    /// Chats with the character of this id.
    Character(String),
}

impl ScopeFolder {
    /// The scopes that apply, in their order: each replaces skills of the ones before it.
    ///
    /// # Errors
    /// [`SkillsError::PresetInvalid`] and [`SkillsError::CharacterBlank`] when a reference is given and blank.
    pub fn in_order(refs: &SkillScopeRefs, profile: &ProfileId) -> Result<Vec<Self>, SkillsError> {
        let mut scopes = vec![Self::Global];
        if let Some(preset) = &refs.preset {
            let (api_id, name) = (preset.api_id.trim().to_owned(), preset.name.trim().to_owned());
            if api_id.is_empty() || name.is_empty() {
                return Err(SkillsError::PresetInvalid);
            }
            scopes.push(Self::Preset(SkillPreset { api_id, name }));
        }
        scopes.push(Self::Profile(profile.clone()));
        if let Some(character) = &refs.character_id {
            let character = character.trim();
            if character.is_empty() {
                return Err(SkillsError::CharacterBlank);
            }
            scopes.push(Self::Character(character.to_owned()));
        }
        Ok(scopes)
    }

    /// Which scope it is.
    #[must_use]
    pub const fn scope(&self) -> SkillScope {
        match self {
            Self::Global => SkillScope::Global,
            Self::Preset(_) => SkillScope::Preset,
            Self::Profile(_) => SkillScope::Profile,
            Self::Character(_) => SkillScope::Character,
        }
    }

    /// Its folder below [`InstalledSkills`]' own. Presets and characters may be called anything, so their names are not used.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Global => "global".to_owned(),
            Self::Preset(preset) => {
                format!(
                    "presets/{}",
                    digest(&json!({ "apiId": preset.api_id, "name": preset.name }))
                )
            }
            Self::Profile(profile) => format!("profiles/{profile}"),
            Self::Character(character) => format!("characters/{}", digest(&json!({ "characterId": character }))),
        }
    }
}

/// The beginning of the SHA-256 of a name as compact JSON, as workspace ids have it.
fn digest(name: &Value) -> String {
    let whole = Sha256::of(name.to_string().as_bytes());
    whole.as_str().get(..DIGEST_CHARS).unwrap_or_default().to_owned()
}

/// The installed skills of a data root.
#[derive(Debug, Clone)]
pub struct InstalledSkills {
    path: PathBuf,
}

impl InstalledSkills {
    /// The skills of this data root; nothing is read yet.
    #[must_use]
    pub fn new(data_root: &Path) -> Self {
        Self {
            path: data_root.join(ROOT),
        }
    }

    /// Where the skills of a scope lie: a folder for each.
    #[must_use]
    pub fn folder(&self, scope: &ScopeFolder) -> PathBuf {
        self.path.join(scope.name())
    }

    /// Reads the skills that apply to one invocation: global, then those of the preset, the profile and the character. A later skill
    /// replaces an earlier one of its name; one that cannot be used replaces nothing.
    ///
    /// Reads files; async callers use [`effective`](Self::effective).
    ///
    /// # Errors
    /// When a reference is blank, or a folder of a scope exists and cannot be read.
    pub fn load(&self, refs: &SkillScopeRefs, profile: &ProfileId) -> Result<EffectiveSkills, SkillsError> {
        let scopes = ScopeFolder::in_order(refs, profile)?;
        let tree = match Tree::open(&self.path) {
            Ok(tree) => Some(Arc::new(tree)),
            Err(TreeError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => None,
            Err(source) => {
                return Err(SkillsError::Folder {
                    path: self.path.clone(),
                    source,
                });
            }
        };
        let mut effective = EffectiveSkills::default();
        for scope in scopes {
            let found = match &tree {
                Some(tree) => self.read_scope(tree, &scope)?,
                None => Found::default(),
            };
            effective = effective.then(EffectiveSkills::of(scope.scope(), found));
        }
        Ok(effective)
    }

    /// [`load`](Self::load), on a thread for blocking work. Needs a running `tokio` runtime.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub async fn effective(&self, refs: &SkillScopeRefs, profile: &ProfileId) -> Result<EffectiveSkills, SkillsError> {
        let (skills, refs, profile) = (self.clone(), refs.clone(), profile.clone());
        blocking(move || skills.load(&refs, &profile))
            .await
            .unwrap_or(Err(SkillsError::Interrupted))
    }

    fn read_scope(&self, tree: &Arc<Tree>, scope: &ScopeFolder) -> Result<Found, SkillsError> {
        let name = scope.name();
        let failed = |source| SkillsError::Folder {
            path: self.folder(scope),
            source,
        };
        let root = Place::root(tree.clone());
        let Ok(path) = WorkspacePath::parse(&name) else {
            return Ok(Found::default());
        };
        let place = match root.find(&path).map_err(failed)? {
            None => None,
            Some(entry) if entry.kind == Kind::Directory => root.at(&path),
            Some(_) => {
                return Err(SkillsError::NotAFolder {
                    path: self.folder(scope),
                });
            }
        };
        let Some(place) = place else {
            return Ok(Found::default());
        };
        scan(Search {
            place: &place,
            name: &name,
            scope: scope.scope(),
            reach: Reach::Children,
        })
        .map_err(failed)
    }
}

#[cfg(test)]
mod tests;
