//! What one call has planned: changes of files, a commit, a finish, and what it showed. Pure bookkeeping.
//!
//! Nothing is applied here. If the call fails in any way, all of it is dropped.

use std::collections::HashMap;

use innkeeper_protocol::call::{PlannedCommit, PlannedEffect, WriteMode};
use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::limits::{LimitKind, Limits};
use innkeeper_protocol::path::WorkspacePath;
use innkeeper_protocol::port::{FileChange, Guard};
use innkeeper_text::measure;

use crate::read_state::ReadState;

/// A file as this call will leave it.
#[derive(Debug, Clone)]
pub(crate) struct StagedFile {
    /// The text, or none when the file goes.
    pub(crate) content: Option<String>,
    /// Digest of what was there before the call; none when nothing was.
    base: Option<Sha256>,
}

/// How a staged change came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChangeBasis {
    Rewrite,
    Append,
    Patch { replacements: u32 },
}

/// What a staged change results in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StagedInfo {
    pub(crate) sha256: Sha256,
    pub(crate) is_blank: bool,
    pub(crate) chars: u32,
    pub(crate) words: u32,
}

/// Everything that one call planned.
#[derive(Debug, Default)]
pub(crate) struct Staging {
    files: HashMap<WorkspacePath, StagedFile>,
    order: Vec<WorkspacePath>,
    effects: Vec<PlannedEffect>,
    /// What the invocation will know of files once the call has succeeded; none where it will know nothing.
    read_states: HashMap<WorkspacePath, Option<ReadState>>,
    written_bytes: u64,
    has_request: bool,
    skill_chars: u32,
}

impl Staging {
    /// The file as staged by this call, if it was.
    pub(crate) fn file(&self, path: &WorkspacePath) -> Option<&StagedFile> {
        self.files.get(path)
    }

    /// What this call will have made of the read-state, if anything.
    pub(crate) fn read_state(&self, path: &WorkspacePath) -> Option<Option<&ReadState>> {
        self.read_states.get(path).map(Option::as_ref)
    }

    /// Notes what the invocation will know of a file.
    pub(crate) fn note_read_state(&mut self, path: WorkspacePath, state: ReadState) {
        self.read_states.insert(path, Some(state));
    }

    /// Stages a new content over `before` (the digest of the file as this call sees it; none when there is none).
    ///
    /// # Errors
    /// The write limit, when this is one file or one byte too many.
    pub(crate) fn stage_write(
        &mut self,
        path: &WorkspacePath,
        content: String,
        before: Option<&Sha256>,
        basis: ChangeBasis,
        limits: &Limits,
    ) -> Result<StagedInfo, LimitKind> {
        self.charge(path, content.len() as u64, limits)?;
        let metrics = measure(&content);
        let info = StagedInfo {
            sha256: Sha256::of(content.as_bytes()),
            is_blank: content.trim().is_empty(),
            chars: metrics.chars,
            words: metrics.words,
        };
        self.effects.push(write_effect(path, &info, before, basis));
        self.put(path, Some(content), before);
        Ok(info)
    }

    /// Stages a removal of a file with this digest.
    ///
    /// # Errors
    /// The write limit, when this is one file too many.
    pub(crate) fn stage_remove(
        &mut self,
        path: &WorkspacePath,
        before: &Sha256,
        limits: &Limits,
    ) -> Result<(), LimitKind> {
        self.charge(path, 0, limits)?;
        self.effects.push(PlannedEffect::Delete {
            path: path.clone(),
            old_sha256: before.clone(),
        });
        self.put(path, None, Some(before));
        self.read_states.insert(path.clone(), None);
        Ok(())
    }

    /// Stages a commit or a finish; one request a call.
    pub(crate) fn stage_request(&mut self, effect: PlannedEffect) -> bool {
        if self.has_request {
            return false;
        }
        self.has_request = true;
        self.effects.push(effect);
        true
    }

    /// Whether a commit or finish was asked for already.
    pub(crate) fn has_request(&self) -> bool {
        self.has_request
    }

    /// Counts characters of skills that this call shows.
    pub(crate) fn charge_skill_chars(&mut self, chars: u32) {
        self.skill_chars = self.skill_chars.saturating_add(chars);
    }

    /// Characters of skills that this call has shown so far.
    pub(crate) fn skill_chars(&self) -> u32 {
        self.skill_chars
    }

    fn charge(&mut self, path: &WorkspacePath, bytes: u64, limits: &Limits) -> Result<(), LimitKind> {
        let is_new = !self.files.contains_key(path);
        if is_new && self.files.len() as u64 >= limits.write_files {
            return Err(LimitKind::Write);
        }
        let total = self.written_bytes.saturating_add(bytes);
        if total > limits.write_bytes {
            return Err(LimitKind::Write);
        }
        self.written_bytes = total;
        Ok(())
    }

    fn put(&mut self, path: &WorkspacePath, content: Option<String>, before: Option<&Sha256>) {
        match self.files.get_mut(path) {
            Some(staged) => staged.content = content,
            None => {
                self.order.push(path.clone());
                self.files.insert(
                    path.clone(),
                    StagedFile {
                        content,
                        base: before.cloned(),
                    },
                );
            }
        }
    }

    /// Takes the plan apart for whoever applies it.
    pub(crate) fn finish(self) -> StagedChanges {
        let Self {
            mut files,
            order,
            effects,
            read_states,
            skill_chars,
            ..
        } = self;
        let changes = order
            .into_iter()
            .filter_map(|path| {
                let staged = files.remove(&path)?;
                let guard = staged.base.map_or(Guard::MustNotExist, Guard::MustMatch);
                // Made and removed again by the same call: nothing to do.
                (staged.content.is_some() || guard != Guard::MustNotExist).then_some(FileChange {
                    path,
                    content: staged.content,
                    guard,
                })
            })
            .collect();
        StagedChanges {
            changes,
            effects,
            read_states,
            skill_chars,
        }
    }
}

fn write_effect(path: &WorkspacePath, info: &StagedInfo, before: Option<&Sha256>, basis: ChangeBasis) -> PlannedEffect {
    let (path, sha256) = (path.clone(), info.sha256.clone());
    let (chars, words, is_blank) = (info.chars, info.words, info.is_blank);
    match (basis, before) {
        (ChangeBasis::Patch { replacements }, Some(old)) => PlannedEffect::Patch {
            path,
            chars,
            words,
            old_sha256: old.clone(),
            sha256,
            replacements,
            is_blank,
        },
        (ChangeBasis::Append, _) => PlannedEffect::Write {
            path,
            mode: WriteMode::Append,
            chars,
            words,
            sha256,
            is_blank,
        },
        _ => PlannedEffect::Write {
            path,
            mode: WriteMode::Replace,
            chars,
            words,
            sha256,
            is_blank,
        },
    }
}

/// The plan of a call that has replied: to be applied all at once, or dropped.
#[derive(Debug, Default)]
pub struct StagedChanges {
    /// One change per file, guarded by what the call was based on.
    pub changes: Vec<FileChange>,
    /// What happens, in the order in which the tool asked for it.
    pub effects: Vec<PlannedEffect>,
    pub(crate) read_states: HashMap<WorkspacePath, Option<ReadState>>,
    pub(crate) skill_chars: u32,
}

impl StagedChanges {
    /// The commit that was asked for, if one was.
    #[must_use]
    pub fn commit(&self) -> Option<&PlannedCommit> {
        self.effects.iter().find_map(|effect| match effect {
            PlannedEffect::Commit(planned) => Some(planned),
            _ => None,
        })
    }
}
