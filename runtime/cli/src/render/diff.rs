//! Files that differ: as a diff, as the question before a rollback, and as what a rollback did.

use innkeeper::RollbackQuestion;
use innkeeper::protocol::event::{ChangeKind, PersistentChange};
use innkeeper::protocol::view::{FileDiff, RollbackOutcome, RunDiff};

use super::paint::Paint;
use super::text::{counted, plain};

/// Files that a question lists; of more it gives the number, so that the question itself stays in sight.
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

/// What a person reads before agreeing to a rollback.
pub(crate) fn rollback_question(question: &RollbackQuestion, paint: Paint) -> String {
    let head = format!(
        "Bring the workspace of {} back to {}?",
        question.run_id, question.checkpoint_id
    );
    let mut lines = vec![paint.strong(&head)];
    let is_unsaved = |change: &PersistentChange| question.unsaved.contains(&change.path);
    lines.extend(question.changes.iter().take(MAX_LISTED).map(|change| {
        let by_hand = if is_unsaved(change) {
            paint.odd("  changed since the last checkpoint")
        } else {
            String::new()
        };
        format!("  {}{by_hand}", change_line(change, paint))
    }));
    lines.extend(more(question.changes.len()));
    if question.changes.is_empty() {
        lines.push("  No file differs.".to_owned());
    }
    lines.push("What is there now is kept in a checkpoint first.".to_owned());
    lines.join("\n")
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
    use innkeeper::protocol::approval::ApprovalId;
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

    fn question(changes: Vec<PersistentChange>) -> RollbackQuestion {
        RollbackQuestion {
            run_id: RunId::parse("run_1").unwrap(),
            rollback_id: "rollback_1".to_owned(),
            approval_id: ApprovalId::parse("approval_1").unwrap(),
            checkpoint_id: CheckpointId::parse("cp_000003").unwrap(),
            unsaved: vec![WorkspacePath::parse("output/main.md").unwrap()],
            changes,
        }
    }

    #[test]
    fn a_question_names_every_file_and_what_was_changed_by_hand() {
        let changes = vec![
            change("output/main.md", ChangeKind::Modified),
            change("plan/new.md", ChangeKind::Deleted),
        ];
        let text = rollback_question(&question(changes), Paint::new(false));
        let expected = "Bring the workspace of run_1 back to cp_000003?\n  M output/main.md  changed since the last checkpoint\n  \
                        D plan/new.md\nWhat is there now is kept in a checkpoint first.";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_long_question_says_how_much_more_there_is() {
        let changes = (0..43)
            .map(|n| change(&format!("output/{n:02}"), ChangeKind::Added))
            .collect();
        let text = rollback_question(&question(changes), Paint::new(false));
        assert!(text.contains("  A output/39\n  and 3 more\n"), "{text}");
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
