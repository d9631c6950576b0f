//! The host's own words to the model, where carrying out a reply failed.

use innkeeper_protocol::call::{PlannedEffect, ToolError};
use innkeeper_protocol::port::{ApplyError, FileProblem};

/// A reply whose changes could not be applied; none of them was.
pub(crate) fn not_applied(error: &ApplyError, effects: &[PlannedEffect]) -> ToolError {
    let patches = effects
        .iter()
        .any(|effect| matches!(effect, PlannedEffect::Patch { .. }));
    match error {
        ApplyError::Conflict { path, actual: Some(_) } => {
            let code = if patches {
                "workspace.patch_stale_file"
            } else {
                "workspace.write_stale_file"
            };
            ToolError::new(
                code,
                format!(
                    "{path} was changed by someone else while this call worked, so nothing was written. Read it again with workspace_read_file, then make the change on what it says now."
                ),
            )
        }
        ApplyError::Conflict { path, actual: None } => {
            let code = if patches {
                "workspace.patch_stale_file"
            } else {
                "workspace.write_stale_file"
            };
            ToolError::new(
                code,
                format!(
                    "{path} was removed while this call worked, so nothing was written. List the folder with workspace_list_files; to make the file again, write it whole with workspace_write_file."
                ),
            )
        }
        ApplyError::Problem { path, problem } => ToolError::new(
            problem_code(problem),
            format!("{path} could not be written: {problem}. Nothing was written. Choose another path."),
        ),
        ApplyError::Fault(error) => ToolError::new(error.code, error.message.clone()),
    }
}

fn problem_code(problem: &FileProblem) -> &'static str {
    match problem {
        FileProblem::Invalid(_) => "workspace.invalid_path",
        FileProblem::NotFound => "workspace.file_not_found",
        FileProblem::IsDirectory => "workspace.path_is_directory",
        FileProblem::NotText => "workspace.file_not_text",
        FileProblem::TooLarge(_) => "workspace.file_too_large",
        FileProblem::NameConflict(_) => "workspace.name_conflict",
    }
}
