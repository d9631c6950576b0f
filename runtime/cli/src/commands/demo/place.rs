//! Where the demonstration takes place: a folder of the person's, or a temporary one that is removed at the end.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::failure::Failure;

/// What is put into the folder before the run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Furniture {
    /// The chat file.
    pub(super) chat: &'static str,
    /// The `SKILL.md` of the one skill.
    pub(super) skill: &'static str,
}

/// The folder, with the chat in it.
#[derive(Debug)]
pub(super) struct Place {
    root: PathBuf,
    temporary: Option<TempDir>,
}

impl Place {
    /// Makes the folder, or takes an empty one, and puts the chat into it as SillyTavern would, and the skill.
    pub(super) fn make(keep: Option<&Path>, furniture: Furniture) -> Result<Self, Failure> {
        let place = match keep {
            Some(dir) => Self {
                root: kept(dir)?,
                temporary: None,
            },
            None => {
                let temporary = tempfile::Builder::new().prefix("innkeeper-demo-").tempdir();
                let temporary = temporary.map_err(|error| {
                    Failure::machine(
                        "cli.no_temporary_folder",
                        format!("no temporary folder could be made: {error}"),
                    )
                    .hint("Give a folder with --keep DIR.")
                })?;
                // Run reports name canonical paths; on some systems the temporary folder is reached through a link.
                let root = std::fs::canonicalize(temporary.path()).unwrap_or_else(|_| temporary.path().to_owned());
                Self {
                    root,
                    temporary: Some(temporary),
                }
            }
        };
        place.put(&place.chat(), furniture.chat)?;
        place.put(&place.skills().join("wren-voice").join("SKILL.md"), furniture.skill)?;
        Ok(place)
    }

    fn put(&self, file: &Path, text: &str) -> Result<(), Failure> {
        let folder = file.parent().unwrap_or(&self.root);
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(file, text))
            .map_err(|error| unusable(file, &error))
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn is_kept(&self) -> bool {
        self.temporary.is_none()
    }

    pub(super) fn chat(&self) -> PathBuf {
        self.root.join("chats").join("Wren").join("The night ferry.jsonl")
    }

    /// The folder with the skill in it.
    pub(super) fn skills(&self) -> PathBuf {
        self.root.join("skills")
    }

    pub(super) fn data(&self) -> PathBuf {
        self.root.join("data")
    }
}

/// A folder that is made now, or is there and empty; as its canonical path.
fn kept(dir: &Path) -> Result<PathBuf, Failure> {
    std::fs::create_dir_all(dir).map_err(|error| unusable(dir, &error))?;
    let mut entries = std::fs::read_dir(dir).map_err(|error| unusable(dir, &error))?;
    if entries.next().is_some() {
        let message = format!("the folder {} is not empty", dir.display());
        return Err(Failure::usage("cli.folder_not_empty", message).hint("Give --keep a new folder, or an empty one."));
    }
    std::fs::canonicalize(dir).map_err(|error| unusable(dir, &error))
}

fn unusable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::usage(
        "cli.folder_unusable",
        format!("{} cannot be used: {error}", path.display()),
    )
    .hint("Give --keep a folder that can be made and written to.")
}

#[cfg(test)]
mod tests {
    use super::*;

    const BARE: Furniture = Furniture { chat: "x", skill: "y" };

    fn code(dir: &Path) -> String {
        Place::make(Some(dir), BARE)
            .err()
            .map(|failure| failure.code)
            .unwrap_or_default()
    }

    #[test]
    fn a_folder_is_made_or_taken_empty_and_never_shared() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("a/b");
        assert_eq!(code(&dir), "");
        assert_eq!(code(&dir), "cli.folder_not_empty");
        assert_eq!(
            code(&dir.join("chats/Wren/The night ferry.jsonl")),
            "cli.folder_unusable"
        );
    }

    #[test]
    fn a_temporary_place_is_gone_with_its_value() {
        let place = Place::make(None, BARE).unwrap();
        let root = place.root().to_owned();
        assert!(root.is_dir() && !place.is_kept());
        drop(place);
        assert!(!root.exists());
    }
}
