//! Workspace paths: where a file lies below a run's folder.
//!
//! A [`WorkspacePath`] is relative, `/`-separated, normalised, and safe to create on every platform, whichever one this process
//! runs on. Parsing looks at no disk: whether the path exists, leads through a link or may be seen is decided elsewhere. Case and
//! Unicode form are kept as given.

mod root;
mod rules;

#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use root::{RootName, RootNameRefusal};
pub use rules::{PathRefusal, PathRule};

/// Longest path, in bytes of UTF-8. Far below every platform's own limit once the data folder is put in front of it.
pub const MAX_PATH_BYTES: usize = 1_024;

/// Longest component, in bytes of UTF-8: the limit of ext4, APFS and most others.
pub const MAX_COMPONENT_BYTES: usize = 255;

/// The shape of the normal form, for JSON Schemas; which components are refused besides is too much for a pattern.
const NORMAL_FORM: &str = r"^[^/\\]+(/[^/\\]+)*$";

/// A relative path below a run's folder, in normal form.
///
/// ```
/// use innkeeper_protocol::path::WorkspacePath;
///
/// let path = WorkspacePath::parse(" .//plan//beats.md/ ")?;
/// assert_eq!(path.as_str(), "plan/beats.md");
/// assert!(WorkspacePath::parse("plan/../output/a.md").is_err());
/// # Ok::<(), innkeeper_protocol::path::PathRefusal>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(
    description = "A relative path below a run's folder, in normal form.",
    extend("pattern" = NORMAL_FORM, "maxLength" = MAX_PATH_BYTES)
)]
pub struct WorkspacePath(String);

impl WorkspacePath {
    /// Reads a path that somebody typed or that a file of ours holds. Outer white space, `.` components and doubled or trailing
    /// slashes are dropped.
    ///
    /// # Errors
    /// Names the first rule that the text breaks.
    pub fn parse(text: &str) -> Result<Self, PathRefusal> {
        rules::normalise(text.trim())
            .map(Self)
            .map_err(|rule| PathRefusal::new(text, rule))
    }

    /// Like [`parse`](Self::parse), for the tools that may name the whole workspace: a text that has no component (empty, blank,
    /// `.`, `./`) is `None`.
    ///
    /// # Errors
    /// Names the first rule that the text breaks.
    pub fn parse_or_root(text: &str) -> Result<Option<Self>, PathRefusal> {
        match Self::parse(text) {
            Ok(path) => Ok(Some(path)),
            Err(refusal) if refusal.rule == PathRule::Empty => Ok(None),
            Err(refusal) => Err(refusal),
        }
    }

    /// The path of `name` directly below this one. The name is taken as it is: nothing is trimmed or dropped.
    ///
    /// # Errors
    /// When the name is no single component, or the whole becomes too long.
    pub fn join(&self, name: &str) -> Result<Self, PathRefusal> {
        let whole = format!("{}/{name}", self.0);
        match rules::check_joined(name, whole.len()) {
            Ok(()) => Ok(Self(whole)),
            Err(rule) => Err(PathRefusal::new(&whole, rule)),
        }
    }

    /// The normal form.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The components, first to last; there is at least one.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/')
    }

    /// The first component: the root that the path lies in.
    #[must_use]
    pub fn first_segment(&self) -> &str {
        self.0.split_once('/').map_or(&*self.0, |(first, _)| first)
    }

    /// The last component.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.0.rsplit_once('/').map_or(&*self.0, |(_, last)| last)
    }

    /// The path without its last component; `None` when there is only one.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        self.0.rsplit_once('/').map(|(parent, _)| Self(parent.to_owned()))
    }

    /// Whether this is `root` itself or lies beneath it (`output_extra/x` is not under `output`).
    #[must_use]
    pub fn is_under(&self, root: &RootName) -> bool {
        self.first_segment() == root.as_str()
    }

    /// Whether this lies strictly beneath `root`: what writing needs.
    #[must_use]
    pub fn is_beneath(&self, root: &RootName) -> bool {
        self.is_under(root) && self.0.len() > root.as_str().len()
    }

    /// Whether this is `other` or lies beneath it, at a component's boundary.
    #[must_use]
    pub fn starts_with(&self, other: &Self) -> bool {
        self.0
            .strip_prefix(&other.0)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// The form under which two paths cannot live side by side on every disk: [`component_key`] of each component.
    #[must_use]
    pub fn caseless_key(&self) -> String {
        let keys: Vec<String> = self.components().map(component_key).collect();
        keys.join("/")
    }
}

/// NFC(casefold(NFC(name))): equal for names that some file system would take for the same one.
#[must_use]
pub fn component_key(name: &str) -> String {
    use caseless::Caseless as _;
    use unicode_normalization::UnicodeNormalization as _;

    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    name.nfc().default_case_fold().nfc().collect()
}

impl fmt::Display for WorkspacePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for WorkspacePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl AsRef<str> for WorkspacePath {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl FromStr for WorkspacePath {
    type Err = PathRefusal;

    fn from_str(text: &str) -> Result<Self, PathRefusal> {
        Self::parse(text)
    }
}

impl TryFrom<String> for WorkspacePath {
    type Error = PathRefusal;

    fn try_from(text: String) -> Result<Self, PathRefusal> {
        Self::parse(&text)
    }
}

impl From<WorkspacePath> for String {
    fn from(path: WorkspacePath) -> Self {
        path.0
    }
}
