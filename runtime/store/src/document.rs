//! Reading a JSON document that a person names: a regular file, never a pipe, up to a size.
//!
//! What the document means is not known here.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use serde_json::Value;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
const MIB: u64 = 1024 * 1024;

/// Why a file cannot be read. The words go on after what kind of document it is.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// Nothing there.
    #[error("{} does not exist", path.display())]
    Missing {
        /// The path.
        path: PathBuf,
    },
    /// A folder, a pipe or a device.
    #[error("{} is not a regular file", path.display())]
    NotRegular {
        /// The path.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("{} cannot be read", path.display())]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// What it said.
        #[source]
        source: io::Error,
    },
    /// Too many bytes.
    #[error("{} is larger than {} MiB", path.display(), limit / MIB)]
    TooLarge {
        /// The path.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
}

impl ReadError {
    /// What the person can do about it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "Check the path.",
            Self::NotRegular { .. } => "Give the path of a file.",
            Self::Unreadable { .. } => "Check the path and its permissions.",
            Self::TooLarge { .. } => "Give a smaller file.",
        }
    }
}

/// Reads a regular file of at most `limit` bytes. A link is followed: the file is only read.
///
/// # Errors
/// [`ReadError`].
pub(crate) fn read_regular(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let unreadable = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => ReadError::Missing { path: path.to_owned() },
        _ => ReadError::Unreadable {
            path: path.to_owned(),
            source,
        },
    };
    // Asked before opening: opening a pipe would wait for someone to write into it.
    if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(ReadError::NotRegular { path: path.to_owned() });
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > limit {
        return Err(ReadError::TooLarge {
            path: path.to_owned(),
            limit,
        });
    }
    Ok(bytes)
}

/// Parses JSON; the error says where it is wrong. A byte-order mark in front is passed over (RFC 8259, 8.1).
pub(crate) fn json_of(bytes: &[u8]) -> Result<Value, String> {
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    serde_json::from_slice(bytes).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_file_and_what_is_too_large_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("f");
        assert!(matches!(read_regular(&file, 3), Err(ReadError::Missing { .. })));
        assert!(matches!(
            read_regular(folder.path(), 3),
            Err(ReadError::NotRegular { .. })
        ));
        std::fs::write(&file, "1234").unwrap();
        assert!(matches!(
            read_regular(&file, 3),
            Err(ReadError::TooLarge { limit: 3, .. })
        ));
        assert_eq!(read_regular(&file, 4).unwrap(), b"1234");
    }

    #[test]
    fn nesting_is_bounded_and_a_mark_in_front_is_passed_over() {
        assert_eq!(json_of("\u{feff}[1]".as_bytes()), Ok(serde_json::json!([1])));
        assert!(
            json_of("[".repeat(100_000).as_bytes())
                .unwrap_err()
                .contains("recursion limit")
        );
    }
}
