//! Removing what no lock file names: packages of changes that were cut off, and those that were replaced.
//!
//! Only names of our own form are touched, and only by who holds the lock.

use std::io;
use std::path::Path;

use cap_std::fs::Dir;
use innkeeper_protocol::extension::ExtensionId;

use super::layout::{STAGING, is_package_folder, move_away, package_folder};
use super::lock::LockFile;
use super::{layout, open_folder, open_in};
use crate::atomic::sweep_temps;

/// Clears the staging folder, and every package that is not named. Without a lock file packages stay: somebody may have lost it.
pub(super) fn sweep(home: &Path, named: Option<&LockFile>) -> io::Result<()> {
    let home = open_folder(home)?;
    if let Some(lock) = named {
        sweep_temps(&home)?;
        for entry in home.entries()? {
            let name = entry?.file_name();
            let id = name.to_str().and_then(|name| ExtensionId::parse(name).ok());
            if let Some(id) = id {
                sweep_packages(&home, &id, lock)?;
            }
        }
    }
    if layout::exists(&home, STAGING)? {
        clear(&open_in(&home, STAGING)?)?;
    }
    Ok(())
}

fn sweep_packages(home: &Dir, id: &ExtensionId, lock: &LockFile) -> io::Result<()> {
    // Something else than a folder is nothing of ours.
    let Ok(folder) = open_in(home, id.as_str()) else {
        return Ok(());
    };
    let kept: Vec<String> = lock
        .extensions
        .get(id)
        .into_iter()
        .flat_map(|installed| installed.editions())
        .map(|edition| package_folder(&edition.package))
        .collect();
    for entry in folder.entries()? {
        let name = entry?.file_name();
        let Some(name) = name.to_str().filter(|name| is_package_folder(name)) else {
            continue;
        };
        if !kept.iter().any(|kept| kept == name) {
            move_away(&folder, name, &layout::enter(home, STAGING)?)?;
        }
    }
    if kept.is_empty() {
        // It stays where a person has put something into it.
        let _ = home.remove_dir(id.as_str());
    }
    Ok(())
}

fn clear(staging: &Dir) -> io::Result<()> {
    for entry in staging.entries()? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            staging.remove_dir_all(entry.file_name())?;
        } else {
            staging.remove_file(entry.file_name())?;
        }
    }
    Ok(())
}
