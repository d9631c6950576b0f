//! A package before it is installed: a folder with a manifest, a component, cases and texts, read into memory within limits.
//!
//! What was checked is then what is written: the folder is not looked at a second time. Nothing is followed and nothing is waited for; a
//! link, or anything else that is no regular file, refuses the whole package. Other folders, such as sources and build output, are no part
//! of a package and are left alone.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Path, PathBuf};

use cap_std::fs::{Dir, FileType, OpenOptions};
use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::path::WorkspacePath;

use super::{layout, open_folder, open_in};
use crate::atomic::sync_folder;
use crate::regular;

/// Most bytes of a manifest; real ones have some hundreds.
pub const MAX_MANIFEST_BYTES: u64 = 64 * 1024;
/// Most bytes of a case or text.
const MAX_DOCUMENT_BYTES: u64 = 1024 * 1024;
/// Most bytes of all cases and texts together.
const MAX_DOCUMENTS_BYTES: u64 = 16 * 1024 * 1024;
/// Most entries of a package's folder, and of its folder of cases.
const MAX_ENTRIES: usize = 1_000;
/// The folder of cases.
const CASES: &str = "cases";
/// Texts that belong to a package wherever they are: how their names begin, in lower case.
const TEXTS: [&str; 4] = ["readme", "license", "changelog", "notice"];

/// Why a package cannot be read. Paths are those in the package.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackageError {
    /// Nothing there.
    #[error("{} is not there", path.display())]
    Missing {
        /// The file or folder.
        path: PathBuf,
    },
    /// A link, a device, a folder in a file's place.
    #[error("{} is {found}; a package holds regular files only", path.display())]
    NotRegular {
        /// The file.
        path: PathBuf,
        /// What it is.
        found: &'static str,
    },
    /// A name that leads out of the package, or that not every disk can hold.
    #[error("{name:?} cannot be a file of a package: {rule}")]
    Name {
        /// The name.
        name: String,
        /// The rule that it breaks.
        rule: String,
    },
    /// Two names that some disks take for one.
    #[error("{first} and {second} are one name on some disks")]
    NameConflict {
        /// One of them.
        first: WorkspacePath,
        /// The other.
        second: WorkspacePath,
    },
    /// Too many bytes.
    #[error("{} has more than {limit} bytes", path.display())]
    TooLarge {
        /// The file, or the folder for all texts together.
        path: PathBuf,
        /// The limit.
        limit: u64,
    },
    /// Too many names.
    #[error("{} has more than {MAX_ENTRIES} entries", path.display())]
    TooMany {
        /// The folder.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("{} cannot be read: {source}", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
}

impl PackageError {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        "extension.package_invalid"
    }

    /// What the person can do about it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "A package is a folder with extension.toml and the component that it names.",
            Self::NotRegular { .. } => "Put the file itself in the place of the link.",
            Self::Name { .. } | Self::NameConflict { .. } => "Give the file another name.",
            Self::TooLarge { .. } | Self::TooMany { .. } => "Leave out what the extension does not need.",
            Self::Unreadable { .. } => "Check the path and its permissions.",
        }
    }
}

/// The folder of a package.
#[derive(Debug)]
pub struct PackageSource {
    path: PathBuf,
    root: Dir,
}

/// What lies in a package beside manifest and component.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Documents {
    /// Cases and texts with their contents.
    pub files: Vec<(WorkspacePath, Vec<u8>)>,
    /// Names that are no part of a package.
    pub left_out: Vec<String>,
}

impl PackageSource {
    /// Opens the folder. A link that a person names is followed; nothing below it is.
    ///
    /// # Errors
    /// [`PackageError::Missing`] or [`PackageError::Unreadable`].
    pub fn open(folder: &Path) -> Result<Self, PackageError> {
        let root = open_folder(folder).map_err(|source| unreadable(folder.to_owned(), source))?;
        Ok(Self {
            path: folder.to_owned(),
            root,
        })
    }

