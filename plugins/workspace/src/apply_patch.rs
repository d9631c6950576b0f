//! `workspace.apply_patch`: replaces one exact piece of text.
//!
//! The host gives the text only where this invocation may patch it; the engine finds and replaces.

use innkeeper_tool::{Failure, Reply, counted};
use serde::{Deserialize, Serialize};

use crate::patch::{Edit, PatchError, apply};
use crate::port::{Basis, PathError, Reader, Staged, WriteError, Writer};
use crate::refusal::{Refusal, required};

/// Arguments of `workspace.apply_patch`.
#[derive(Clone, Debug, Deserialize)]
pub struct PatchArguments {
    /// The file.
    pub path: String,
    /// What to replace, as it is in the file.
    pub old_string: String,
    /// What to put there; empty to delete.
    pub new_string: String,
    /// Every occurrence, not just the only one.
    pub replace_all: Option<bool>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Structured<'a> {
    path: &'a str,
    chars: u32,
    words: u32,
    old_sha256: &'a str,
    sha256: &'a str,
    replacements: u32,
}

/// Patches a file.
///
/// # Errors
/// A [`Failure`] for a file that may not be patched now, or a text that does not occur exactly once.
pub fn apply_patch(arguments: &PatchArguments, host: &mut (impl Writer + Reader)) -> Result<Reply, Failure> {
    let path = required("path", &arguments.path)?;
    if arguments.old_string.is_empty() {
        return Err(Refusal::PatchEmptyOld.into());
    }
    if arguments.old_string == arguments.new_string {
        return Err(Refusal::PatchNoChange.into());
    }
    let edit = Edit {
        old: &arguments.old_string,
        new: &arguments.new_string,
        all: arguments.replace_all.unwrap_or_default(),
    };
    let before = host.open(path).map_err(|error| unopened(path, error, host))?;
    let patched = apply(&before.text, edit).map_err(|error| unmatched(path, error))?;
    let basis = Basis::Patch {
        replacements: patched.replacements,
    };
    let staged = host
        .write(path, &patched.text, basis)
        .map_err(|error| unwritten(path, error, host))?;
    Reply::text(words(&staged, patched.replacements))
        .refs([staged.path.clone()])
        .structured(&Structured {
            path: &staged.path,
            chars: staged.chars,
            words: staged.words,
            old_sha256: &before.sha256,
            sha256: &staged.sha256,
            replacements: patched.replacements,
        })
}

fn unopened(given: &str, error: WriteError, reader: &mut impl Reader) -> Refusal {
    let path = given.to_owned();
    match error {
        WriteError::Path(error) => Refusal::change(given, error, reader),
        WriteError::RequiresRead => Refusal::PatchUnread { path },
        WriteError::RequiresFullRead(missing) => Refusal::PatchHalfRead { path, missing },
        WriteError::Stale => Refusal::PatchStale { path },
        WriteError::OverBudget(limit) => Refusal::OverBudget { limit },
    }
}

fn unmatched(path: &str, error: PatchError) -> Refusal {
    let path = path.to_owned();
    match error {
        PatchError::EmptyOld => Refusal::PatchEmptyOld,
        PatchError::NoChange => Refusal::PatchNoChange,
        PatchError::NotFound { nearest, numbered } => Refusal::PatchNotFound {
            path,
            nearest,
            numbered,
        },
        PatchError::NotUnique { count, lines } => Refusal::PatchNotUnique { path, count, lines },
        PatchError::TooLarge { bytes } => Refusal::PatchTooLarge { path, bytes },
    }
}

/// The file was just opened: if it is gone or unread now, somebody changed it in between.
fn unwritten(path: &str, error: WriteError, reader: &mut impl Reader) -> Refusal {
    match error {
        WriteError::Path(PathError::NotFound) | WriteError::RequiresRead | WriteError::RequiresFullRead(_) => {
            Refusal::PatchStale { path: path.to_owned() }
        }
        error => unopened(path, error, reader),
    }
}

fn words(staged: &Staged, replacements: u32) -> String {
    let times = counted(replacements, "replacement");
    format!(
        "Patched {}: {times}; the file now has {}, {}.",
        staged.path,
        counted(staged.chars, "char"),
        counted(staged.words, "word")
    )
}

#[cfg(test)]
mod tests;
