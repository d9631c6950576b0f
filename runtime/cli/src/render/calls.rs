//! The result of one call on a bench: what a model would read, then what happened and what it cost.

use innkeeper::BenchResult;
use innkeeper::protocol::call::{CommitMode, PlannedEffect, WriteMode};

use super::paint::Paint;
use super::text::{counted, plain, plain_lines};

/// The result as a text of several lines.
pub(crate) fn call_text(result: &BenchResult, paint: Paint) -> String {
    let mut lines = vec![plain_lines(&result.model_text), String::new()];
    lines.extend(
        result
            .effects
            .iter()
            .map(|effect| format!("{} {}", paint.good("\u{2192}"), effect_text(effect))),
    );
    let outcome = match &result.error_code {
        Some(code) => paint.bad(&format!("\u{2717} {}", plain(code))),
        None => paint.good("\u{2713}"),
    };
    let usage = &result.usage;
    let cost = format!(
        "{}  {}  {} memory  {} host calls  {} out",
        result.tool_id,
        micros(usage.wall_micros),
        bytes(usage.peak_memory_bytes),
        usage.host_calls,
        bytes(usage.output_bytes),
    );
    lines.push(format!("{outcome} {}", paint.dim(&cost)));
    lines.join("\n")
}

/// What a reply's effect does, in words.
fn effect_text(effect: &PlannedEffect) -> String {
    match effect {
        PlannedEffect::Write {
            path,
            mode: WriteMode::Replace,
            chars,
            words,
            ..
        } => {
            format!(
                "wrote {path} ({}, {})",
                counted(*chars, "character"),
                counted(*words, "word")
            )
        }
        PlannedEffect::Write {
            path,
            mode: WriteMode::Append,
            chars,
            words,
            ..
        } => {
            format!(
                "appended to {path} (now {}, {})",
                counted(*chars, "character"),
                counted(*words, "word")
            )
        }
        PlannedEffect::Patch {
            path,
            replacements,
            chars,
            ..
        } => {
            format!(
                "patched {path} in {} (now {})",
                counted(*replacements, "place"),
                counted(*chars, "character")
            )
        }
        PlannedEffect::Delete { path, .. } => format!("removed {path}"),
        PlannedEffect::Commit(commit) => {
            let mode = match commit.mode {
                CommitMode::Replace => "replacing",
                CommitMode::Append => "appending to",
            };
            let size = counted(commit.chars, "character");
            format!(
                "would commit {}, {mode} the run's message ({size}); not carried out here",
                commit.path
            )
        }
        PlannedEffect::Finish { .. } => "would finish the run; not carried out here".to_owned(),
    }
}

/// Microseconds in milliseconds.
pub(super) fn micros(micros: u64) -> String {
    format!("{}.{} ms", micros / 1_000, micros % 1_000 / 100)
}

/// Bytes in the unit that people expect.
pub(super) fn bytes(count: u64) -> String {
    const KIB: u64 = 1024;
    match count {
        0..KIB => format!("{count} B"),
        KIB..1_048_576 => format!("{} KiB", count / KIB),
        _ => format!("{} MiB", count / KIB / KIB),
    }
}

#[cfg(test)]
mod tests {
    use innkeeper::protocol::call::{Block, PlannedCommit};
    use innkeeper::protocol::digest::Sha256;
    use innkeeper::protocol::id::{CallId, ToolId};
    use innkeeper::protocol::limits::Usage;
    use innkeeper::protocol::path::WorkspacePath;

    use super::*;

    fn result() -> BenchResult {
        let text = "Committed output/main.md.".to_owned();
        BenchResult {
            call_id: CallId::parse("call_1").unwrap(),
            tool_id: ToolId::parse("builtin:workspace.commit").unwrap(),
            is_error: false,
            error_code: None,
            model_text: text.clone(),
            content: vec![Block::Text { text }],
            structured: None,
            resource_refs: Vec::new(),
            effects: vec![PlannedEffect::Commit(PlannedCommit {
                path: WorkspacePath::parse("output/main.md").unwrap(),
                mode: CommitMode::Replace,
                reason: None,
                chars: 120,
                words: 20,
                sha256: Sha256::of(b""),
            })],
            usage: Usage {
                wall_micros: 1_250,
                peak_memory_bytes: 1_179_648,
                host_calls: 3,
                output_bytes: 2_050,
            },
        }
    }

    #[test]
    fn a_result_shows_text_effects_and_cost() {
        insta::assert_snapshot!(call_text(&result(), Paint::new(false)));
    }

    #[test]
    fn an_error_shows_its_code() {
        let failed = BenchResult {
            is_error: true,
            error_code: Some("workspace.file_not_found".into()),
            model_text: "## Tool error\n\nThere is no file a.md.".into(),
            effects: Vec::new(),
            ..result()
        };
        insta::assert_snapshot!(call_text(&failed, Paint::new(false)));
    }
}