    /// Reads one file, which a manifest names. The name is checked as if it came from anywhere.
    ///
    /// # Errors
    /// [`PackageError`].
    pub fn read(&self, name: &str, limit: u64) -> Result<Vec<u8>, PackageError> {
        let path = package_path(name)?;
        let mut folder = self
            .root
            .try_clone()
            .map_err(|source| unreadable(self.path.clone(), source))?;
        let mut here = self.path.clone();
        if let Some(parent) = path.parent() {
            for component in parent.components() {
                here.push(component);
                let kind = self.kind(&folder, component, &here)?;
                if !kind.is_dir() {
                    return Err(not_regular(here, kind));
                }
                folder = open_in(&folder, component).map_err(|source| unreadable(here.clone(), source))?;
            }
        }
        here.push(path.file_name());
        let kind = self.kind(&folder, path.file_name(), &here)?;
        if !kind.is_file() {
            return Err(not_regular(here, kind));
        }
        regular::read_in(&folder, path.file_name(), limit).map_err(|source| match source.kind() {
            io::ErrorKind::FileTooLarge => PackageError::TooLarge { path: here, limit },
            _ => unreadable(here, source),
        })
    }

    /// Reads cases and texts, and names what is left out.
    ///
    /// # Errors
    /// [`PackageError`]; a link directly in the package or among its cases refuses it as a whole.
    pub fn documents(&self) -> Result<Documents, PackageError> {
        let mut documents = Documents::default();
        for (name, kind) in self.entries(&self.root, &self.path)? {
            let lower = name.to_lowercase();
            if kind.is_dir() && name == CASES {
                self.cases(&mut documents)?;
            } else if kind.is_file() && TEXTS.iter().any(|text| lower.starts_with(text)) {
                self.add(&mut documents, &name)?;
            } else {
                documents.left_out.push(name);
            }
        }
        Ok(documents)
    }

    fn cases(&self, documents: &mut Documents) -> Result<(), PackageError> {
        let path = self.path.join(CASES);
        let folder = open_in(&self.root, CASES).map_err(|source| unreadable(path.clone(), source))?;
        for (name, kind) in self.entries(&folder, &path)? {
            let name = format!("{CASES}/{name}");
            if kind.is_file() && name.ends_with(".toml") {
                self.add(documents, &name)?;
            } else {
                documents.left_out.push(name);
            }
        }
        Ok(())
    }

    fn add(&self, documents: &mut Documents, name: &str) -> Result<(), PackageError> {
        let bytes = self.read(name, MAX_DOCUMENT_BYTES)?;
        documents.files.push((package_path(name)?, bytes));
        // Looked at after each file, so that never more than one too many is held.
        let bytes: u64 = documents.files.iter().map(|(_, bytes)| bytes.len() as u64).sum();
        if bytes > MAX_DOCUMENTS_BYTES {
            return Err(PackageError::TooLarge {
                path: self.path.clone(),
                limit: MAX_DOCUMENTS_BYTES,
            });
        }
        Ok(())
    }

    /// Names and kinds in a folder, in order; files and folders only.
    fn entries(&self, folder: &Dir, path: &Path) -> Result<Vec<(String, FileType)>, PackageError> {
        let failed = |source| unreadable(path.to_owned(), source);
        let mut entries = Vec::new();
        for entry in folder.entries().map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let kind = entry.file_type().map_err(failed)?;
            let name = entry.file_name();
            if !kind.is_dir() && !kind.is_file() {
                return Err(not_regular(path.join(&name), kind));
            }
            if entries.len() == MAX_ENTRIES {
                return Err(PackageError::TooMany { path: path.to_owned() });
            }
            entries.push((name.to_string_lossy().into_owned(), kind));
        }
        entries.sort_by(|(a, _), (b, _)| a.cmp(b));
        Ok(entries)
    }

    fn kind(&self, folder: &Dir, name: &str, path: &Path) -> Result<FileType, PackageError> {
        let metadata = folder.symlink_metadata(name);
        Ok(metadata
            .map_err(|source| unreadable(path.to_owned(), source))?
            .file_type())
    }
}

