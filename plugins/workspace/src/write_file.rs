//! `workspace.write_file`: creates, replaces or extends a file.
//!
//! Which write is allowed is the host's decision; the text of the file is never repeated to the model.

use innkeeper_tool::{Failure, Reply, counted};
use serde::{Deserialize, Serialize};

use crate::port::{Basis, PathError, Reader, Staged, WriteError, Writer};
use crate::refusal::{Refusal, required};

/// Arguments of `workspace.write_file`.
#[derive(Clone, Debug, Deserialize)]
pub struct WriteArguments {
    /// The file.
    pub path: String,
    /// The text, as it is.
    pub content: String,
    /// Replace when absent.
    pub mode: Option<WriteMode>,
}

/// How the content gets into the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WriteMode {
    /// It becomes the whole file.
    #[default]
    Replace,
    /// It is added to the end, byte for byte.
    Append,
}

#[derive(Serialize)]
struct Structured<'a> {
    path: &'a str,
    mode: WriteMode,
    chars: u32,
    words: u32,
    sha256: &'a str,
}

/// Writes a file.
///
/// # Errors
/// A [`Failure`] for a path that cannot be written, or an existing file that was not wholly read.
pub fn write_file(arguments: &WriteArguments, host: &mut (impl Writer + Reader)) -> Result<Reply, Failure> {
    let path = required("path", &arguments.path)?;
    let mode = arguments.mode.unwrap_or_default();
    let staged = match mode {
        WriteMode::Replace => host.write(path, &arguments.content, Basis::Rewrite),
        WriteMode::Append => host.append(path, &arguments.content),
    };
    let staged = staged.map_err(|error| refusal(path, mode, error, host))?;
    Reply::text(words(mode, &staged))
        .refs([staged.path.clone()])
        .structured(&Structured {
            path: &staged.path,
            mode,
            chars: staged.chars,
            words: staged.words,
            sha256: &staged.sha256,
        })
}

fn refusal(given: &str, mode: WriteMode, error: WriteError, reader: &mut impl Reader) -> Refusal {
    let path = given.to_owned();
    match error {
        // A replace creates what is missing, so only a file that was just there can be missing.
        WriteError::Path(PathError::NotFound) if mode == WriteMode::Replace => Refusal::WriteVanished { path },
        WriteError::Path(error) => Refusal::change(given, error, reader),
        WriteError::RequiresRead => Refusal::WriteUnread { path },
        WriteError::RequiresFullRead(missing) => Refusal::WriteHalfRead { path, missing },
        WriteError::Stale => Refusal::WriteStale { path },
        WriteError::OverBudget(limit) => Refusal::OverBudget { limit },
    }
}

fn words(mode: WriteMode, staged: &Staged) -> String {
    let verb = match (mode, staged.created) {
        (_, true) => "Created",
        (WriteMode::Replace, false) => "Replaced",
        (WriteMode::Append, false) => "Appended to",
    };
    format!(
        "{verb} {}: the file now has {}, {}.",
        staged.path,
        counted(staged.chars, "char"),
        counted(staged.words, "word")
    )
}

#[cfg(test)]
mod tests;
