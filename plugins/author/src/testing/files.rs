//! The files of a test's world.
//!
//! Paths are compared as they are written. Digests are not computed: they only have to differ when the text does.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::World;
use crate::host::workspace::{
    Entry, Kind, Listing, Page, PathError, Root, ShowError, Span, Staged, TextFile, WriteError,
};

/// The roots that a run has.
const ROOTS: [&str; 5] = ["output", "scratch", "plan", "summaries", "persist"];

/// Stands for a digest.
fn digest(text: &str) -> String {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    format!("{:064x}", hasher.finish())
}

fn count(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn words(text: &str) -> u32 {
    count(text.split_whitespace().count())
}

/// Whether a path lies in one of the roots.
fn check(path: &str) -> Result<(), PathError> {
    match path.split_once('/') {
        Some((root, rest)) if ROOTS.contains(&root) && !rest.is_empty() => Ok(()),
        _ => Err(PathError::NotVisible),
    }
}

impl World {
    pub(crate) fn roots(&self) -> Vec<Root> {
        let root = |name: &str| Root {
            name: name.to_owned(),
            writable: true,
        };
        ROOTS.into_iter().map(root).collect()
    }

    pub(crate) fn list(&self, path: &str, depth: u32, limit: u32) -> Result<Listing, PathError> {
        let above = if path.is_empty() {
            String::new()
        } else {
            format!("{path}/")
        };
        let below: Vec<(&str, &String)> = self
            .files
            .iter()
            .filter_map(|(file, text)| Some((file.strip_prefix(&above)?, text)))
            .collect();
        if below.is_empty() && !path.is_empty() && !ROOTS.contains(&path) {
            return Err(PathError::NotFound);
        }
        let deep_enough = |inside: &str| inside.matches('/').count() <= depth as usize;
        let folders: BTreeSet<&str> = below
            .iter()
            .flat_map(|(inside, _)| inside.match_indices('/').filter_map(|(at, _)| inside.get(..at)))
            .filter(|folder| deep_enough(folder))
            .collect();
        let folders = folders
            .into_iter()
            .map(|folder| entry(&above, folder, Kind::Directory, 0));
        let files = below
            .into_iter()
            .filter(|(inside, _)| deep_enough(inside))
            .map(|(inside, text)| entry(&above, inside, Kind::File, text.len() as u64));
        let mut entries: Vec<Entry> = folders.chain(files).collect();
        let truncated = entries.len() > limit as usize;
        entries.truncate(limit as usize);
        Ok(Listing {
            entries,
            truncated,
            skipped: 0,
        })
    }

    pub(crate) fn read(&self, path: &str) -> Result<TextFile, PathError> {
        check(path)?;
        let text = self.files.get(path).ok_or(PathError::NotFound)?;
        Ok(TextFile {
            text: text.clone(),
            sha256: digest(text),
        })
    }

    pub(crate) fn show(&self, path: &str, span: Span, max_lines: u32, max_chars: u32) -> Result<Page, ShowError> {
        let text = self.read(path).map_err(ShowError::Path)?.text;
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let (total_lines, total_chars) = (count(lines.len()), count(text.chars().count()));
        let chars_before = |line: u32| count(lines.iter().take(line as usize).map(|line| line.chars().count()).sum());
        let (start, end) = match span {
            Span::All => (0, chars_before(max_lines)),
            Span::Lines(lines) if lines.start == 0 || lines.start > total_lines.max(1) || lines.count == Some(0) => {
                return Err(ShowError::Range((total_lines, total_chars)));
            }
            Span::Lines(lines) => {
                let first = lines.start.saturating_sub(1);
                let last = first.saturating_add(lines.count.unwrap_or(u32::MAX).min(max_lines));
                (chars_before(first), chars_before(last))
            }
            Span::Chars(chars) if chars.start > total_chars || chars.max == Some(0) => {
                return Err(ShowError::Range((total_lines, total_chars)));
            }
            Span::Chars(chars) => (chars.start, chars.start.saturating_add(chars.max.unwrap_or(u32::MAX))),
        };
        let end = end.min(start.saturating_add(max_chars)).min(total_chars);
        let shown: String = text
            .chars()
            .skip(start as usize)
            .take((end.saturating_sub(start)) as usize)
            .collect();
        let line_of = |at: u32| count(text.chars().take(at as usize).filter(|c| *c == '\n').count()).saturating_add(1);
        let ends_inside = end < total_chars;
        Ok(Page {
            total_words: words(&text),
            start_line: if text.is_empty() { 0 } else { line_of(start) },
            end_line: if text.is_empty() {
                0
            } else {
                line_of(end.saturating_sub(1))
            },
            next_start_line: ends_inside.then(|| line_of(end)),
            start_char: start,
            end_char: end,
            line_truncated: ends_inside && !shown.ends_with('\n') && !shown.contains('\n'),
            truncated: ends_inside || start > 0,
            fully_read: !ends_inside && start == 0,
            sha256: digest(&text),
            total_lines,
            total_chars,
            text: shown,
        })
    }

    pub(crate) fn open(&self, path: &str) -> Result<TextFile, WriteError> {
        self.read(path).map_err(WriteError::Path)
    }

    pub(crate) fn write(&mut self, path: &str, content: &str) -> Result<Staged, WriteError> {
        check(path).map_err(WriteError::Path)?;
        let created = self.files.insert(path.to_owned(), content.to_owned()).is_none();
        Ok(Staged {
            path: path.to_owned(),
            sha256: digest(content),
            chars: count(content.chars().count()),
            words: words(content),
            created,
        })
    }

    pub(crate) fn append(&mut self, path: &str, content: &str) -> Result<Staged, WriteError> {
        let present = self.files.get(path).cloned();
        let created = present.is_none();
        let staged = self.write(path, &(present.unwrap_or_default() + content))?;
        Ok(Staged { created, ..staged })
    }

    pub(crate) fn remove(&mut self, path: &str) -> Result<(), WriteError> {
        check(path).map_err(WriteError::Path)?;
        match self.files.remove(path) {
            Some(_) => Ok(()),
            None => Err(WriteError::Path(PathError::NotFound)),
        }
    }
}

fn entry(above: &str, inside: &str, kind: Kind, bytes: u64) -> Entry {
    Entry {
        path: format!("{above}{inside}"),
        kind,
        bytes,
    }
}
