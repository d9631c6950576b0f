//! Names of states that are being made, and removing those whose maker died.
//!
//! A finished state is never touched.

use innkeeper_protocol::id::StateId;
use uuid::Uuid;

use super::{FOLDER, PersistentError, States};
use crate::atomic::unique;

/// Between a state's id and the random part of its temporary name.
const INFIX: &str = ".tmp-";

/// A name for a state that is being made: `.<state>.tmp-<uuid>`.
pub(super) fn temporary_name(state_id: &StateId) -> String {
    format!(".{state_id}{INFIX}{}", unique())
}

/// The state that a temporary name stands for.
fn state_of(name: &str) -> Option<StateId> {
    let (state_id, unique) = name.strip_prefix('.')?.rsplit_once(INFIX)?;
    Uuid::try_parse(unique).ok()?;
    StateId::parse(state_id).ok()
}

impl States {
    /// Removes unfinished states of which `abandoned` says that their run has no live owner, and says how many there were.
    ///
    /// # Errors
    /// When the folder cannot be read or a leftover cannot be removed.
    pub fn sweep_leftovers(&self, abandoned: &mut dyn FnMut(&StateId) -> bool) -> Result<usize, PersistentError> {
        let Some(states) = self.folder()? else {
            return Ok(0);
        };
        let io = |path: &str| PersistentError::io(format!("{FOLDER}/{path}"));
        let mut removed = 0;
        for entry in states.entries().map_err(io(""))? {
            let entry = entry.map_err(io(""))?;
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            let Some(state_id) = state_of(name) else { continue };
            if entry.file_type().map_err(io(name))?.is_dir() && abandoned(&state_id) {
                states.remove_dir_all(name).map_err(io(name))?;
                removed += 1;
            }
        }
        Ok(removed)
    }
}

#[cfg(test)]
mod tests;
