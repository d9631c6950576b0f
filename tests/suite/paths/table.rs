//! What a path can be on the ground, and what every tool and every function of a guest must say of such a thing.
//!
//! The paths themselves are in `rows`; nothing is called here.

use serde_json::{Value, json};

use crate::guests::puppet::{Act, Ended};

/// What a path is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// No path at all.
    Malformed,
    /// Blank: stands for the root, or for a default, or is missing.
    Blank,
    /// Only dots: the root where a root can be meant.
    Dots,
    /// Outside the visible roots.
    Hidden,
    /// A file in a root that nobody may write.
    ReadOnly,
    /// A root itself.
    Root,
    /// A text file.
    File,
    /// A folder.
    Directory,
    /// Nothing.
    Missing,
    /// A link, or something behind one; or a pipe.
    Odd,
    /// Something that is there under another spelling.
    Twin,
    /// Below a file.
    BehindFile,
    /// A file that is no text.
    NotText,
    /// A file above 16 MiB.
    TooLarge,
}

/// A tool that takes a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    List,
    Search,
    Read,
    Replace,
    Append,
    Patch,
    Commit,
    SkillRead,
    SkillSearch,
}

impl Tool {
    /// Those whose path is one of the workspace.
    pub const OF_WORKSPACE: [Self; 7] = [
        Self::List,
        Self::Search,
        Self::Read,
        Self::Replace,
        Self::Append,
        Self::Patch,
        Self::Commit,
    ];
    /// Those whose path is one of a skill.
    pub const OF_SKILL: [Self; 2] = [Self::SkillRead, Self::SkillSearch];

    /// The call with this path.
    pub fn call(self, path: &str) -> (&'static str, Value) {
        match self {
            Self::List => ("workspace.list_files", json!({ "path": path })),
            Self::Search => ("workspace.search_files", json!({ "path": path, "query": "quicksil" })),
            Self::Read => ("workspace.read_file", json!({ "path": path })),
            Self::Replace => ("workspace.write_file", json!({ "path": path, "content": "new" })),
            Self::Append => (
                "workspace.write_file",
                json!({ "path": path, "content": "new", "mode": "append" }),
            ),
            Self::Patch => (
                "workspace.apply_patch",
                json!({ "path": path, "old_string": "quick", "new_string": "slow", "replace_all": true }),
            ),
            Self::Commit => ("workspace.commit", json!({ "path": path })),
            Self::SkillRead => ("skill.read", json!({ "name": "lore", "path": path })),
            Self::SkillSearch => (
                "skill.search",
                json!({ "name": "lore", "path": path, "query": "quicksil" }),
            ),
        }
    }

    /// The code that must come; none for a success.
    pub const fn code(self, kind: Kind) -> Option<&'static str> {
        match self {
            Self::List | Self::Search => looking(kind),
            Self::Read | Self::Commit => reading(kind, matches!(self, Self::Commit)),
            Self::Replace | Self::Append => writing(kind, matches!(self, Self::Append)),
            Self::Patch => patching(kind),
            Self::SkillRead => of_skill(kind, true),
            Self::SkillSearch => of_skill(kind, false),
        }
    }
}

const INVALID: Option<&str> = Some("workspace.invalid_path");

const fn looking(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Malformed | Kind::Odd | Kind::BehindFile => INVALID,
        Kind::Hidden => Some("workspace.path_not_visible"),
        Kind::Missing => Some("workspace.path_not_found"),
        Kind::Twin => Some("workspace.name_conflict"),
        _ => None,
    }
}

const fn reading(kind: Kind, has_default: bool) -> Option<&'static str> {
    match kind {
        Kind::Malformed | Kind::Dots | Kind::Odd | Kind::BehindFile => INVALID,
        Kind::Blank if has_default => None,
        Kind::Blank => Some("tool.invalid_arguments"),
        Kind::Hidden => Some("workspace.path_not_visible"),
        Kind::Missing => Some("workspace.file_not_found"),
        Kind::Twin => Some("workspace.name_conflict"),
        Kind::Root | Kind::Directory => Some("workspace.path_is_directory"),
        Kind::NotText => Some("workspace.file_not_text"),
        Kind::TooLarge => Some("workspace.file_too_large"),
        Kind::File | Kind::ReadOnly => None,
    }
}

const fn writing(kind: Kind, appends: bool) -> Option<&'static str> {
    match kind {
        Kind::Hidden | Kind::ReadOnly | Kind::Root => Some("workspace.path_not_writable"),
        Kind::Missing => None,
        Kind::File if appends => None,
        Kind::File => Some("workspace.write_requires_read"),
        _ => reading(kind, false),
    }
}

/// What was not read is not looked at: nothing of the disk shows.
const fn patching(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Malformed | Kind::Dots => INVALID,
        Kind::Blank => Some("tool.invalid_arguments"),
        Kind::Hidden | Kind::ReadOnly | Kind::Root => Some("workspace.path_not_writable"),
        _ => Some("workspace.patch_requires_read"),
    }
}

const fn of_skill(kind: Kind, reads: bool) -> Option<&'static str> {
    match kind {
        Kind::Malformed | Kind::Odd | Kind::Twin => Some("skill.invalid_request"),
        Kind::Missing | Kind::BehindFile | Kind::Hidden | Kind::ReadOnly => Some("skill.not_found"),
        Kind::Dots | Kind::Root | Kind::Directory | Kind::NotText | Kind::TooLarge if reads => {
            Some("skill.invalid_request")
        }
        _ => None,
    }
}

/// How a function of a guest must end.
pub const fn ended(act: Act, kind: Kind) -> Ended {
    match act {
        Act::Resolve => resolved(kind),
        Act::List => listed(kind),
        Act::Read | Act::Show => read(kind),
        Act::Open => opened(kind),
        Act::Write | Act::Remove => changed(kind, act),
        Act::Append | Act::WriteLarge => changed(kind, act),
    }
}

const fn resolved(kind: Kind) -> Ended {
    match kind {
        Kind::Malformed => Ended::Invalid,
        Kind::Hidden => Ended::NotVisible,
        _ => Ended::Well,
    }
}

const fn listed(kind: Kind) -> Ended {
    match kind {
        Kind::Malformed | Kind::Odd => Ended::Invalid,
        Kind::Hidden => Ended::NotVisible,
        Kind::Missing => Ended::NotFound,
        Kind::Twin => Ended::NameConflict,
        Kind::BehindFile => Ended::Invalid,
        _ => Ended::Well,
    }
}

const fn read(kind: Kind) -> Ended {
    match kind {
        Kind::Blank | Kind::Dots => Ended::Invalid,
        Kind::Root | Kind::Directory => Ended::IsDirectory,
        Kind::NotText => Ended::NotText,
        Kind::TooLarge => Ended::TooLarge,
        _ => listed(kind),
    }
}

const fn opened(kind: Kind) -> Ended {
    match kind {
        Kind::Malformed | Kind::Blank | Kind::Dots => Ended::Invalid,
        Kind::Hidden | Kind::ReadOnly | Kind::Root => Ended::NotWritable,
        _ => Ended::RequiresRead,
    }
}

const fn changed(kind: Kind, act: Act) -> Ended {
    match (kind, act) {
        (Kind::Hidden | Kind::ReadOnly | Kind::Root, _) => Ended::NotWritable,
        (Kind::Missing, Act::Remove) => Ended::NotFound,
        (Kind::Missing, _) | (Kind::File, Act::Append) => Ended::Well,
        (Kind::File, _) => Ended::RequiresRead,
        _ => read(kind),
    }
}
