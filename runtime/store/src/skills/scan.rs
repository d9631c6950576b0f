//! Looking for skills in a folder, level by level and in byte order, within limits.
//!
//! A folder that is a skill is not searched further: a `SKILL.md` deeper in it is one of its files. Folders whose names begin with a dot
//! are not searched.

use std::collections::VecDeque;

use innkeeper_protocol::path::WorkspacePath;
use innkeeper_protocol::skill::SkillScope;

use super::load::{Origin, Skill, load, unusable};
use super::place::Place;
use super::problem::{SkillIssue, SkillProblem};
use crate::tree::{Kind, TreeError};

/// How many levels below a named folder are searched: collections keep skills at most in a folder of a folder or two.
pub const MAX_SCAN_DEPTH: usize = 5;

/// The most folders that one search looks into, so that a search that starts at the wrong folder ends.
pub const MAX_SCANNED_FOLDERS: usize = 2_000;

/// How far a search goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// The folder itself, else whatever is below it.
    Below,
    /// The folder's own folders; each should be a skill.
    Children,
}

/// What is searched, and how.
#[derive(Debug, Clone, Copy)]
pub(super) struct Search<'a> {
    pub(super) place: &'a Place,
    /// What the searched folder is called.
    pub(super) name: &'a str,
    pub(super) scope: SkillScope,
    pub(super) reach: Reach,
}

/// What a search found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// One for each name.
    pub(super) skills: Vec<Skill>,
    pub(super) issues: Vec<SkillIssue>,
}

/// Looks for skills.
///
/// # Errors
/// When the searched folder itself cannot be read. What is wrong below it is an issue.
pub(super) fn scan(search: Search<'_>) -> Result<Found, TreeError> {
    let mut scanner = Scanner {
        search,
        waiting: VecDeque::from([None]),
        left: MAX_SCANNED_FOLDERS,
        candidates: Vec::new(),
        issues: Vec::new(),
    };
    while let Some(folder) = scanner.waiting.pop_front() {
        let Some(left) = scanner.left.checked_sub(1) else {
            scanner.note(
                None,
                SkillProblem::SearchCut {
                    limit: MAX_SCANNED_FOLDERS,
                },
            );
            break;
        };
        scanner.left = left;
        scanner.visit(folder)?;
    }
    Ok(scanner.finish())
}

/// A skill, and where it was found.
struct Candidate {
    skill: Skill,
    folder: Option<WorkspacePath>,
    /// The folder's name and the skill's are equal.
    is_at_home: bool,
}

struct Scanner<'a> {
    search: Search<'a>,
    /// Folders to look into; the searched one is `None`.
    waiting: VecDeque<Option<WorkspacePath>>,
    left: usize,
    candidates: Vec<Candidate>,
    issues: Vec<SkillIssue>,
}

impl Scanner<'_> {
    fn visit(&mut self, folder: Option<WorkspacePath>) -> Result<(), TreeError> {
        let place = match &folder {
            None => Some(self.search.place.clone()),
            Some(path) => self.search.place.at(path),
        };
        let Some(place) = place else { return Ok(()) };
        if folder.is_some() || self.search.reach == Reach::Below {
            match place.main_file() {
                Ok(Some(main)) => {
                    self.take(folder, place, main);
                    return Ok(());
                }
                Ok(None) => {}
                Err(error) if folder.is_none() && error.is_fault() => return Err(error),
                Err(error) => {
                    self.note(folder, unusable(&error));
                    return Ok(());
                }
            }
        }
        self.descend(folder)
    }

    fn take(&mut self, folder: Option<WorkspacePath>, place: Place, main: WorkspacePath) {
        let folder_name = folder
            .as_ref()
            .map_or(self.search.name, WorkspacePath::file_name)
            .to_owned();
        let origin = Origin {
            folder_name: &folder_name,
            scope: self.search.scope,
        };
        match load(place, main, origin) {
            Ok((skill, remarks)) => {
                for remark in remarks {
                    self.note(folder.clone(), remark);
                }
                let is_at_home = skill.summary.name == folder_name;
                self.candidates.push(Candidate {
                    skill,
                    folder,
                    is_at_home,
                });
            }
            Err(problem) => self.note(folder, problem),
        }
    }

    /// Puts the folders of a folder that is no skill in line.
    fn descend(&mut self, folder: Option<WorkspacePath>) -> Result<(), TreeError> {
        let depth = folder.as_ref().map_or(0, |path| path.components().count());
        if self.search.reach == Reach::Children && depth > 0 {
            self.note(folder, SkillProblem::NoMainFile);
            return Ok(());
        }
        if depth >= MAX_SCAN_DEPTH {
            return Ok(());
        }
        let children = match self
            .search
            .place
            .children(folder.as_ref(), MAX_SCANNED_FOLDERS.saturating_add(1))
        {
            Ok(children) => children,
            Err(error) if folder.is_none() => return Err(error),
            Err(error) => {
                self.note(folder, unusable(&error));
                return Ok(());
            }
        };
        let folders = children
            .entries
            .into_iter()
            .filter(|(_, kind)| *kind == Kind::Directory);
        let shown = folders.filter(|(path, _)| !path.file_name().starts_with('.'));
        self.waiting.extend(shown.map(|(path, _)| Some(path)));
        if children.skipped > 0 {
            self.note(
                folder,
                SkillProblem::PassedOver {
                    count: children.skipped,
                },
            );
        }
        Ok(())
    }

    fn note(&mut self, folder: Option<WorkspacePath>, problem: SkillProblem) {
        self.issues.push(SkillIssue {
            scope: self.search.scope,
            folder: label(folder.as_ref()),
            problem,
        });
    }

    /// Keeps one skill of each name: the one whose folder has the name, else the first in byte order.
    fn finish(mut self) -> Found {
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.sort_by(|one, other| {
            let key = |candidate: &Candidate| (!candidate.is_at_home, candidate.folder.clone());
            (&one.skill.summary.name, key(one)).cmp(&(&other.skill.summary.name, key(other)))
        });
        let mut kept: Vec<Candidate> = Vec::with_capacity(candidates.len());
        for candidate in candidates {
            let twin = kept
                .last()
                .filter(|last| last.skill.summary.name == candidate.skill.summary.name);
            match twin.map(|twin| label(twin.folder.as_ref())) {
                None => kept.push(candidate),
                Some(kept) => self.note(
                    candidate.folder,
                    SkillProblem::Duplicate {
                        name: candidate.skill.summary.name,
                        kept,
                    },
                ),
            }
        }
        if kept.is_empty() && self.issues.is_empty() && self.search.reach == Reach::Below {
            self.note(None, SkillProblem::NoSkills);
        }
        Found {
            skills: kept.into_iter().map(|candidate| candidate.skill).collect(),
            issues: self.issues,
        }
    }
}

fn label(folder: Option<&WorkspacePath>) -> String {
    folder.map_or_else(|| ".".to_owned(), WorkspacePath::to_string)
}

#[cfg(test)]
mod tests;
