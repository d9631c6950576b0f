//! A profile file in its place, where its name is the profile's id: reading it, and setting right what says whose file it is.
//!
//! It does not look at what the profile says, only at whether it is one. The disk is somebody else's.

use innkeeper_protocol::id::ProfileId;
use serde_json::Value;

use super::error::ProfileError;
use super::json_path::JsonPath;
use super::migrate::{OLDER, migrate, migrate_value, written};
use super::schema::{KIND, Profile, SCHEMA_VERSION, without_mark};

/// A file that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredProfile {
    /// What it says.
    pub profile: Profile,
    /// The file in the present version, where it has an older one.
    pub migrated: Option<Vec<u8>>,
}

/// A file that could not be read.
#[derive(Debug)]
pub struct StoredFault {
    /// What can be done about it.
    pub kind: FaultKind,
    /// What is wrong.
    pub error: ProfileError,
}

/// How a file is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// It is not JSON at all.
    Json,
    /// It would be a profile if version, kind and id were right.
    Identity,
    /// It does not fit the schema.
    Structure,
}

/// Reads the file of the profile `id`.
///
/// # Errors
/// [`StoredFault`] when it is no profile, or the profile of another id.
pub fn read_stored(json: &[u8], id: &ProfileId) -> Result<StoredProfile, StoredFault> {
    let fault = |kind| move |error| StoredFault { kind, error };
    let value = parse_value(json).map_err(fault(FaultKind::Json))?;
    read(json, id).map_err(|error| {
        let is_identity = identified(value, id).is_some_and(|file| read(&file, id).is_ok());
        let kind = if is_identity {
            FaultKind::Identity
        } else {
            FaultKind::Structure
        };
        StoredFault { kind, error }
    })
}

/// The file of the profile `id` with kind, id and, where it is missing or unknown, version set right; `None` when they are.
///
/// # Errors
/// Why the file would not be readable after that.
pub fn normalize_identity(json: &[u8], id: &ProfileId) -> Result<Option<Vec<u8>>, ProfileError> {
    let Some(file) = identified(parse_value(json)?, id) else {
        return read(json, id).map(|_| None);
    };
    read(&file, id).map(|_| Some(file))
}

fn parse_value(json: &[u8]) -> Result<Value, ProfileError> {
    serde_json::from_slice(without_mark(json)).map_err(|source| ProfileError::ContractInvalid {
        path: JsonPath::root(),
        source,
    })
}

fn read(json: &[u8], id: &ProfileId) -> Result<StoredProfile, ProfileError> {
    let migrated = migrate(json)?;
    let profile = Profile::parse(migrated.as_deref().unwrap_or(json))?;
    if profile.kind != KIND {
        return Err(ProfileError::KindInvalid { found: profile.kind });
    }
    if profile.id.trim() != id.as_str() {
        return Err(ProfileError::IdMismatch {
            found: profile.id,
            stem: id.clone(),
        });
    }
    Ok(StoredProfile { profile, migrated })
}

/// The file with its identity set right; `None` when it is right, or when there is no object to set it in.
fn identified(mut file: Value, id: &ProfileId) -> Option<Vec<u8>> {
    let before = file.clone();
    let members = file.as_object_mut()?;
    let version = members.get("schemaVersion").and_then(Value::as_i64);
    if !version.is_some_and(|version| version == SCHEMA_VERSION || OLDER.contains(&version)) {
        members.insert("schemaVersion".to_owned(), SCHEMA_VERSION.into());
    }
    members.insert("kind".to_owned(), KIND.into());
    let is_right = members
        .get("id")
        .and_then(Value::as_str)
        .is_some_and(|text| text.trim() == id.as_str());
    if !is_right {
        members.insert("id".to_owned(), id.as_str().into());
    }
    if file == before { None } else { written(&file).ok() }
}

