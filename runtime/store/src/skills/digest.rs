//! The digest over a skill's files, which tells whether two runs had the same skill.
//!
//! It says nothing about links and other things that are not read.

use innkeeper_protocol::digest::{Sha256, hex};
use innkeeper_protocol::path::WorkspacePath;
use sha2::Digest as _;

/// Takes a skill's files in byte order of their paths.
///
/// The digest is the SHA-256 of one line for each file, `<SHA-256 of the file>  <path>` and a line feed. That is what `sha256sum` prints,
/// so anybody can check it; and since no path holds a line feed, no two sets of files have the same lines.
#[derive(Debug, Default)]
pub(super) struct SkillDigest(sha2::Sha256);

impl SkillDigest {
    pub(super) fn add(&mut self, path: &WorkspacePath, file: &Sha256) {
        self.0.update(format!("{file}  {path}\n"));
    }

    pub(super) fn finish(self) -> Sha256 {
        let text = hex(&self.0.finalize());
        // 32 bytes in hex are always a digest; the other branch keeps this function total.
        Sha256::parse(&text).unwrap_or_else(|_| Sha256::of(text.as_bytes()))
    }
}
