//! The sentences of refusals for paths and missing files.
//!
//! Only wording: a path is said once, then the rule it breaks, then a call that would work.

use innkeeper_tool::{fixed_path, path_rule, quoted};

use crate::port::{PathError, Root};
use crate::refusal::Access;

/// The folder of stored results, which is never writable.
const STORED_RESULTS: &str = "tool-results";

pub(crate) fn path(access: Access, path: &str, error: &PathError) -> String {
    let given = path;
    let path = quoted(path);
    match error {
        PathError::Invalid(reason) => invalid(given, reason),
        PathError::NotVisible if access != Access::Target => not_visible(given, &[]),
        PathError::NotVisible | PathError::NotWritable => not_writable(given, &[]),
        PathError::NotFound if access == Access::Tree => format!(
            "There is nothing at {path}. workspace_list_files without a path shows what there is; call again with one of those paths."
        ),
        PathError::NotFound => file_missing(given, access == Access::Target),
        PathError::IsDirectory => {
            format!(
                "{path} is a directory, not a file. Call workspace_list_files with path {path} to see the files in it."
            )
        }
        PathError::NotADirectory => format!(
            "{path} cannot be used as a path: one of its folders is a file. Call workspace_list_files to see what is there, and choose \
             another path."
        ),
        PathError::NotText => format!(
            "{path} is not UTF-8 text, so it can be neither read nor changed with these tools. Use another file."
        ),
        PathError::TooLarge(bytes) => format!(
            "{path} is too large: {bytes} bytes, and a file may have 16 MiB (16777216 bytes). Split the text over several files."
        ),
        PathError::NameConflict(existing) => format!(
            "{path} differs only by upper and lower case or Unicode form from {}, which exists. Call again with that spelling, or \
             choose another name.",
            quoted(existing)
        ),
        PathError::ChildDenied(reason) => child_denied(access, &path, reason),
    }
}

fn invalid(path: &str, reason: &str) -> String {
    let rule = path_rule(reason);
    let fix = match fixed_path(path) {
        Some(fixed) => format!("Call again with path {}.", quoted(&fixed)),
        None => "Call again with a path inside a folder of the workspace, as \"plan/notes.md\"; workspace_list_files \
                 without a path shows what there is."
            .to_owned(),
    };
    format!("{} cannot be used as a path: {rule}. {fix}", quoted(path))
}

/// `roots`: the folders that can be seen, where they are known.
pub(crate) fn not_visible(path: &str, roots: &[Root]) -> String {
    let advice = match meant(path, roots.iter()) {
        Some(path) => format!("Case counts: call again with path {}.", quoted(&path)),
        None => "Call again with a path inside one of them.".to_owned(),
    };
    let known = if roots.is_empty() {
        "workspace_list_files without a path shows them".to_owned()
    } else {
        format!("they are {}", named(roots.iter()))
    };
    format!(
        "{} is outside the folders that you can see; {known}. {advice}",
        quoted(path)
    )
}

/// The path with the spelling of the root that it most likely means.
fn meant<'a>(path: &str, mut roots: impl Iterator<Item = &'a Root>) -> Option<String> {
    let (top, rest) = path.split_once('/').unwrap_or((path, ""));
    let root = roots.find(|root| root.name != top && root.name.to_lowercase() == top.to_lowercase())?;
    Some(match rest {
        "" => root.name.clone(),
        rest => format!("{}/{rest}", root.name),
    })
}

fn named<'a>(roots: impl Iterator<Item = &'a Root>) -> String {
    let named: Vec<String> = roots.map(|root| format!("{}/", root.name)).collect();
    named.join(", ")
}

