//! Extensions as plain data: their ids, and the digests that pin what their tools say of themselves.
//!
//! What a manifest means and what may be granted is decided elsewhere.

use serde::{Deserialize, Serialize};

use crate::digest::Sha256;
use crate::id::{is_extension_id, text_id};

text_id!(
    /// The id of an extension, also the name of its folder.
    ExtensionId, "extension id", is_extension_id,
    "1 to 64 of `a-z`, `0-9`, `_`, `-`, the first a letter or a digit", "^[a-z0-9][a-z0-9_-]{0,63}$");

/// What one tool said of itself when somebody agreed to it, part by part, so that a later difference can be named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SpecDigests {
    /// Title and description.
    pub words: Sha256,
    /// The schema of its arguments.
    pub arguments: Sha256,
    /// The schema of its structured result, or that there is none.
    pub result: Sha256,
    /// What it says of its effects, who is offered it, its ceilings and what it uses.
    pub behaviour: Sha256,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_can_be_a_folder_and_leads_nowhere_else() {
        for good in ["mood", "9lives", "a_b-c", &"x".repeat(64)] {
            assert_eq!(ExtensionId::parse(good).map(String::from).as_deref(), Ok(good));
        }
        for bad in ["", ".", "..", "-a", "a/b", "A", "a.b", "é", &"x".repeat(65)] {
            assert!(ExtensionId::parse(bad).is_err(), "{bad}");
        }
    }
}
