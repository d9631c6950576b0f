//! Finding the profile that a person names: the built-in one, or a file.

use std::path::Path;

use innkeeper::ProfileChoice;
use innkeeper::profile::{DEFAULT_PROFILE_ID, Profile, ProfileError};

use crate::failure::Failure;
use crate::input::{MAX_PROFILE_BYTES, read_file};

/// The profile of that id or in that file.
pub(super) fn find(name: &str) -> Result<ProfileChoice, Failure> {
    if name == DEFAULT_PROFILE_ID {
        return Ok(ProfileChoice::BuiltIn);
    }
    let path = Path::new(name);
    let is_path = name.contains(['/', '\\', '.']) || path.exists();
    if !is_path {
        let message = format!("there is no profile {name:?}: this version has {DEFAULT_PROFILE_ID} and files");
        return Err(Failure::usage("agent.profile_not_found", message).hint(format!(
            "Write --profile {DEFAULT_PROFILE_ID}, or the path of a profile file."
        )));
    }
    let bytes = read_file("the profile", path, MAX_PROFILE_BYTES)?;
    let profile = Profile::parse(&bytes).map_err(|error| refused(path, &error))?;
    Ok(ProfileChoice::Given(Box::new(profile)))
}

fn refused(path: &Path, error: &ProfileError) -> Failure {
    Failure::usage(
        error.code(),
        format!("the profile {} cannot be used: {error}", path.display()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(name: &str) -> String {
        find(name).err().map(|failure| failure.code).unwrap_or_default()
    }

    #[test]
    fn an_id_that_is_not_built_in_is_refused_and_a_path_is_read() {
        assert!(matches!(find("default-writer"), Ok(ProfileChoice::BuiltIn)));
        assert_eq!(code("night-writer"), "agent.profile_not_found");
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
}
