//! `workspace.commit`: asks the host to make a file the message of the run.
//!
//! The host commits after the call has returned, and replaces the reply by a failure if the chat refuses.

use innkeeper_tool::{Failure, Reply, counted};
use serde::{Deserialize, Serialize};

use crate::port::{CommitMode, Control, ControlError, Planned, Reader};
use crate::refusal::{Access, Refusal};

/// Arguments of `workspace.commit`.
#[derive(Clone, Debug, Deserialize)]
pub struct CommitArguments {
    /// The file; where the message is drafted when absent or blank.
    pub path: Option<String>,
    /// Replace when absent.
    pub mode: Option<Mode>,
    /// For the record; blank counts as absent.
    pub reason: Option<String>,
}

/// How the file becomes the message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// The message becomes the file's text.
    #[default]
    Replace,
    /// The file's text is added to the message.
    Append,
}

/// The host adds `messageId` and `messageIndex` once it has them.
#[derive(Serialize)]
struct Structured<'a> {
    path: &'a str,
    mode: Mode,
    chars: u32,
    words: u32,
}

/// Asks for a commit.
///
/// # Errors
/// A [`Failure`] for a file that cannot be read, or a blank message.
pub fn commit(arguments: &CommitArguments, host: &mut (impl Control + Reader)) -> Result<Reply, Failure> {
    let path = match present(arguments.path.as_deref()) {
        Some(path) => path.to_owned(),
        None => host.message_path(),
    };
    let mode = arguments.mode.unwrap_or_default();
    let wanted = match mode {
        Mode::Replace => CommitMode::Replace,
        Mode::Append => CommitMode::Append,
    };
    let planned = host
        .commit(&path, wanted, present(arguments.reason.as_deref()))
        .map_err(|error| match error {
            ControlError::Path(error) => Refusal::look(Access::File, &path, error, host),
            error => Refusal::control(&path, error),
        })?;
    Reply::text(words(mode, &planned))
        .refs([planned.path.clone()])
        .structured(&Structured {
            path: &planned.path,
            mode,
            chars: planned.chars,
            words: planned.words,
        })
}

fn present(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.trim().is_empty())
}

fn words(mode: Mode, planned: &Planned) -> String {
    let (name, done) = match mode {
        Mode::Replace => ("replace", "the message is now its text"),
        Mode::Append => ("append", "its text was added to the message"),
    };
    format!(
        "Committed {} (mode {name}, {}, {}): {done} (message {{commit.message-index}} of the chat). You may commit \
         again to revise it; workspace_finish ends the run.",
        planned.path,
        counted(planned.chars, "char"),
        counted(planned.words, "word")
    )
}

#[cfg(test)]
mod tests;
