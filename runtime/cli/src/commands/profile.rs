//! Finding the profile that a person names: by its id, or as a file.

use std::path::Path;

use innkeeper::profile::{Profile, ProfileError, migrate};
use innkeeper::{Innkeeper, ProfileChoice, parse_profile_id};

use crate::failure::Failure;
use crate::input::{MAX_PROFILE_BYTES, read_file};
use crate::place::DataRoot;

/// The profile of that id, or in that file. What can be an id is one; a file of such a name is reached as `./name`.
pub(super) fn find(name: &str) -> Result<ProfileChoice, Failure> {
    let path = Path::new(name);
    let is_path = name.contains(['/', '\\', '.']) || (parse_profile_id(name).is_err() && path.exists());
    if !is_path {
        return Ok(ProfileChoice::of_id(Some(name))?);
    }
    let bytes = read_file("the profile", path, MAX_PROFILE_BYTES)?;
    let refused = |error: ProfileError| refused(path, &error);
    let migrated = migrate(&bytes).map_err(refused)?;
    let profile = Profile::parse(migrated.as_deref().unwrap_or(&bytes)).map_err(refused)?;
    Ok(ProfileChoice::Given(Box::new(profile)))
}

/// The same, read.
pub(super) fn load(name: &str, host: &Innkeeper, data: Option<&DataRoot>) -> Result<Profile, Failure> {
    match (find(name)?, data) {
        (ProfileChoice::BuiltIn, _) => Ok(host.default_profile()),
        (ProfileChoice::Given(profile), _) => Ok(*profile),
        (choice @ ProfileChoice::Id(_), Some(data)) => Ok(host.chosen_profile(&choice, &data.path)?.profile),
        (ProfileChoice::Id(id), None) => {
            let message = format!("the profile {id} cannot be looked for: there is no data root that can be used");
            Err(Failure::usage("cli.no_data_root", message).hint("Give one with --data DIR, or name a profile file."))
        }
    }
}

/// Why a file cannot be used.
pub(super) fn refused(path: &Path, error: &ProfileError) -> Failure {
    let message = format!("the profile {} cannot be used: {error}", path.display());
    Failure::usage(error.code(), message)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn code(name: &str) -> String {
        find(name).err().map(|failure| failure.code).unwrap_or_default()
    }

    #[test]
    fn an_id_is_looked_for_later_and_a_path_is_read() {
        for id in ["default-writer", "night-writer"] {
            assert!(matches!(find(id), Ok(ProfileChoice::Id(found)) if found.as_str() == id));
        }
        assert!(matches!(find(" "), Ok(ProfileChoice::BuiltIn)));
        assert_eq!(code("Night writer"), "agent.profile_id_invalid");
        assert_eq!(code("./night-writer.json"), "cli.file_unreadable");
        assert_eq!(code("."), "cli.file_not_regular");
    }

    #[test]
    fn a_file_that_is_no_profile_says_where() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.json");
        std::fs::write(&path, "{\"schemaVersion\": 3, \"kind\": }").unwrap();
        let failure = find(path.to_str().unwrap()).unwrap_err();
        assert_eq!(failure.code, "agent.profile_contract_invalid");
        assert!(failure.message.contains("line 1 column 30"), "{}", failure.message);
    }

    #[test]
    fn a_file_of_an_older_version_is_read_and_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.json");
        let old = json!({
            "schemaVersion": 1, "kind": "tauritavern.agentProfile", "id": "old", "displayName": "Old",
            "preset": {"mode": "none"}, "model": {"mode": "currentPromptSnapshot"}, "run": {"presentation": "background"},
            "tools": {"allow": ["workspace.write_file"], "maxRounds": 5}, "skills": {"visible": ["*"]}, "plan": {"mode": "none"},
            "workspace": {"visibleRoots": ["output"], "writableRoots": ["output"]}, "output": {"artifacts": []}
        });
        std::fs::write(&path, old.to_string()).unwrap();
        let Ok(ProfileChoice::Given(profile)) = find(path.to_str().unwrap()) else {
            panic!("not read")
        };
        assert_eq!(profile.tools.allow, ["builtin:workspace.write_file"]);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), old.to_string());
    }
}
