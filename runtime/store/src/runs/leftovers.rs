//! What a dead process leaves besides an open journal: temporary files, half a persistent state, cache entries of runs that are gone.
//!
//! Nothing here is needed by anyone, so nothing here fails: what cannot be removed is met again at the next start.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use innkeeper_protocol::id::{RunId, StateId};

use super::error::RunsError;
use super::folder::{INDEX, RunFolder, RunsRoot, SUMMARIES, names};
use crate::atomic;
use crate::checkpoint::Checkpoints;
use crate::journal;
use crate::persistent::States;
use crate::tree::{Tree, TreeError, is_staging_name};

/// Removes what a run did not finish: temporary files, staged changes, half a checkpoint, half a persistent state. Only for the run's
/// owner.
pub(crate) fn sweep(root: &RunsRoot, folder: &RunFolder) {
    for part in [
        "",
        "model-responses",
        "input",
        "invocations",
        "tool-args",
        "tool-results",
    ] {
        sweep_folder(&folder.path().join(part));
    }
    match Tree::open(folder.path()) {
        Ok(tree) => {
            tell("staged changes", tree.sweep_leftovers());
            tell("checkpoints", Checkpoints::new(Arc::new(tree)).sweep_leftovers());
        }
        Err(error) => tell::<TreeError>("staged changes", Err(error)),
    }
    // A state is named after its run, so an unfinished one of this run has no other writer.
    let mut is_ours = |state: &StateId| state.as_str() == folder.run_id().as_str();
    tell(
        "persistent states",
        States::new(root, folder.workspace_id()).sweep_leftovers(&mut is_ours),
    );
}

/// Removes what a process was writing when it died right after its run's end: a cache, the record of an invocation. Where there is
/// nothing of the kind, it costs one look into the folder.
pub(crate) fn sweep_ended(root: &RunsRoot, folder: &RunFolder) {
    let is_leftover = |(name, _): &(String, bool)| atomic::is_temp_name(name) || is_staging_name(name);
    let is_left = names(folder.path()).is_ok_and(|found| found.iter().any(is_leftover));
    // A living owner may be writing it right now.
    if is_left && let Ok(_owner) = journal::lock(&folder.journal().dir) {
        sweep(root, folder);
    }
}

/// Removes temporary files that lie directly in a folder, if there is such a folder.
fn sweep_folder(folder: &Path) {
    let swept = Dir::open_ambient_dir(folder, ambient_authority()).and_then(|dir| atomic::sweep_temps(&dir));
    match swept {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        swept => tell("temporary files", swept),
    }
}

fn tell<E: std::error::Error>(what: &str, swept: Result<usize, E>) {
    match swept {
        Ok(0) => {}
        Ok(count) => tracing::debug!(count, "leftovers were removed: {what}"),
        Err(error) => tracing::debug!(%error, "leftovers were not removed: {what}"),
    }
}

/// Removes cached records and summaries of runs that have no folder.
pub(crate) fn drop_orphans(root: &RunsRoot) {
    for cache in [INDEX, SUMMARIES] {
        let dir = root.index(cache);
        sweep_folder(&dir);
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
