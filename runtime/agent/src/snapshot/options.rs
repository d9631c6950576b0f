//! The options of a start, and what kind of message it is to make.

use innkeeper_protocol::run::{GenerationType, Presentation};
use serde_json::Value;

use super::error::SnapshotError;

/// What a start may choose beside its prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StartOptions {
    /// Whether answers come piece by piece; the profile's word where none is given.
    pub stream: Option<bool>,
    /// Whether a person watches; the profile's word where none is given.
    pub presentation: Option<Presentation>,
}

impl StartOptions {
    /// Reads the options.
    ///
    /// # Errors
    /// [`SnapshotError::Options`] for anything that is no option, [`SnapshotError::Presentation`] for one that is neither of the two.
    pub fn parse(options: Option<&Value>) -> Result<Self, SnapshotError> {
        let mut read = Self::default();
        let object = match options {
            None | Some(Value::Null) => return Ok(read),
            Some(Value::Object(object)) => object,
            Some(_) => return Err(SnapshotError::Options("they must be an object".to_owned())),
        };
        if let Some(unknown) = object
            .keys()
            .find(|key| !["stream", "presentation"].contains(&key.as_str()))
        {
            return Err(SnapshotError::Options(format!("{unknown:?} is not known")));
        }
        read.stream = match object.get("stream") {
            None => None,
            Some(Value::Bool(stream)) => Some(*stream),
            Some(_) => return Err(SnapshotError::Options("stream must be true or false".to_owned())),
        };
        read.presentation = presentation(object.get("presentation"))?;
        Ok(read)
    }
}

fn presentation(value: Option<&Value>) -> Result<Option<Presentation>, SnapshotError> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(word)) if word == "foreground" => Ok(Some(Presentation::Foreground)),
        Some(Value::String(word)) if word == "background" => Ok(Some(Presentation::Background)),
        Some(other) => Err(SnapshotError::Presentation {
            found: other.to_string(),
        }),
    }
}

/// What kind of message is wanted; normal where nothing is said.
///
/// # Errors
/// [`SnapshotError::GenerationType`] for a blank or unknown word.
pub fn generation_type(word: Option<&str>) -> Result<GenerationType, SnapshotError> {
    let Some(word) = word else {
        return Ok(GenerationType::Normal);
    };
    let kinds = [
        GenerationType::Normal,
        GenerationType::Regenerate,
        GenerationType::Swipe,
        GenerationType::Continue,
    ];
    let found = kinds.into_iter().find(|kind| kind.as_str() == word.trim());
    found.ok_or_else(|| SnapshotError::GenerationType { found: word.to_owned() })
}
