//! The digest of everything that a component is made from.
//!
//! It covers more than strictly needed (the whole of `wit/`) rather than less: a needless rebuild costs a
//! minute, a missed one ships tools that do not match their sources.

use std::{
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context;
use sha2::{Digest, Sha256};

use crate::families::Family;

/// What every component is made from, beside its own folder and the WIT packages.
const SHARED: [&str; 4] = [
    "plugins/Cargo.toml",
    "plugins/Cargo.lock",
    "plugins/sdk",
    "runtime/text",
];

/// SHA-256 in lower-case hex over the paths and bytes of a family's sources.
pub(crate) fn digest(root: &Path, family: &Family) -> anyhow::Result<String> {
    let mut files = Vec::new();
    collect(&family.folder, &mut files)?;
    for shared in SHARED {
        collect(&root.join(shared), &mut files)?;
    }
    collect_packages(&root.join("wit"), &mut files)?;
    let mut named = Vec::with_capacity(files.len());
    for file in files {
        named.push((portable_name(root, &file)?, file));
    }
    named.sort();
    let mut hasher = Sha256::new();
    for (name, file) in named {
        let bytes = fs::read(&file).with_context(|| file.display().to_string())?;
        // Lengths keep two files from being taken for one.
        hasher.update((name.len() as u64).to_le_bytes());
        hasher.update(name);
        hasher.update((bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    }
    Ok(hex(&hasher.finalize()))
}

/// SHA-256 of bytes in lower-case hex.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(digest: &[u8]) -> String {
    let mut text = String::with_capacity(digest.len() * 2);
    for byte in digest {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Adds the file, or every file below the folder; hidden ones belong to editors and version control.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    if path.is_file() {
        files.push(path.to_path_buf());
        return Ok(());
    }
    for entry in fs::read_dir(path).with_context(|| path.display().to_string())? {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().starts_with('.') {
            collect(&entry.path(), files)?;
        }
    }
    Ok(())
}

/// Adds the WIT packages; other files among them, such as a README, make no component.
fn collect_packages(folder: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let mut found = Vec::new();
    collect(folder, &mut found)?;
    files.extend(
        found
            .into_iter()
            .filter(|path| path.extension().is_some_and(|extension| extension == "wit")),
    );
    Ok(())
}

/// The path inside the checkout with `/` on every platform.
fn portable_name(root: &Path, file: &Path) -> anyhow::Result<String> {
    let inside = file.strip_prefix(root)?;
    let parts: Vec<_> = inside.iter().map(|part| part.to_string_lossy()).collect();
    Ok(parts.join("/"))
}

#[cfg(test)]
mod tests;
