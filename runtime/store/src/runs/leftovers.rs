//! What a dead process leaves besides an open journal: temporary files, half a persistent state, cache entries of runs that are gone.
//!
//! Nothing here is needed by anyone, so nothing here fails: what cannot be removed is met again at the next start.

use std::fs;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use innkeeper_protocol::id::RunId;

use super::error::RunsError;
use super::folder::{INDEX, RunFolder, RunsRoot, SUMMARIES, names};
use crate::atomic;

/// Removes temporary files of a run and the persistent state that it did not finish. Only for the run's owner.
pub(crate) fn sweep(root: &RunsRoot, folder: &RunFolder) {
    let swept = Dir::open_ambient_dir(folder.path(), ambient_authority()).and_then(|dir| atomic::sweep_temps(&dir));
    if let Err(error) = swept {
        tracing::debug!(%error, "temporary files of a run were not removed");
    }
    // A state is named after its run, so an unfinished one of this run has no other writer.
    let states = root.workspace(folder.workspace_id()).join("persistent-states");
    let prefix = format!(".{}.tmp-", folder.run_id());
    for (name, is_dir) in names(&states).unwrap_or_default() {
        if is_dir && name.starts_with(&prefix) {
            ignore(fs::remove_dir_all(states.join(name)));
        }
    }
}

/// Removes cached records and summaries of runs that have no folder.
pub(crate) fn drop_orphans(root: &RunsRoot) {
    for cache in [INDEX, SUMMARIES] {
        let dir = root.index(cache);
        for (name, is_dir) in names(&dir).unwrap_or_default() {
            let id = name.strip_suffix(".json").and_then(|stem| RunId::parse(stem).ok());
            let Some(id) = id.filter(|_| !is_dir) else { continue };
            if matches!(root.find_run(&id), Err(RunsError::RunNotFound { .. })) {
                ignore(fs::remove_file(dir.join(name)));
            }
        }
    }
}

fn ignore(removed: std::io::Result<()>) {
    if let Err(error) = removed {
        tracing::debug!(%error, "a leftover was not removed");
    }
}
