//! The files of a run at one moment, and their contents.
//!
//! A content that is no text, too large to compare or no longer to be had is none; a damaged checkpoint is an error.

use innkeeper_protocol::id::StateId;

use super::DiffError;
use crate::checkpoint::Checkpoints;
use crate::listing::ListedFile;
use crate::persistent::{PersistentError, States};
use crate::tree::{Tree, TreeError};
use crate::workspace::load_baseline;

/// The largest file that is compared line by line, in bytes: nobody reads a longer diff.
const MAX_TEXT_BYTES: u64 = 4 * 1024 * 1024;

/// A moment of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// When the workspace was laid out: empty but for what the chat keeps.
    Beginning,
    /// The checkpoint of this number.
    Checkpoint(u64),
    /// This moment.
    Now,
}

/// What the files were.
pub(super) struct Side<'a> {
    files: Vec<ListedFile>,
    contents: Contents<'a>,
}

/// Where contents are.
enum Contents<'a> {
    Checkpoint(&'a Checkpoints),
    Now(&'a Tree),
    Beginning {
        /// Unchanged persistent files are in the first checkpoint as well, also when the state is gone.
        checkpoints: &'a Checkpoints,
        state: Option<Tree>,
    },
}

impl<'a> Side<'a> {
    /// Finds the files of a moment.
    pub(super) fn load(
        moment: Moment,
        tree: &'a Tree,
        checkpoints: &'a Checkpoints,
        states: &States,
    ) -> Result<Self, DiffError> {
        Ok(match moment {
            Moment::Checkpoint(number) => Self {
                files: checkpoints.load(number)?.files,
                contents: Contents::Checkpoint(checkpoints),
            },
            Moment::Now => Self {
                files: checkpoints.present()?.files,
                contents: Contents::Now(tree),
            },
            Moment::Beginning => {
                let baseline = load_baseline(tree)?;
                let state = baseline.base_state_id.as_ref().map(|id| open_state(states, id));
                Self {
                    files: baseline.files,
                    contents: Contents::Beginning {
                        checkpoints,
                        state: state.transpose()?.flatten(),
                    },
                }
            }
        })
    }

    pub(super) fn files(&self) -> &[ListedFile] {
        &self.files
    }

    /// The text of a file of this moment, if it can be shown.
    pub(super) fn text(&self, file: &ListedFile) -> Result<Option<String>, DiffError> {
        if file.bytes > MAX_TEXT_BYTES {
            return Ok(None);
        }
        let bytes = match &self.contents {
            Contents::Checkpoint(checkpoints) => Some(checkpoints.content(file)?),
            Contents::Now(tree) => read(tree, file)?,
            Contents::Beginning { checkpoints, state } => match (checkpoints.content(file), state) {
                (Ok(bytes), _) => Some(bytes),
                (Err(_), Some(state)) => read(state, file)?,
                (Err(_), None) => None,
            },
        };
        Ok(bytes.and_then(|bytes| String::from_utf8(bytes).ok()))
    }
}

/// The files of a state; none when it was removed since.
fn open_state(states: &States, id: &StateId) -> Result<Option<Tree>, DiffError> {
    match states.open_state(id) {
        Ok(tree) => Ok(Some(tree)),
        Err(PersistentError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// A file's content; none when it is another one by now.
fn read(tree: &Tree, file: &ListedFile) -> Result<Option<Vec<u8>>, TreeError> {
    match tree.read_bytes(&file.path, MAX_TEXT_BYTES) {
        Ok(found) => Ok((found.sha256 == file.sha256).then_some(found.bytes)),
        Err(error) if error.is_fault() => Err(error),
        Err(_) => Ok(None),
    }
}
