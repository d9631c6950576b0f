//! The skills of a run: what is installed for it, and a folder that somebody named.

use std::path::Path;

use innkeeper_agent::RunSkills;
use innkeeper_agent::profile::ResolvedProfile;
use innkeeper_capabilities::SkillRules;
use innkeeper_protocol::skill::SkillScopeRefs;
use innkeeper_store::skills::{EffectiveSkills, FolderSkills, InstalledSkills};

use crate::error::HostError;

/// The skills that apply to a run, and how the journal names them.
pub(crate) struct Skills {
    pub(crate) library: EffectiveSkills,
    pub(crate) frozen: RunSkills,
}

/// Reads what applies: global, preset, profile and character, a later one replacing an earlier one of its name; the named folder counts
/// as global and comes first.
///
/// # Errors
/// [`HostError`] when a folder cannot be read, or a skill that the profile names is not there. A skill that cannot be used is told to the
/// log and hides no other.
pub(crate) async fn of_run(
    data_root: &Path,
    folder: Option<&Path>,
    profile: &ResolvedProfile,
    refs: SkillScopeRefs,
) -> Result<Skills, HostError> {
    let installed = InstalledSkills::new(data_root).effective(&refs, profile.id()).await?;
    let library = match folder {
        Some(folder) => of_folder(folder).await?.then(installed),
        None => installed,
    };
    tell(&library);
    library.require_visible(&profile.skills().visible)?;
    let frozen = RunSkills {
        scopes: library.scopes().to_vec(),
        refs,
        effective: library.effective(),
    };
    Ok(Skills { library, frozen })
}

/// Reads a folder of skills, or one skill.
///
/// # Errors
/// [`HostError`] when the folder cannot be read or holds no skill.
pub(crate) async fn of_folder(folder: &Path) -> Result<EffectiveSkills, HostError> {
    let skills = FolderSkills::open(folder)?.effective().await?;
    tell(&skills);
    Ok(skills)
}

/// What a profile lets tools see of them.
pub(crate) fn rules(library: EffectiveSkills, profile: &ResolvedProfile) -> SkillRules {
    let skills = profile.skills();
    SkillRules {
        library: std::sync::Arc::new(library),
        visible: skills.visible.clone(),
        deny: skills.deny.clone(),
        max_chars_per_call: skills.max_read_chars_per_call,
        max_chars_per_run: skills.max_read_chars_per_run,
    }
}

fn tell(skills: &EffectiveSkills) {
    for issue in skills.issues() {
        tracing::warn!(code = issue.problem.code(), scope = ?issue.scope, folder = %issue.folder, "{}", issue.problem);
    }
}
