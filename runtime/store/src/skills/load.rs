//! One skill, read from its folder: header, digest, number of text files.
//!
//! Where skills are looked for is [`super::scan`]'s; which of two of one name applies is [`super::effective`]'s.

use std::io::{self, Read as _};

use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::path::WorkspacePath;
use innkeeper_protocol::skill::{SkillScope, SkillSummary};

use super::digest::SkillDigest;
use super::error::reason;
use super::place::Place;
use super::problem::SkillProblem;
use super::walk::{WalkError, walk};
use super::{front_matter, header};
use crate::tree::{MAX_FILE_BYTES, TreeError, hash_into};

/// The most that the files of one skill may have together, in bytes: all of them are read for the digest when a run starts.
pub const MAX_SKILL_BYTES: u64 = 256 * 1024 * 1024;

/// A skill that can be used.
#[derive(Debug)]
pub(super) struct Skill {
    pub(super) summary: SkillSummary,
    pub(super) installed_hash: Sha256,
    pub(super) place: Place,
    /// Its main file, as the disk spells it.
    pub(super) main: WorkspacePath,
}

/// What a folder with a main file is called, and where it was found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origin<'a> {
    pub(super) folder_name: &'a str,
    pub(super) scope: SkillScope,
}

/// Reads a skill, and what is unusual about it.
pub(super) fn load(
    place: Place,
    main: WorkspacePath,
    origin: Origin<'_>,
) -> Result<(Skill, Vec<SkillProblem>), SkillProblem> {
    let text = read_main(&place, &main)?;
    let settled = header::settle(&front_matter::read(&text)?, origin.folder_name)?;
    let content = read_content(&place, MAX_SKILL_BYTES)?;
    let summary = SkillSummary {
        name: settled.name,
        description: settled.description,
        files: content.text_files,
        scope: origin.scope,
    };
    let skill = Skill {
        summary,
        installed_hash: content.digest,
        place,
        main,
    };
    Ok((skill, settled.remarks))
}

fn read_main(place: &Place, main: &WorkspacePath) -> Result<String, SkillProblem> {
    let full = place.resolve(main).ok_or(SkillProblem::NoMainFile)?;
    let file = place
        .tree()
        .read(&full, MAX_FILE_BYTES)
        .map_err(|error| unusable(&error))?;
    Ok(file.text)
}

struct Content {
    digest: Sha256,
    text_files: u32,
}

fn read_content(place: &Place, limit: u64) -> Result<Content, SkillProblem> {
    let walked = walk(place, None).map_err(|error| match error {
        WalkError::Limit(problem) => problem,
        WalkError::Tree(error) => unusable(&error),
    })?;
    let mut digest = SkillDigest::default();
    let mut text_files = 0_u32;
    let mut left = limit;
    for path in &walked.files {
        let Some(file) = read_file(place, path, left)? else {
            continue;
        };
        left = left.checked_sub(file.bytes).ok_or(SkillProblem::TooLarge { limit })?;
        text_files = text_files.saturating_add(u32::from(file.is_text));
        digest.add(path, &file.sha256);
    }
    Ok(Content {
        digest: digest.finish(),
        text_files,
    })
}

struct Looked {
    sha256: Sha256,
    /// At most one more than was left.
    bytes: u64,
    is_text: bool,
}

/// Reads a file for the digest; `None` when it went away since it was listed.
fn read_file(place: &Place, path: &WorkspacePath, left: u64) -> Result<Option<Looked>, SkillProblem> {
    let Some(full) = place.resolve(path) else {
        return Ok(None);
    };
    let looked = match place.tree().read_bytes(&full, MAX_FILE_BYTES.min(left)) {
        Ok(file) => Ok(Looked {
            bytes: u64::try_from(file.bytes.len()).unwrap_or(u64::MAX),
            is_text: std::str::from_utf8(&file.bytes).is_ok(),
            sha256: file.sha256,
        }),
        Err(TreeError::TooLarge { .. }) => read_large(place, &full, left),
        Err(error) => Err(error),
    };
    match looked {
        Ok(looked) => Ok(Some(looked)),
        Err(error) if error.is_fault() => Err(unusable(&error)),
        Err(_) => Ok(None),
    }
}

/// Reads a file that is never shown, without holding it in memory.
fn read_large(place: &Place, full: &WorkspacePath, left: u64) -> Result<Looked, TreeError> {
    // One byte beyond what is left tells that it was too much; and a file that grows without end ends here.
    let mut file = place.tree().open_file(full)?.take(left.saturating_add(1));
    let (sha256, bytes) = hash_into(&mut file, &mut io::sink()).map_err(TreeError::io("read", full.as_str()))?;
    Ok(Looked {
        sha256,
        bytes,
        is_text: false,
    })
}

/// Why a skill is left out, without the path from the searched folder, which the issue names.
pub(super) fn unusable(error: &TreeError) -> SkillProblem {
    match error {
        TreeError::NotText { .. } => SkillProblem::NotText,
        TreeError::TooLarge { limit, .. } => SkillProblem::TooLarge { limit: *limit },
        TreeError::Link { .. } => SkillProblem::Refused {
            reason: "it, or its SKILL.md, is a link, and links are never followed".to_owned(),
        },
        TreeError::Special { .. } => SkillProblem::Refused {
            reason: "its SKILL.md is neither a file nor a folder".to_owned(),
        },
        other if other.is_fault() => SkillProblem::Unreadable { reason: reason(other) },
        other => SkillProblem::Refused {
            reason: other.to_string(),
        },
    }
}

#[cfg(test)]
mod tests;
