//! All files of a skill, in byte order, within limits.
//!
//! A skill beyond a limit is refused whole: a part of it that looks like the whole would be worse.

use innkeeper_protocol::path::WorkspacePath;

use super::place::Place;
use super::problem::SkillProblem;
use crate::tree::{Kind, TreeError};

/// The most files and folders of one skill. The largest that are passed around have a few hundred.
pub const MAX_SKILL_ENTRIES: usize = 5_000;

/// The most levels of folders in one skill.
pub const MAX_SKILL_DEPTH: usize = 16;

/// The files of a skill, text or not.
#[derive(Debug, Default)]
pub(super) struct Walked {
    /// Bytewise by path, from the skill's folder.
    pub(super) files: Vec<WorkspacePath>,
    /// Links, special files and names that are no path.
    pub(super) skipped: u64,
}

/// Why a skill cannot be walked through.
#[derive(Debug)]
pub(super) enum WalkError {
    Tree(TreeError),
    /// It is beyond a limit.
    Limit(SkillProblem),
}

/// Lists the files at or below a path of a skill, or of the whole skill.
pub(super) fn walk(skill: &Place, below: Option<&WorkspacePath>) -> Result<Walked, WalkError> {
    let mut walked = Walked::default();
    if let Some(path) = below {
        let found = skill.find(path).map_err(WalkError::Tree)?;
        match found.map(|entry| entry.kind) {
            None => return Err(WalkError::Tree(TreeError::PathNotFound { path: path.clone() })),
            Some(Kind::Directory) => {}
            Some(Kind::File) => {
                walked.files.push(path.clone());
                return Ok(walked);
            }
        }
    }
    let mut seen = 0_usize;
    let mut waiting = vec![below.cloned()];
    let mut is_start = true;
    while let Some(folder) = waiting.pop() {
        let children = match skill.children(folder.as_ref(), MAX_SKILL_ENTRIES) {
            Ok(children) => children,
            // It went away, or became something else, since its folder was listed.
            Err(error) if !is_start && !error.is_fault() => {
                walked.skipped = walked.skipped.saturating_add(1);
                continue;
            }
            Err(error) => return Err(WalkError::Tree(error)),
        };
        is_start = false;
        seen = seen.saturating_add(children.entries.len());
        if children.truncated || seen > MAX_SKILL_ENTRIES {
            return Err(WalkError::Limit(SkillProblem::TooManyEntries {
                limit: MAX_SKILL_ENTRIES,
            }));
        }
        walked.skipped = walked.skipped.saturating_add(children.skipped);
        for (path, kind) in children.entries {
            match kind {
                Kind::File => walked.files.push(path),
                Kind::Directory if path.components().count() > MAX_SKILL_DEPTH => {
                    return Err(WalkError::Limit(SkillProblem::TooDeep { limit: MAX_SKILL_DEPTH }));
                }
                Kind::Directory => waiting.push(Some(path)),
            }
        }
    }
    walked.files.sort_unstable();
    Ok(walked)
}
