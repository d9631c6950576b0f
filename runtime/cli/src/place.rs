//! Where the data lies: the flag, the environment variable, or the platform's folder for data.
//!
//! Nothing is created here.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

use crate::failure::Failure;

/// The environment variable that names the data root.
const VARIABLE: &str = "INNKEEPER_DATA";

/// A data root and whether the person named it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DataRoot {
    /// The folder; it need not exist.
    pub(crate) path: PathBuf,
    /// Given with `--data`, so a command that is proposed must repeat it.
    pub(crate) is_from_flag: bool,
}

impl DataRoot {
    /// The data root that counts. An empty variable counts as none.
    pub(crate) fn find(flag: Option<&Path>) -> Result<Self, Failure> {
        Self::choose(flag, std::env::var_os(VARIABLE), platform_folder())
    }

    fn choose(flag: Option<&Path>, variable: Option<OsString>, platform: Option<PathBuf>) -> Result<Self, Failure> {
        if let Some(path) = flag {
            return Ok(Self {
                path: path.to_owned(),
                is_from_flag: true,
            });
        }
        let variable = variable.filter(|value| !value.is_empty()).map(PathBuf::from);
        variable
            .or(platform)
            .map(|path| Self {
                path,
                is_from_flag: false,
            })
            .ok_or_else(|| {
                Failure::usage("cli.no_data_root", "this machine names no folder for data")
                    .hint(format!("Give one with --data DIR, or set {VARIABLE}."))
            })
    }

    /// Refuses a place that is taken by something that is no folder.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        match std::fs::metadata(&self.path) {
            Ok(metadata) if !metadata.is_dir() => {
                let message = format!("the data root {} is no folder", self.path.display());
                Err(Failure::usage("cli.data_root_unusable", message).hint("Give a folder with --data DIR."))
            }
            _ => Ok(()),
        }
    }

    /// Where compiled components are kept.
    pub(crate) fn cache(&self) -> PathBuf {
        self.path.join("cache")
    }

    /// What a proposed command needs to find the same data.
    pub(crate) fn as_flag(&self) -> String {
        if self.is_from_flag {
            format!(" --data {}", quoted(&self.path))
        } else {
            String::new()
        }
    }
}

/// A path as a shell takes it.
pub(crate) fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:,@%".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

fn platform_folder() -> Option<PathBuf> {
    let platform = etcetera::base_strategy::choose_native_strategy().ok()?;
    Some(platform.data_dir().join("innkeeper"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(flag: Option<&str>, variable: Option<&str>, platform: Option<&str>) -> Option<(PathBuf, bool)> {
        let root = DataRoot::choose(
            flag.map(Path::new),
            variable.map(OsString::from),
            platform.map(PathBuf::from),
        );
        root.ok().map(|root| (root.path, root.is_from_flag))
    }

    #[test]
    fn the_flag_wins_over_the_variable_and_that_over_the_platform() {
        assert_eq!(choose(Some("f"), Some("v"), Some("p")), Some(("f".into(), true)));
        assert_eq!(choose(None, Some("v"), Some("p")), Some(("v".into(), false)));
        assert_eq!(choose(None, Some(""), Some("p")), Some(("p".into(), false)));
        assert_eq!(choose(None, None, None), None);
    }

    #[test]
    fn a_file_is_no_data_root() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("f");
        std::fs::write(&file, "x").unwrap();
        let code = |path: &Path| {
            DataRoot::find(Some(path))
                .unwrap()
                .check()
                .err()
                .map(|failure| failure.code)
        };
        assert_eq!(code(&file).as_deref(), Some("cli.data_root_unusable"));
        assert_eq!(code(&folder.path().join("new")), None);
    }

    #[test]
    fn a_path_with_spaces_is_quoted_for_a_shell() {
        assert_eq!(quoted(Path::new("/a/b-1.txt")), "/a/b-1.txt");
        assert_eq!(quoted(Path::new("/it's here")), r"'/it'\''s here'");
    }
}