/// The value that a check goes by: of the present version.
pub(super) fn present_value(json: &[u8]) -> Result<Value, ProfileError> {
    let mut file = parse_value(json)?;
    migrate_value(&mut file)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::minimal;
    use super::*;

    fn id() -> ProfileId {
        ProfileId::parse("small").unwrap()
    }

    fn with(name: &str, value: Value) -> Vec<u8> {
        let mut file = minimal();
        file[name] = value;
        file.to_string().into_bytes()
    }

    fn without(name: &str) -> Vec<u8> {
        let mut file = minimal();
        file.as_object_mut().unwrap().shift_remove(name);
        file.to_string().into_bytes()
    }

    fn fault(json: &[u8]) -> (FaultKind, &'static str) {
        let fault = read_stored(json, &id()).unwrap_err();
        (fault.kind, fault.error.code())
    }

    #[test]
    fn what_is_broken_decides_what_can_be_done() {
        assert!(read_stored(&with("id", json!(" small ")), &id()).is_ok());
        for (file, expected) in [
            (
                b"{\"a\": \"\xff\"}".to_vec(),
                (FaultKind::Json, "agent.profile_contract_invalid"),
            ),
            (b"".to_vec(), (FaultKind::Json, "agent.profile_contract_invalid")),
            (b"[]".to_vec(), (FaultKind::Structure, "agent.profile_contract_invalid")),
            (
                with("id", json!("other")),
                (FaultKind::Identity, "agent.profile_id_invalid"),
            ),
            (
                with("id", json!(7)),
                (FaultKind::Identity, "agent.profile_contract_invalid"),
            ),
            (
                with("kind", json!("x")),
                (FaultKind::Identity, "agent.profile_kind_invalid"),
            ),
            (
                with("schemaVersion", json!(9)),
                (FaultKind::Identity, "agent.profile_schema_unsupported"),
            ),
            (
                without("schemaVersion"),
                (FaultKind::Identity, "agent.profile_contract_invalid"),
            ),
            (
                with("unheardOf", json!(1)),
                (FaultKind::Structure, "agent.profile_contract_invalid"),
            ),
        ] {
            assert_eq!(fault(&file), expected, "{}", String::from_utf8_lossy(&file));
        }
    }

    #[test]
    fn only_version_kind_and_id_are_set_right() {
        let mut file = minimal();
        file["schemaVersion"] = json!("new");
        file["kind"] = json!(null);
        file["id"] = json!("other");
        let repaired = normalize_identity(file.to_string().as_bytes(), &id()).unwrap().unwrap();
        let repaired: Value = serde_json::from_slice(&repaired).unwrap();
        assert_eq!(repaired.to_string(), minimal().to_string());
    }

    #[test]
    fn an_older_version_stays() {
        let mut file = minimal();
        file["schemaVersion"] = json!(2);
        file["tools"]["allow"] = json!(["workspace.write_file", "workspace.finish"]);
        let mut expected = file.clone();
        file["id"] = json!("other");
        let repaired = normalize_identity(file.to_string().as_bytes(), &id()).unwrap().unwrap();
        expected["id"] = json!("small");
        assert_eq!(serde_json::from_slice::<Value>(&repaired).unwrap(), expected);
        let read = read_stored(&repaired, &id()).unwrap();
        assert_eq!(read.profile, Profile::parse(minimal().to_string().as_bytes()).unwrap());
        assert_eq!(read_stored(&read.migrated.unwrap(), &id()).unwrap().migrated, None);
    }

    #[test]
    fn there_may_be_nothing_to_do_or_nothing_that_helps() {
        assert_eq!(
            normalize_identity(minimal().to_string().as_bytes(), &id()).unwrap(),
            None
        );
        for file in [
            with("unheardOf", json!(1)),
            without("plan"),
            b"[]".to_vec(),
            b"{".to_vec(),
        ] {
            assert!(
                normalize_identity(&file, &id()).is_err(),
                "{}",
                String::from_utf8_lossy(&file)
            );
        }
    }
}
