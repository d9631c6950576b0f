//! One name in one open folder: what it is, whether it is spelled so on the disk, and opening it without following anything.
//!
//! Knows no paths; walking is [`super::walk`]'s.

use std::io;

use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::fs::{Dir, File, FileType, OpenOptions};
use innkeeper_protocol::path::component_key;
use unicode_normalization::UnicodeNormalization as _;

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Node {
    File {
        bytes: u64,
    },
    Directory,
    Link,
    /// A pipe, socket or device.
    Special,
}

impl Node {
    pub(super) fn of_type(kind: FileType, bytes: impl FnOnce() -> io::Result<u64>) -> io::Result<Self> {
        Ok(if kind.is_symlink() {
            Self::Link
        } else if kind.is_dir() {
            Self::Directory
        } else if kind.is_file() {
            Self::File { bytes: bytes()? }
        } else {
            Self::Special
        })
    }
}

/// What a folder holds under a name.
#[derive(Debug)]
pub(super) enum Lookup {
    /// Exactly this name.
    Exact(Node),
    /// Not this name, but one that some disk would take for it.
    Twin(String),
    Absent,
}

/// Looks a name up without opening it, so that a pipe cannot block and a device is not touched.
pub(super) fn look_up(folder: &Dir, name: &str) -> io::Result<Lookup> {
    let found = stat(folder, name)?;
    match found {
        Some(node) if !may_be_alias(folder, name) => return Ok(Lookup::Exact(node)),
        _ => {}
    }
    Ok(match (spelling(folder, name)?, found) {
        (Spelling::Exact, Some(node)) => Lookup::Exact(node),
        // It came into being just now.
        (Spelling::Exact, None) => stat(folder, name)?.map_or(Lookup::Absent, Lookup::Exact),
        (Spelling::Other(existing), _) => Lookup::Twin(existing),
        // The folder knows the name and does not list it: a short name of Windows for something else.
        (Spelling::None, Some(_)) => Lookup::Twin(name.to_owned()),
        (Spelling::None, None) => Lookup::Absent,
    })
}

/// What a name stands for, without following it; `None` when there is nothing.
pub(super) fn stat(folder: &Dir, name: &str) -> io::Result<Option<Node>> {
    match folder.symlink_metadata(name) {
        Ok(metadata) => Node::of_type(metadata.file_type(), || Ok(metadata.len())).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Opens a folder; fails when the name is a link, also one that was put there this moment.
pub(super) fn open_folder(folder: &Dir, name: &str) -> io::Result<Dir> {
    folder.open_dir_nofollow(name)
}

/// Opens a regular file for reading; `None` when the name became something else since it was looked up. Never blocks: a pipe that
/// was put there this moment is opened without waiting for its writer, and then refused.
pub(super) fn open_file(folder: &Dir, name: &str) -> io::Result<Option<File>> {
    let mut options = OpenOptions::new();
    options.read(true).follow(FollowSymlinks::No).nonblock(true);
    let file = match folder.open_with(name, &options) {
        Ok(file) => file,
        Err(error) => {
            return match stat(folder, name)? {
                Some(Node::File { .. }) if error.kind() != io::ErrorKind::NotFound && !is_link_refusal(&error) => {
                    Err(error)
                }
                _ => Ok(None),
            };
        }
    };
    let is_file = file.metadata()?.is_file();
    Ok(is_file.then_some(file))
}

/// Whether an opening failed because of what the name is, not because the disk refused.
pub(super) fn is_link_refusal(error: &io::Error) -> bool {
    #[cfg(unix)]
    let by_number = error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error());
    #[cfg(not(unix))]
    let by_number = false;
    by_number || matches!(error.kind(), io::ErrorKind::NotADirectory | io::ErrorKind::IsADirectory)
}

enum Spelling {
    Exact,
    Other(String),
    None,
}

/// Reads the folder for the name as it is written there.
fn spelling(folder: &Dir, name: &str) -> io::Result<Spelling> {
    let key = component_key(name);
    let mut other = Spelling::None;
    for entry in folder.entries()? {
        let listed = entry?.file_name();
        // A name that is not Unicode has no key and cannot be a twin of one that is.
        let Some(listed) = listed.to_str() else {
            continue;
        };
        if listed == name {
            return Ok(Spelling::Exact);
        }
        let is_twin = if listed.is_ascii() && name.is_ascii() {
            listed.eq_ignore_ascii_case(name)
        } else {
            component_key(listed) == key
        };
        if is_twin {
            other = Spelling::Other(listed.to_owned());
        }
    }
    Ok(other)
}

/// Whether the disk may have found the name under another spelling: it answers to a variant too, or has short names. Reading the
/// whole folder for each step would be slow; asking for one variant is not.
fn may_be_alias(folder: &Dir, name: &str) -> bool {
    cfg!(windows) || variants(name).any(|variant| folder.symlink_metadata(variant).is_ok())
}

/// One spelling with the case of a letter turned, and one in the other Unicode form, where the name has such.
fn variants(name: &str) -> impl Iterator<Item = String> {
    let composed: String = if name.is_ascii() {
        name.to_owned()
    } else {
        name.nfc().collect()
    };
    let other_form = if composed == name && !name.is_ascii() {
        name.nfd().collect()
    } else {
        composed
    };
    let turned = turn_case(name);
    [turned, Some(other_form)]
        .into_iter()
        .flatten()
        .filter(move |variant| variant != name)
        .collect::<Vec<_>>()
        .into_iter()
}

fn turn_case(name: &str) -> Option<String> {
    let turn = |letter: char| {
        if letter.is_lowercase() {
            letter.to_uppercase().to_string()
        } else {
            letter.to_lowercase().to_string()
        }
    };
    // A letter of ASCII has one counterpart on every disk; others are tried only where there is none.
    let ascii = name.char_indices().find(|(_, letter)| letter.is_ascii_alphabetic());
    let (at, letter) = ascii.or_else(|| {
        name.char_indices()
            .find(|(_, letter)| turn(*letter) != letter.to_string())
    })?;
    let (before, rest) = name.split_at_checked(at)?;
    let after = rest.get(letter.len_utf8()..)?;
    Some(format!("{before}{}{after}", turn(letter)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_turn_one_letter_or_change_the_form() {
        let of = |name: &str| variants(name).collect::<Vec<_>>();
        assert_eq!(of("1a.md"), ["1A.md"]);
        assert_eq!(of("café"), ["Café", "cafe\u{301}"]);
        assert_eq!(of("日本"), Vec::<String>::new());
        assert_eq!(of("é"), ["É", "e\u{301}"]);
    }
}
