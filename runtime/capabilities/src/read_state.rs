//! What an invocation has been shown of which version of which file. Pure bookkeeping.
//!
//! A search hit, a listing or a read for the tool's own use counts for nothing; only shown text does.

use std::collections::HashMap;

use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::path::WorkspacePath;

/// First and last number of a run of lines.
pub(crate) type LineRun = (u32, u32);

/// Positions of a text that were shown: half-open ranges, sorted, apart from each other. A text of `n` characters has the positions
/// `0..=n`; the last one stands for the end, which an empty last line is seen by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Shown(Vec<(u32, u32)>);

impl Shown {
    /// Adds a range; nothing is ever taken away.
    pub(crate) fn add(&mut self, start: u32, end: u32) {
        if start >= end {
            return;
        }
        let mut merged = (start, end);
        let mut kept = Vec::with_capacity(self.0.len() + 1);
        for &(from, to) in &self.0 {
            if to < merged.0 || from > merged.1 {
                kept.push((from, to));
            } else {
                merged = (merged.0.min(from), merged.1.max(to));
            }
        }
        kept.push(merged);
        kept.sort_unstable();
        self.0 = kept;
    }

    fn covers(&self, start: u32, end: u32) -> bool {
        self.0.iter().any(|&(from, to)| from <= start && end <= to)
    }
}

/// The part of a text that one page showed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ShownPart {
    /// First position.
    pub(crate) start: u32,
    /// First position after the part.
    pub(crate) end: u32,
    /// Whether whole lines were shown, so that the place where the last one ends counts too.
    pub(crate) whole_lines: bool,
}

impl ShownPart {
    /// The range of positions, in a text of so many characters.
    fn positions(self, total_chars: u32) -> (u32, u32) {
        let reaches_end = self.end >= total_chars;
        let end = if self.whole_lines || reaches_end {
            self.end.saturating_add(1)
        } else {
            self.end
        };
        (self.start, end)
    }
}

/// What is known of one version of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReadState {
    /// The version.
    pub(crate) sha256: Sha256,
    shown: Shown,
    missing: Vec<LineRun>,
}

impl ReadState {
    /// A version that this invocation wrote, or was shown whole.
    pub(crate) fn whole(sha256: Sha256) -> Self {
        Self {
            sha256,
            shown: Shown::default(),
            missing: Vec::new(),
        }
    }

    /// Whether every line was shown.
    pub(crate) fn is_whole(&self) -> bool {
        self.missing.is_empty()
    }

    /// Runs of lines that were not shown.
    pub(crate) fn missing(&self) -> &[LineRun] {
        &self.missing
    }

    /// What is known after one more page of this version was shown. `before` is what was known so far, of any version.
    pub(crate) fn after_page(before: Option<&Self>, sha256: &Sha256, text: &str, part: ShownPart) -> Self {
        let same = before.filter(|state| state.sha256 == *sha256);
        if let Some(state) = same.filter(|state| state.is_whole()) {
            return state.clone();
        }
        let mut shown = same.map(|state| state.shown.clone()).unwrap_or_default();
        let total = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
        let (start, end) = part.positions(total);
        shown.add(start, end);
        let missing = missing_lines(text, &shown);
        Self {
            sha256: sha256.clone(),
            shown,
            missing,
        }
    }
}

/// Runs of lines of which something was not shown. A line without characters is seen by its place.
fn missing_lines(text: &str, shown: &Shown) -> Vec<LineRun> {
    let mut runs: Vec<LineRun> = Vec::new();
    if text.is_empty() {
        return runs;
    }
    let mut start = 0_u32;
    for (number, line) in (1_u32..).zip(text.split('\n')) {
        let chars = u32::try_from(line.chars().count()).unwrap_or(u32::MAX);
        let end = start.saturating_add(chars);
        // The line feed after a line needs not be shown, so an empty line is looked for at its own place.
        if !shown.covers(start, end.max(start.saturating_add(u32::from(chars == 0)))) {
            match runs.last_mut() {
                Some(run) if run.1 + 1 == number => run.1 = number,
                _ => runs.push((number, number)),
            }
        }
        start = end.saturating_add(1);
    }
    runs
}

/// Read-states by file.
#[derive(Debug, Default)]
pub(crate) struct ReadStates(HashMap<WorkspacePath, ReadState>);

impl ReadStates {
    pub(crate) fn get(&self, path: &WorkspacePath) -> Option<&ReadState> {
        self.0.get(path)
    }

    pub(crate) fn set(&mut self, path: WorkspacePath, state: ReadState) {
        self.0.insert(path, state);
    }

    pub(crate) fn forget(&mut self, path: &WorkspacePath) {
        self.0.remove(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "one\n\nthree\n";

    fn page(before: Option<&ReadState>, start: u32, end: u32, whole_lines: bool) -> ReadState {
        ReadState::after_page(
            before,
            &Sha256::of(TEXT.as_bytes()),
            TEXT,
            ShownPart {
                start,
                end,
                whole_lines,
            },
        )
    }

    #[test]
    fn line_pages_add_up() {
        let first = page(None, 0, 4, true);
        assert_eq!(first.missing(), [(3, 4)]);
        let second = page(Some(&first), 5, 10, true);
        assert_eq!(second.missing(), [(4, 4)]);
        assert!(page(Some(&second), 11, 11, true).is_whole());
    }

    #[test]
    fn a_char_page_over_everything_shows_every_line() {
        assert!(page(None, 0, 11, false).is_whole());
        assert_eq!(page(None, 0, 10, false).missing(), [(4, 4)]);
        assert_eq!(page(None, 0, 2, false).missing(), [(1, 4)]);
    }

    #[test]
    fn a_cut_line_counts_only_for_its_shown_characters() {
        let first = page(None, 5, 7, false);
        assert_eq!(first.missing(), [(1, 4)]);
        let rest = page(Some(&first), 7, 10, false);
        assert_eq!(rest.missing(), [(1, 2), (4, 4)]);
    }

    #[test]
    fn another_version_starts_anew() {
        let old = ReadState::whole(Sha256::of(b"other"));
        assert_eq!(page(Some(&old), 0, 3, true).missing(), [(2, 4)]);
    }

    #[test]
    fn an_empty_file_is_shown_at_once() {
        let none = ReadState::after_page(
            None,
            &Sha256::of(b""),
            "",
            ShownPart {
                start: 0,
                end: 0,
                whole_lines: true,
            },
        );
        assert!(none.is_whole());
    }
}
