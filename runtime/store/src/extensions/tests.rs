//! Packages on disk: what is taken in, what is refused, and what a killed install leaves behind.

use std::collections::{BTreeMap, BTreeSet};

use innkeeper_protocol::path::WorkspacePath;
use tempfile::TempDir;

use super::*;

mod killed;
mod packages;

/// A data root with extensions, and packages to put into it.
struct Place {
    root: TempDir,
    folder: ExtensionsFolder,
}

impl Place {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let folder = ExtensionsFolder::new(root.path());
        Self { root, folder }
    }

    /// Every file below the folder of extensions, without the file that carries the lock.
    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let home = self.root.path().join(FOLDER);
        let mut files = BTreeMap::new();
        let mut waiting = vec![home.clone()];
        while let Some(folder) = waiting.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(&home).unwrap().to_str().unwrap().to_owned();
                if path.is_dir() {
                    waiting.push(path);
                } else if name != LOCK_NAME {
                    files.insert(name, std::fs::read(&path).unwrap());
                }
            }
        }
        files
    }

    fn install(&self, package: &Package) {
        let expected = self.folder.read().unwrap().extensions.get(&mood()).cloned();
        self.folder.replace(&package.replacing(expected.as_ref())).unwrap();
    }
}

fn mood() -> ExtensionId {
    ExtensionId::parse("mood").unwrap()
}

fn path(text: &str) -> WorkspacePath {
    WorkspacePath::parse(text).unwrap()
}

/// A package and what the lock file is to say of it.
struct Package {
    id: ExtensionId,
    files: PackageFiles,
    installed: Installed,
}

impl Package {
    fn new(version: &str, granted: &[&str]) -> Self {
        let (manifest, component) = (format!("version = {version:?}"), format!("component {version}"));
        let mut files = PackageFiles::default();
        for (name, text) in [
            (MANIFEST, &manifest),
            ("mood.wasm", &component),
            ("cases/one.toml", &manifest),
        ] {
            files.add(path(name), text.clone().into_bytes()).unwrap();
        }
        let active = Edition {
            version: version.to_owned(),
            publisher: "Lantern Press".to_owned(),
            package: files.digest(),
            manifest: Sha256::of(manifest.as_bytes()),
            component: path("mood.wasm"),
            sha256: Sha256::of(component.as_bytes()),
            bytes: component.len() as u64,
            asks: BTreeSet::from(["chat".to_owned()]),
            specs: BTreeMap::new(),
        };
        let installed = Installed {
            active,
            update: None,
            granted: granted.iter().map(|name| (*name).to_owned()).collect(),
        };
        Self {
            id: mood(),
            files,
            installed,
        }
    }

    fn replacing<'a>(&'a self, expected: Option<&'a Installed>) -> Replacement<'a> {
        Replacement {
            id: &self.id,
            expected,
            new: Some(&self.installed),
            files: Some(&self.files),
        }
    }

    fn opened(&self) -> InstalledFiles {
        let version = &self.installed.active.version;
        InstalledFiles {
            manifest: format!("version = {version:?}").into_bytes(),
            component: format!("component {version}").into_bytes(),
        }
    }
}

#[test]
fn what_was_installed_is_read_again_and_only_that() {
    let place = Place::new();
    assert_eq!(place.folder.read().unwrap(), LockFile::default());
    assert_eq!(place.folder.stamp(), None);
    let package = Package::new("1.0.0", &["chat"]);
    place.install(&package);
    let lock = place.folder.read().unwrap();
    assert_eq!(lock.extensions, BTreeMap::from([(mood(), package.installed.clone())]));
    let opened = place.folder.open(&mood(), &package.installed.active).unwrap();
    assert_eq!(opened, package.opened());
}

#[test]
fn an_update_takes_the_place_of_the_old_files_and_a_removal_leaves_none() {
    let place = Place::new();
    place.install(&Package::new("1.0.0", &["chat"]));
    let update = Package::new("1.1.0", &["chat"]);
    place.install(&update);
    assert_eq!(place.files().len(), 4, "{:?}", place.files().keys());
    place.folder.open(&mood(), &update.installed.active).unwrap();
    let removal = Replacement {
        id: &mood(),
        expected: Some(&update.installed),
        new: None,
        files: None,
    };
    place.folder.replace(&removal).unwrap();
    assert_eq!(place.files().keys().collect::<Vec<_>>(), [LOCK_FILE]);
    assert_eq!(place.folder.read().unwrap(), LockFile::default());
}

#[test]
fn a_change_of_something_that_is_not_as_it_was_seen_is_refused() {
    let place = Place::new();
    let package = Package::new("1.0.0", &[]);
    place.install(&package);
    let before = place.files();
    let update = Package::new("1.1.0", &["chat"]);
    for expected in [None, Some(&update.installed)] {
        let error = place.folder.replace(&update.replacing(expected)).unwrap_err();
        assert_eq!(error.code(), "store.extensions_changed");
    }
    assert_eq!(place.files(), before);
}

#[test]
fn bytes_that_differ_from_the_lock_are_refused() {
    let place = Place::new();
    let package = Package::new("1.0.0", &["chat"]);
    place.install(&package);
    let edition = &package.installed.active;
    let component = place.folder.package_path(&mood(), edition).join("mood.wasm");
    let whole = std::fs::read(&component).unwrap();
    let code = || place.folder.open(&mood(), edition).map_err(|error| error.to_string());
    for bytes in [
        &b"component 6.6.6"[..],
        &whole[..5],
        &[whole.as_slice(), b"more"].concat(),
    ] {
        std::fs::write(&component, bytes).unwrap();
        let said = code().unwrap_err();
        assert!(said.contains("mood.wasm was changed after it was installed"), "{said}");
    }
    std::fs::remove_file(&component).unwrap();
    assert!(code().unwrap_err().contains("mood.wasm is missing"));
    // Installing it again mends it, and what was granted stays.
    place.install(&package);
    assert_eq!(code(), Ok(package.opened()));
}

#[test]
fn a_lock_file_that_makes_no_sense_is_never_taken_for_an_empty_one() {
    let place = Place::new();
    place.install(&Package::new("1.0.0", &["chat"]));
    let file = place.folder.lock_path();
    let text = std::fs::read_to_string(&file).unwrap();
    let kept = place.files();
    for (bad, word) in [
        (text[..text.len() / 2].to_owned(), "line"),
        (
            text.replace("\"schemaVersion\": 1", "\"schemaVersion\": 2"),
            "version 2",
        ),
        (text.replace("\"granted\"", "\"trusted\""), "trusted"),
        (text.replace("mood.wasm", "../mood.wasm"), "line"),
        (String::new(), "line"),
    ] {
        std::fs::write(&file, &bad).unwrap();
        let error = place.folder.read().unwrap_err();
        assert!(error.to_string().contains(word), "{error}");
        let update = Package::new("1.1.0", &[]);
        assert_eq!(
            place.folder.replace(&update.replacing(None)).unwrap_err().code(),
            "store.extensions_damaged"
        );
        place.folder.sweep();
        assert_eq!(
            place.files().len(),
            kept.len(),
            "packages of a file that cannot be read stay"
        );
    }
}
