//! Two texts as a unified diff, and the room that all diffs share.

use std::time::Duration;

use innkeeper_protocol::event::ChangeKind;
use innkeeper_protocol::path::WorkspacePath;
use similar::{ChangeTag, TextDiff};

/// Unchanged lines around a change.
const CONTEXT_LINES: usize = 3;
/// After this time the rest is told as replaced: texts can be made for which the shortest diff takes very long.
const PATIENCE: Duration = Duration::from_millis(500);
/// How a side is called that has no file.
const NO_FILE: &str = "/dev/null";

/// A text's changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineDiff {
    /// Unified, with a head of two lines; empty where only the file's existence differs.
    pub(super) text: String,
    pub(super) added: u32,
    pub(super) removed: u32,
}

impl LineDiff {
    pub(super) fn new(path: &WorkspacePath, kind: ChangeKind, old: &str, new: &str) -> Self {
        let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(old, new);
        let count = |tag| diff.iter_all_changes().filter(|change| change.tag() == tag).count();
        let saturate = |count| u32::try_from(count).unwrap_or(u32::MAX);
        let name = |side: &str, is_missing: bool| {
            if is_missing {
                NO_FILE.to_owned()
            } else {
                format!("{side}/{path}")
            }
        };
        let (from, to) = (
            name("a", kind == ChangeKind::Added),
            name("b", kind == ChangeKind::Deleted),
        );
        Self {
            text: diff
                .unified_diff()
                .context_radius(CONTEXT_LINES)
                .header(&from, &to)
                .to_string(),
            added: saturate(count(ChangeTag::Insert)),
            removed: saturate(count(ChangeTag::Delete)),
        }
    }
}

/// The characters that are left for diffs.
#[derive(Debug)]
pub(super) struct Budget {
    left: usize,
    exceeded: bool,
}

impl Budget {
    pub(super) const fn new(max_chars: usize) -> Self {
        Self {
            left: max_chars,
            exceeded: false,
        }
    }

    /// As many whole lines of a diff as there is room for; none when that is not even one. After the first cut there is no room for
    /// others: a later diff that happens to fit would look as if nothing was missing before it.
    pub(super) fn take(&mut self, text: String) -> Option<String> {
        let chars = text.chars().count();
        if chars <= self.left {
            self.left = self.left.saturating_sub(chars);
            return Some(text);
        }
        let mut kept = String::new();
        for line in text.split_inclusive('\n') {
            let chars = line.chars().count();
            if chars > self.left {
                break;
            }
            self.left = self.left.saturating_sub(chars);
            kept.push_str(line);
        }
        self.left = 0;
        self.exceeded = true;
        (!kept.is_empty()).then_some(kept)
    }

    pub(super) const fn is_exceeded(&self) -> bool {
        self.exceeded
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn diff(kind: ChangeKind, old: &str, new: &str) -> LineDiff {
        LineDiff::new(&WorkspacePath::parse("output/a.md").unwrap(), kind, old, new)
    }

    #[test]
    fn a_diff_is_unified_with_three_lines_around() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let found = diff(
            ChangeKind::Modified,
            old,
            &old.replace("5\n", "five\nfive and a half\n"),
        );
        let text = "--- a/output/a.md\n+++ b/output/a.md\n@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-5\n+five\n+five and a half\n 6\n 7\n 8\n";
        let expected = LineDiff {
            text: text.to_owned(),
            added: 2,
            removed: 1,
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn a_side_without_a_file_and_a_line_without_an_end_are_told() {
        let text = diff(ChangeKind::Added, "", "x").text;
        assert_eq!(
            text,
            "--- /dev/null\n+++ b/output/a.md\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n"
        );
        let gone = diff(ChangeKind::Deleted, "x\n", "");
        assert!(
            gone.text.starts_with("--- a/output/a.md\n+++ /dev/null\n"),
            "{}",
            gone.text
        );
    }

    #[test]
    fn the_room_is_used_by_whole_lines_and_never_after_a_cut() {
        let mut budget = Budget::new(10);
        let taken = ["aaaa\n", "bb\nbbbb\n", "c"].map(|text| budget.take(text.to_owned()));
        assert_eq!(taken, [Some("aaaa\n".to_owned()), Some("bb\n".to_owned()), None]);
        assert!(budget.is_exceeded());
    }

    proptest! {
        #[test]
        fn counts_are_those_of_the_lines_in_the_diff(old in "([abc]\n){0,12}", new in "([abc]\n){0,12}") {
            let found = diff(ChangeKind::Modified, &old, &new);
            let body: Vec<&str> = found.text.lines().skip(2).collect();
            let count = |sign| u32::try_from(body.iter().filter(|line| line.starts_with(sign)).count()).unwrap();
            prop_assert_eq!((found.added, found.removed), (count('+'), count('-')));
            let grown = i64::try_from(new.lines().count()).unwrap() - i64::try_from(old.lines().count()).unwrap();
            prop_assert_eq!(i64::from(found.added) - i64::from(found.removed), grown);
        }
    }
}
