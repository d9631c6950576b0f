//! The build-script half of the SDK: turns the Markdown files in `tool/` into the enum `Tool` that
//! `innkeeper_tool::tools!()` includes, and sets a component's link options.
//!
//! A family's whole build script is `fn main() { innkeeper_tool_build::family() }`. A mistake in a
//! tool file ends the build with the file's name; nothing of it is left to find at run time.

#![allow(clippy::print_stdout, reason = "cargo reads what a build script prints")]

mod code;
mod document;
mod schema;

use std::{fs, io, path::Path, path::PathBuf, process};

use document::{Document, DocumentError};

/// Shadow stack of a component in bytes. Ours never nest deeply; a small one keeps an instance small.
const STACK_BYTES: u32 = 64 * 1024;
/// Linear memory that a component starts with, in bytes: enough for a usual call, because growing
/// memory costs more than the call itself.
const INITIAL_MEMORY_BYTES: u32 = 512 * 1024;

/// Does everything that a family's build script has to do; ends the build where it cannot.
pub fn family() {
    if let Err(error) = build() {
        println!("cargo::error={error}");
        process::exit(1);
    }
}

/// Why a family cannot be built.
#[derive(Debug, thiserror::Error)]
enum BuildError {
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("{path}: {source}")]
    Document { path: PathBuf, source: DocumentError },
    #[error("tool/ holds no .md file")]
    NoTools,
    #[error("cargo did not set OUT_DIR: call this from a build script")]
    NoOutDir,
}

fn build() -> Result<(), BuildError> {
    println!("cargo::rerun-if-changed=tool");
    link_options();
    let out = std::env::var_os("OUT_DIR").ok_or(BuildError::NoOutDir)?;
    let path = PathBuf::from(out).join("tools.rs");
    let documents = read_folder(Path::new("tool"))?;
    fs::write(&path, code::generate(&documents)).map_err(|source| BuildError::Io { path, source })
}

/// Tells the linker about stack and memory; only for a component, since a native linker has no such options.
fn link_options() {
    if std::env::var_os("CARGO_CFG_TARGET_FAMILY").is_some_and(|family| family == "wasm") {
        println!("cargo::rustc-link-arg-cdylib=-zstack-size={STACK_BYTES}");
        println!("cargo::rustc-link-arg-cdylib=--initial-memory={INITIAL_MEMORY_BYTES}");
    }
}

/// Reads every tool file, in the order of their names so that a build is the same everywhere.
fn read_folder(folder: &Path) -> Result<Vec<Document>, BuildError> {
    let at = |path: &Path| {
        let path = path.to_path_buf();
        move |source| BuildError::Io { path, source }
    };
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(at(folder))? {
        let path = entry.map_err(at(folder))?.path();
        if path.extension().is_some_and(|extension| extension == "md") {
            paths.push(path);
        }
    }
    paths.sort();
    if paths.is_empty() {
        return Err(BuildError::NoTools);
    }
    paths
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).map_err(at(&path))?;
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            Document::parse(&stem, &text).map_err(|source| BuildError::Document { path, source })
        })
        .collect()
}
