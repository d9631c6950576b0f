//! Refuses arrays in the place of objects, which serde would read as the members in their order.
//!
//! Everything else that does not fit is found by serde itself.

use serde::de::{Error as _, Unexpected};
use serde_json::Value;

use super::error::ProfileError;
use super::json_path::JsonPath;
use super::schema::Profile;

/// Compares a file with the profile that was read from it.
pub(super) fn check(file: &Value, profile: &Profile) -> Result<(), ProfileError> {
    let read = serde_json::to_value(profile).map_err(|source| ProfileError::ContractInvalid {
        path: JsonPath::root(),
        source,
    })?;
    compare(file, &read, JsonPath::root())
}

fn compare(file: &Value, read: &Value, path: JsonPath) -> Result<(), ProfileError> {
    match (file, read) {
        (Value::Array(_), Value::Object(_)) => Err(ProfileError::ContractInvalid {
            path,
            source: serde_json::Error::invalid_type(Unexpected::Seq, &"an object"),
        }),
        (Value::Array(file), Value::Array(read)) => {
            let mut pairs = file.iter().zip(read).enumerate();
            pairs.try_for_each(|(index, (file, read))| compare(file, read, path.clone().index(index)))
        }
        (Value::Object(file), Value::Object(read)) => file
            .iter()
            .filter_map(|(name, file)| Some((name, file, read.get(name)?)))
            .try_for_each(|(name, file, read)| compare(file, read, path.clone().key(name))),
        _ => Ok(()),
    }
}