/// `roots`: the folders that can be seen, where they are known.
pub(crate) fn not_writable(path: &str, roots: &[Root]) -> String {
    let why = match path.trim().trim_end_matches('/').split_once('/') {
        None => "it is a top folder, or a file outside of all folders, and files go inside a folder".to_owned(),
        Some((STORED_RESULTS, _)) => {
            format!("the folder \"{STORED_RESULTS}\" holds the stored results of this run and is read-only")
        }
        Some((folder, _)) => format!("the folder {} is not one that you may write", quoted(folder)),
    };
    let writable = || roots.iter().filter(|root| root.writable);
    let advice = match (meant(path.trim(), writable()), writable().next()) {
        (Some(path), _) if path.contains('/') => format!("Case counts: call again with path {}.", quoted(&path)),
        (_, Some(first)) => format!(
            "You can write inside {}: call again with a path there, as {}.",
            named(writable()),
            quoted(&format!("{}/notes.md", first.name))
        ),
        (_, None) => "There is no folder here that you may write, so go on without writing.".to_owned(),
    };
    format!(
        "Nothing was written: {} cannot be written, because {why}. {advice}",
        quoted(path)
    )
}

/// `creatable`: a file may be written there.
pub(crate) fn file_missing(path: &str, creatable: bool) -> String {
    let create = if creatable {
        ", or workspace_write_file to create it"
    } else {
        ""
    };
    format!(
        "There is no file {}. Call workspace_list_files to see what there is{create}.",
        quoted(path)
    )
}

fn child_denied(access: Access, path: &str, reason: &str) -> String {
    let reason = reason.trim().trim_end_matches('.');
    match access {
        Access::Target => format!(
            "Nothing was written: {path} is not yours to write: {reason}. Call again with a path in a folder of your own, as \
             \"summaries/notes.md\" or \"scratch/notes.md\"."
        ),
        Access::File | Access::Tree => {
            format!(
                "There is nothing for you at {path}: {reason}. workspace_list_files without a path shows what there is."
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_is_not_visible_has_the_folders_that_are() {
        let roots = [("plan", true), ("tool-results", false)].map(|(name, writable)| Root {
            name: name.to_owned(),
            writable,
        });
        assert_eq!(
            not_visible("input/chat.jsonl", &roots),
            "\"input/chat.jsonl\" is outside the folders that you can see; they are plan/, tool-results/. Call again with a \
             path inside one of them."
        );
        assert!(not_visible("Plan/a.md", &roots).ends_with("Case counts: call again with path \"plan/a.md\"."));
        assert!(not_visible("PLAN", &roots).ends_with("Case counts: call again with path \"plan\"."));
    }

    #[test]
    fn a_refused_path_is_said_once_with_the_rule_and_a_path_that_works() {
        let rule = "`/plan` is not a workspace path: it begins with `/`; paths are relative to the workspace.";
        assert_eq!(
            path(Access::Tree, "/plan", &PathError::Invalid(rule.into())),
            "\"/plan\" cannot be used as a path: it begins with `/`; paths are relative to the workspace. Call again with path \
             \"plan\"."
        );
    }

    #[test]
    fn a_path_that_cannot_be_written_has_its_cause_and_the_folders_that_can() {
        let roots = [("plan", true), ("summaries", false), ("output", true)].map(|(name, writable)| Root {
            name: name.to_owned(),
            writable,
        });
        let open = "You can write inside plan/, output/: call again with a path there, as \"plan/notes.md\".";
        let table = [
            ("plan", "it is a top folder, or a file outside of all folders", open),
            (
                "tool-results/a.txt",
                "the folder \"tool-results\" holds the stored results of this run and is read-only",
                open,
            ),
            (
                "persist/a.md",
                "the folder \"persist\" is not one that you may write",
                open,
            ),
            (
                "Output/a.md",
                "the folder \"Output\" is not one that you may write",
                "Case counts: call again with path \"output/a.md\".",
            ),
        ];
        for (given, cause, advice) in table {
            let message = not_writable(given, &roots);
            assert!(message.contains(cause) && message.ends_with(advice), "{message}");
        }
        let message = not_writable("plan/a.md", &[]);
        assert!(
            message.ends_with("There is no folder here that you may write, so go on without writing."),
            "{message}"
        );
    }
}