/// All files of a package, whole and within limits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PackageFiles {
    files: BTreeMap<WorkspacePath, Vec<u8>>,
    /// The same by the names that some disks take for one.
    names: HashMap<String, WorkspacePath>,
}

impl PackageFiles {
    /// Adds a file.
    ///
    /// # Errors
    /// [`PackageError::NameConflict`] when another one has its name, or has it on some disks.
    pub fn add(&mut self, path: WorkspacePath, bytes: Vec<u8>) -> Result<(), PackageError> {
        match self.names.entry(path.caseless_key()) {
            Entry::Occupied(other) => Err(PackageError::NameConflict {
                first: other.get().clone(),
                second: path,
            }),
            Entry::Vacant(place) => {
                place.insert(path.clone());
                self.files.insert(path, bytes);
                Ok(())
            }
        }
    }

    /// The content of a file.
    #[must_use]
    pub fn get(&self, path: &WorkspacePath) -> Option<&[u8]> {
        self.files.get(path).map(Vec::as_slice)
    }

    /// A digest over names and contents.
    #[must_use]
    pub fn digest(&self) -> Sha256 {
        // No path holds a line feed, so nothing else gives the same list.
        let list: String = self
            .files
            .iter()
            .map(|(path, bytes)| format!("{} {path}\n", Sha256::of(bytes)))
            .collect();
        Sha256::of(list.as_bytes())
    }

    /// Whether all of them lie in a folder, unchanged.
    pub(super) fn are_in(&self, folder: &Path) -> bool {
        let Ok(source) = PackageSource::open(folder) else {
            return false;
        };
        let is_there = |(path, bytes): (&WorkspacePath, &Vec<u8>)| {
            let found = source.read(path.as_str(), bytes.len() as u64);
            found.is_ok_and(|found| found == *bytes)
        };
        self.files.iter().all(is_there)
    }

    /// Writes everything, durably, into a new folder.
    pub(super) fn write_into(
        &self,
        folder: &Dir,
        name: &str,
        written: &mut dyn FnMut() -> io::Result<()>,
    ) -> io::Result<()> {
        folder.create_dir(name)?;
        let root = open_in(folder, name)?;
        for (path, bytes) in &self.files {
            let mut here = root.try_clone()?;
            for component in path.parent().iter().flat_map(WorkspacePath::components) {
                here = layout::enter(&here, component)?;
            }
            let mut file = here.open_with(path.file_name(), OpenOptions::new().write(true).create_new(true))?;
            io::Write::write_all(&mut file, bytes)?;
            file.sync_all()?;
            sync_folder(&here)?;
            written()?;
        }
        sync_folder(&root)?;
        sync_folder(folder)
    }
}

/// A name inside a package: relative, plain, the same on every disk.
fn package_path(name: &str) -> Result<WorkspacePath, PackageError> {
    let refused = |rule: String| PackageError::Name {
        name: name.chars().take(200).collect(),
        rule,
    };
    let path = WorkspacePath::parse(name).map_err(|refusal| refused(refusal.rule.to_string()))?;
    if path.as_str() == name {
        Ok(path)
    } else {
        Err(refused(format!("write {path}")))
    }
}

fn unreadable(path: PathBuf, source: io::Error) -> PackageError {
    match source.kind() {
        io::ErrorKind::NotFound => PackageError::Missing { path },
        _ => PackageError::Unreadable { path, source },
    }
}

fn not_regular(path: PathBuf, kind: FileType) -> PackageError {
    let found = if kind.is_symlink() {
        "a link"
    } else if kind.is_dir() {
        "a folder"
    } else if kind.is_file() {
        "a file"
    } else {
        "a pipe or device"
    };
    PackageError::NotRegular { path, found }
}
