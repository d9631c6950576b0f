//! Checks of a start that hold whoever made its prompt: whether the model can stream, and from which state the run starts.

use innkeeper_protocol::id::StateId;
use innkeeper_protocol::model::ModelInfo;

use super::error::SnapshotError;
use crate::profile::ResolvedProfile;

/// Whether this model can send its answers as the run wants them. `stream` is the start's own wish; the profile's holds where it has none.
///
/// # Errors
/// [`SnapshotError::StreamUnsupported`].
pub fn check_stream(profile: &ResolvedProfile, stream: Option<bool>, model: &ModelInfo) -> Result<(), SnapshotError> {
    if model.can_stream || !stream.unwrap_or(profile.run().stream) {
        return Ok(());
    }
    Err(SnapshotError::StreamUnsupported {
        model: model.model.clone(),
        format: model.format.clone(),
    })
}

/// Whether the state that a start names is the one that the chat says.
///
/// # Errors
/// [`SnapshotError::BaseEmpty`], [`SnapshotError::BaseMismatch`].
pub fn agreed_base(given: Option<&str>, found: Option<&StateId>) -> Result<(), SnapshotError> {
    let Some(given) = given.map(str::trim) else {
        return Ok(());
    };
    if given.is_empty() {
        return Err(SnapshotError::BaseEmpty);
    }
    if found.map(StateId::as_str) == Some(given) {
        return Ok(());
    }
    Err(SnapshotError::BaseMismatch {
        given: given.to_owned(),
        found: found.map(ToString::to_string),
    })
}
