//! World info book files: the JSON of one, and the name that a book without one goes by.
//!
//! What its entries mean is not known here, and nothing is written.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::document::{ReadError, json_of, read_regular};

/// Largest book in bytes. Books of thousands of entries have ten megabytes.
pub const MAX_BOOK_BYTES: u64 = 64 * 1024 * 1024;

/// Why a book file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BookFileError {
    /// The file itself.
    #[error("the world info book {0}")]
    File(#[from] ReadError),
    /// What is in it.
    #[error("the world info book {} is not JSON: {problem}", path.display())]
    NotJson {
        /// The file.
        path: PathBuf,
        /// Where it is wrong.
        problem: String,
    },
}

impl BookFileError {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::File(ReadError::Missing { .. }) => "worldinfo.book_not_found",
            Self::File(ReadError::NotRegular { .. } | ReadError::Unreadable { .. }) => "worldinfo.book_unreadable",
            Self::File(ReadError::TooLarge { .. }) => "worldinfo.book_too_large",
            Self::NotJson { .. } => "worldinfo.book_invalid",
        }
    }

    /// What the person can do about it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::File(error) => error.hint(),
            Self::NotJson { .. } => "Correct it at that place, or export the book again.",
        }
    }
}

/// The JSON of a book file, and the file's stem.
///
/// # Errors
/// [`BookFileError`] when the file cannot be read, is too large or is no JSON.
pub fn read_book(path: &Path) -> Result<(String, Value), BookFileError> {
    let bytes = read_regular(path, MAX_BOOK_BYTES)?;
    let value = json_of(&bytes).map_err(|problem| BookFileError::NotJson {
        path: path.to_owned(),
        problem,
    })?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok((stem, value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_book_comes_with_the_stem_of_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("The lower river.json");
        std::fs::write(&path, "{\"entries\":{}}").unwrap();
        assert_eq!(
            read_book(&path).unwrap(),
            ("The lower river".to_owned(), json!({"entries": {}}))
        );
        std::fs::write(&path, "{\"entries\":").unwrap();
        let error = read_book(&path).unwrap_err();
        assert_eq!(error.code(), "worldinfo.book_invalid");
        assert!(error.to_string().contains("line 1 column 11"), "{error}");
        assert_eq!(
            read_book(&folder.path().join("x")).unwrap_err().code(),
            "worldinfo.book_not_found"
        );
    }
}
