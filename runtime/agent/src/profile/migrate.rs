//! Profile files of versions 1 and 2, brought to the present one: their tools have bare names, which all were our own tools.
//!
//! Whether the rest of the file is right is not looked at. Who loads a file writes it back.

use serde_json::{Map, Value};

use super::error::ProfileError;
use super::json_path::JsonPath;
use super::schema::{SCHEMA_VERSION, without_mark};

/// Older versions that are read.
pub(super) const OLDER: [i64; 2] = [1, 2];

const OUR_PREFIX: &str = "builtin:";
/// Members of `tools` that are lists of tools.
const LISTS: [&str; 2] = ["allow", "deny"];
/// Members of `tools` that are objects with tools as names.
const MAPS: [&str; 2] = ["maxCallsPerTool", "toolDescriptions"];

/// The file in the present version; `None` when it is no file of an older version, whether or not it can be read.
///
/// All places that name tools are changed together, and everything else stays as it is. A name that has a source already keeps it.
///
/// # Errors
/// [`ProfileError::ContractInvalid`] when the file is no JSON; [`ProfileError::MigrationTwice`] when two names become the same.
pub fn migrate(json: &[u8]) -> Result<Option<Vec<u8>>, ProfileError> {
    let contract = |source| ProfileError::ContractInvalid {
        path: JsonPath::root(),
        source,
    };
    let mut file: Value = serde_json::from_slice(without_mark(json)).map_err(contract)?;
    if !migrate_value(&mut file)? {
        return Ok(None);
    }
    written(&file).map(Some).map_err(contract)
}

/// Brings a file to the present version and says whether it had an older one.
pub(super) fn migrate_value(file: &mut Value) -> Result<bool, ProfileError> {
    let is_older = file
        .get("schemaVersion")
        .and_then(Value::as_i64)
        .is_some_and(|version| OLDER.contains(&version));
    if !is_older {
        return Ok(false);
    }
    if let Some(tools) = file.get_mut("tools").and_then(Value::as_object_mut) {
        for name in LISTS {
            let list = tools.get_mut(name).and_then(Value::as_array_mut);
            list.into_iter().flatten().for_each(prefix);
        }
        for name in MAPS {
            if let Some(map) = tools.get_mut(name).and_then(Value::as_object_mut) {
                *map = with_prefixes(name, std::mem::take(map))?;
            }
        }
    }
    if let Some(version) = file.get_mut("schemaVersion") {
        *version = SCHEMA_VERSION.into();
    }
    Ok(true)
}

/// A file as it is written.
pub(super) fn written(file: &Value) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = serde_json::to_vec_pretty(file)?;
    bytes.push(b'\n');
    Ok(bytes)
}

fn prefix(tool: &mut Value) {
    if let Value::String(name) = tool {
        *name = prefixed(name);
    }
}

fn prefixed(name: &str) -> String {
    if name.contains(':') {
        name.to_owned()
    } else {
        format!("{OUR_PREFIX}{}", name.trim())
    }
}

fn with_prefixes(member: &'static str, old: Map<String, Value>) -> Result<Map<String, Value>, ProfileError> {
    let mut new = Map::with_capacity(old.len());
    for (name, value) in old {
        let tool = prefixed(&name);
        if new.contains_key(&tool) {
            return Err(ProfileError::MigrationTwice { member, tool });
        }
        new.insert(tool, value);
    }
    Ok(new)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn migrated(file: &Value) -> Option<Value> {
        let bytes = migrate(file.to_string().as_bytes()).unwrap()?;
        Some(serde_json::from_slice(&bytes).unwrap())
    }

    fn old(version: i64) -> Value {
        json!({
            "schemaVersion": version, "other": {"allow": ["chat.search"]},
            "tools": {
                "maxRounds": 5, "allow": ["chat.search", "builtin:dice.roll", 7], "deny": ["skill.read"],
                "maxCallsPerTool": {"chat.search": 2}, "toolDescriptions": {"chat.search": {"description": "x"}}
            }
        })
    }

    #[test]
    fn the_four_places_change_together_and_nothing_else_does() {
        let expected = json!({
            "schemaVersion": 3, "other": {"allow": ["chat.search"]},
            "tools": {
                "maxRounds": 5, "allow": ["builtin:chat.search", "builtin:dice.roll", 7], "deny": ["builtin:skill.read"],
                "maxCallsPerTool": {"builtin:chat.search": 2}, "toolDescriptions": {"builtin:chat.search": {"description": "x"}}
            }
        });
        for version in OLDER {
            let new = migrated(&old(version)).unwrap();
            assert_eq!(new.to_string(), expected.to_string());
            assert_eq!(migrated(&new), None, "a second time there is nothing to do");
        }
    }

    #[test]
    fn other_versions_and_other_files_are_left_alone() {
        for file in [
            old(0),
            old(3),
            old(4),
            json!([]),
            json!({"schemaVersion": "2"}),
            json!({"tools": 1}),
        ] {
            assert_eq!(migrated(&file), None, "{file}");
        }
        assert_eq!(migrate(b"{").unwrap_err().code(), "agent.profile_contract_invalid");
    }

    #[test]
    fn two_names_for_one_tool_are_refused() {
        let mut file = old(2);
        file["tools"]["maxCallsPerTool"] = json!({"dice.roll": 1, "builtin:dice.roll": 2});
        let error = migrate(file.to_string().as_bytes()).unwrap_err();
        assert_eq!(
            (error.code(), error.to_string()),
            (
                "agent.profile_contract_invalid",
                "tools.maxCallsPerTool names `builtin:dice.roll` twice, once without `builtin:`; remove one of them"
                    .to_owned()
            )
        );
    }
}
