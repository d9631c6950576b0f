//! Files that differ: as a diff, and as what a rollback did.

use innkeeper::protocol::event::{ChangeKind, PersistentChange};
use innkeeper::protocol::view::{FileDiff, RollbackOutcome, RunDiff};

use super::paint::Paint;
use super::text::{counted, plain};

/// Files that are listed; of more the number is given, so that what was done stays in sight.
const MAX_LISTED: usize = 40;

/// Every file that differs, each with its diff.
pub(crate) fn diff_text(diff: &RunDiff, paint: Paint) -> String {
    let files: Vec<String> = diff.files.iter().map(|file| file_text(file, paint)).collect();
    files.join("\n")
}

fn file_text(file: &FileDiff, paint: Paint) -> String {
    let path = plain(file.path.as_str());
    let counts = format!("+{} -{}", file.added_lines, file.removed_lines);
    match &file.diff {
        None => format!(
            "{} {path}  {}",
            sign(file.kind, paint),
            paint.dim("(no text to compare)")
        ),
        Some(diff) => {
            let head = format!("{} {path}  {}", sign(file.kind, paint), paint.dim(&counts));
            // The first two lines name the file once more, for programs.
            let body = diff.lines().skip(2).map(|line| diff_line(line, paint));
            std::iter::once(head).chain(body).collect::<Vec<_>>().join("\n")
        }
    }
}

fn diff_line(line: &str, paint: Paint) -> String {
    let shown = plain(line);
    match line.chars().next() {
        Some('+') => paint.good(&shown),
        Some('-') => paint.bad(&shown),
        Some('@' | '\\') => paint.dim(&shown),
        _ => shown,
    }
}

fn sign(kind: ChangeKind, paint: Paint) -> String {
    match kind {
        ChangeKind::Added => paint.good("A"),
        ChangeKind::Modified => paint.odd("M"),
        ChangeKind::Deleted => paint.bad("D"),
    }
}

/// What a rollback did.
pub(crate) fn rollback_text(outcome: &RollbackOutcome, paint: Paint) -> String {
    let count = u32::try_from(outcome.changes.len()).unwrap_or(u32::MAX);
    let mut lines = vec![format!(
        "{} to {}, {}",
        paint.good("rolled back"),
        outcome.checkpoint_id,
        counted(count, "file")
    )];
    let changes = outcome.changes.iter().take(MAX_LISTED);
    lines.extend(changes.map(|change| format!("  {}", change_line(change, paint))));
    lines.extend(more(outcome.changes.len()));
    lines.push(format!(
        "The state before is checkpoint {}.",
        outcome.safety_checkpoint_id
    ));
    lines.join("\n")
}

fn change_line(change: &PersistentChange, paint: Paint) -> String {
    format!("{} {}", sign(change.kind, paint), plain(change.path.as_str()))
}

fn more(count: usize) -> Option<String> {
    let rest = count.checked_sub(MAX_LISTED).filter(|rest| *rest > 0)?;
    Some(format!("  and {rest} more"))
}

#[cfg(test)]
mod tests {
    use innkeeper::protocol::digest::Sha256;
    use innkeeper::protocol::id::{CheckpointId, RunId};
    use innkeeper::protocol::path::WorkspacePath;

    use super::*;

    fn change(path: &str, kind: ChangeKind) -> PersistentChange {
        PersistentChange {
            path: WorkspacePath::parse(path).unwrap(),
            kind,
            sha256: Sha256::of(b""),
        }
    }

    #[test]
    fn a_long_rollback_says_how_many_more_files_there_are() {
        let changes = (0..43).map(|n| change(&format!("output/{n:02}"), ChangeKind::Added));
        let checkpoint = |id: &str| CheckpointId::parse(id).unwrap();
        let outcome = RollbackOutcome {
            run_id: RunId::parse("run_1").unwrap(),
            rollback_id: "rollback_1".to_owned(),
            checkpoint_id: checkpoint("cp_000003"),
            safety_checkpoint_id: checkpoint("cp_000004"),
            changes: changes.collect(),
        };
        let text = rollback_text(&outcome, Paint::new(false));
        assert!(
            text.starts_with("rolled back to cp_000003, 43 files\n  A output/00\n"),
            "{text}"
        );
        assert!(
            text.ends_with("  A output/39\n  and 3 more\nThe state before is checkpoint cp_000004."),
            "{text}"
        );
    }

    #[test]
    fn a_diff_cannot_drive_the_terminal() {
        let file = FileDiff {
            path: WorkspacePath::parse("output/a.md").unwrap(),
            kind: ChangeKind::Added,
            old_sha256: None,
            new_sha256: Some(Sha256::of(b"")),
            added_lines: 1,
            removed_lines: 0,
            diff: Some("--- /dev/null\n+++ b/output/a.md\n@@ -0,0 +1 @@\n+\u{1b}[2Jx\n".to_owned()),
        };
        let text = file_text(&file, Paint::new(false));
        assert!(text.starts_with("A output/a.md  +1 -0\n@@ -0,0 +1 @@\n+"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}
