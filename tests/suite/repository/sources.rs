//! The files of the repository, as checks read them. What is built or generated into `target` is no part of it.

use std::path::{Path, PathBuf};

use crate::host;

/// Our own Rust files: path from the repository's root, and text.
pub fn rust_files() -> Vec<(String, String)> {
    ["runtime", "plugins", "tests"]
        .iter()
        .flat_map(|folder| files_below(&host::repository().join(folder)))
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| (relative(&path), std::fs::read_to_string(&path).unwrap()))
        .collect()
}

/// Every file below a folder, in order.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let entry = entry.unwrap();
            match entry.file_type().unwrap() {
                kind if kind.is_dir() && entry.file_name() != "target" => open.push(entry.path()),
                kind if kind.is_file() => files.push(entry.path()),
                _ => {}
            }
        }
    }
    files.sort();
    files
}

/// The path from the repository's root, with slashes.
pub fn relative(path: &Path) -> String {
    let path = path.strip_prefix(host::repository()).unwrap();
    path.to_str().unwrap().replace('\\', "/")
}
