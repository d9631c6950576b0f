//! Reading one file, whole.
//!
//! Pages and read-state are the caller's.

use std::io::{self, Read, Write};

use cap_std::fs::File;
use innkeeper_protocol::digest::{Sha256, hex};
use innkeeper_protocol::path::WorkspacePath;
use sha2::Digest as _;

use super::node::{self, Node};
use super::walk::{self, Missing, RACE_RETRIES};
use super::{Tree, TreeError};

/// The most that a tool reads of one file, in bytes: a file is held in memory whole, and copied into a guest.
pub const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// How much is read at once where a file of any length is hashed or copied.
const COPY_BUFFER_BYTES: usize = 64 * 1024;

/// A text file as it was at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileText {
    /// The whole text; a byte order mark is part of it.
    pub text: String,
    /// Of the file's bytes.
    pub sha256: Sha256,
}

/// A file as it was at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileBytes {
    /// The whole content.
    pub bytes: Vec<u8>,
    /// Of `bytes`.
    pub sha256: Sha256,
}

impl Tree {
    /// Reads a text file of at most `limit` bytes ([`MAX_FILE_BYTES`] for tools).
    ///
    /// # Errors
    /// When there is no such file, it is no text, or too large; see [`TreeError`].
    pub fn read(&self, path: &WorkspacePath, limit: u64) -> Result<FileText, TreeError> {
        let FileBytes { bytes, sha256 } = self.read_bytes(path, limit)?;
        let text = String::from_utf8(bytes).map_err(|_| TreeError::NotText { path: path.clone() })?;
        Ok(FileText { text, sha256 })
    }

    /// Reads a file of at most `limit` bytes, text or not.
    ///
    /// # Errors
    /// When there is no such file or it is too large; see [`TreeError`].
    pub fn read_bytes(&self, path: &WorkspacePath, limit: u64) -> Result<FileBytes, TreeError> {
        self.check_root()?;
        let file = self.open_file(path)?;
        let length = file.metadata().map_err(TreeError::io("read", path.as_str()))?.len();
        let too_large = |bytes| TreeError::TooLarge {
            path: path.clone(),
            bytes,
            limit,
        };
        if length > limit {
            return Err(too_large(length));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
        // The file may grow while it is read; one byte beyond the limit shows that.
        file.take(limit.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(TreeError::io("read", path.as_str()))?;
        let read = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        if read > limit {
            return Err(too_large(read));
        }
        Ok(FileBytes {
            sha256: Sha256::of(&bytes),
            bytes,
        })
    }

    /// Opens a file for reading.
    pub(crate) fn open_file(&self, path: &WorkspacePath) -> Result<File, TreeError> {
        let not_found = || TreeError::FileNotFound { path: path.clone() };
        let parent = walk::parent(self.root(), path, Missing::Stop)?.ok_or_else(not_found)?;
        for _ in 0..RACE_RETRIES {
            match walk::target(&parent, path)? {
                None => return Err(not_found()),
                Some(Node::Directory) => return Err(TreeError::IsDirectory { path: path.clone() }),
                Some(_) => {
                    let file =
                        node::open_file(&parent, path.file_name()).map_err(TreeError::io("open", path.as_str()))?;
                    if let Some(file) = file {
                        return Ok(file);
                    }
                }
            }
        }
        Err(TreeError::Link {
            path: path.clone(),
            at: path.clone(),
        })
    }
}

/// Copies everything from `source` to `sink`; the digest and the number of bytes.
pub(crate) fn hash_into(source: &mut dyn Read, sink: &mut dyn Write) -> io::Result<(Sha256, u64)> {
    let mut hasher = sha2::Sha256::new();
    let mut buffer = vec![0; COPY_BUFFER_BYTES];
    let mut total: u64 = 0;
    loop {
        let read = match source.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let chunk = buffer.get(..read).unwrap_or_default();
        hasher.update(chunk);
        sink.write_all(chunk)?;
        total = total.saturating_add(u64::try_from(read).unwrap_or(u64::MAX));
    }
    let digest = Sha256::parse(&hex(&hasher.finalize())).map_err(io::Error::other)?;
    Ok((digest, total))
}
