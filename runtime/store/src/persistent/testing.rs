//! Set-up for tests of persistent states: a chat, its runs, files in them, states changed by hand.
//!
//! No assertions live here.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::id::{RunId, StableChatId, StateId, WorkspaceId};
use innkeeper_protocol::path::WorkspacePath;
use serde_json::Value;

use super::{NewState, PersistSnapshot, Promotion, States};
use crate::listing::ListedFile;
use crate::runs::RunsRoot;
use crate::tree::Tree;

pub(crate) const CREATED_AT: &str = "2026-10-01T12:00:00Z";

/// A data root with one chat, that vanishes with it.
pub(crate) struct World {
    pub(crate) data: tempfile::TempDir,
    pub(crate) root: RunsRoot,
    pub(crate) workspace_id: WorkspaceId,
    pub(crate) states: States,
}

impl World {
    pub(crate) fn new() -> Self {
        let data = tempfile::tempdir().unwrap();
        let root = RunsRoot::new(data.path());
        let workspace_id = WorkspaceId::parse("chat_0123456789abcdef").unwrap();
        let states = States::new(&root, &workspace_id);
        Self {
            data,
            root,
            workspace_id,
            states,
        }
    }

    /// A run that begins with this state.
    pub(crate) fn run(&self, id: &str, base: Option<&str>) -> Run {
        let folder = self.root.create_run(&self.workspace_id, &run_id(id)).unwrap();
        let tree = Tree::open(folder.path()).unwrap();
        let baseline = self.states.restore(base.map(state_id).as_ref(), &tree).unwrap();
        Run {
            id: run_id(id),
            path: folder.path().to_owned(),
            tree,
            baseline,
        }
    }

    /// The folder of all states.
    pub(crate) fn folder(&self) -> PathBuf {
        self.root.workspace(&self.workspace_id).join("persistent-states")
    }

    /// The names in the folder of all states.
    pub(crate) fn names(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.folder()) else {
            return Vec::new();
        };
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// A state `run_a` with these files, by a run of its own.
    pub(crate) fn state(&self, files: &[(&str, &str)]) {
        let run = self.run("run_a", None);
        files.iter().for_each(|(path, text)| run.write(path, text));
        run.promote(self);
    }

    /// Changes the manifest of a state by hand.
    pub(crate) fn edit_manifest(&self, state: &str, edit: impl FnOnce(&mut Value)) {
        let path = self.folder().join(state).join("manifest.json");
        let mut json = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        edit(&mut json);
        fs::write(path, json.to_string()).unwrap();
    }
}

/// A run whose persistent roots are laid out.
pub(crate) struct Run {
    pub(crate) id: RunId,
    pub(crate) path: PathBuf,
    pub(crate) tree: Tree,
    pub(crate) baseline: PersistSnapshot,
}

impl Run {
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn remove(&self, path: &str) {
        fs::remove_file(self.path.join(path)).unwrap();
    }

    pub(crate) fn new_state(&self) -> NewState {
        NewState {
            run_id: self.id.clone(),
            stable_chat_id: StableChatId::parse("stable").unwrap(),
            created_at: CREATED_AT.to_owned(),
        }
    }

    pub(crate) fn promote(&self, world: &World) -> Promotion {
        world
            .states
            .promote(&self.tree, &self.baseline, self.new_state())
            .unwrap()
    }
}

pub(crate) fn run_id(id: &str) -> RunId {
    RunId::parse(id).unwrap()
}

pub(crate) fn state_id(id: &str) -> StateId {
    StateId::parse(id).unwrap()
}

pub(crate) fn file(path: &str, text: &str) -> ListedFile {
    ListedFile {
        path: WorkspacePath::parse(path).unwrap(),
        sha256: Sha256::of(text.as_bytes()),
        bytes: u64::try_from(text.len()).unwrap(),
    }
}

/// Everything below a folder: files with their text, folders with a slash at the end and none.
pub(crate) fn everything(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![(String::new(), folder.to_owned())];
    while let Some((prefix, folder)) = waiting.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{prefix}{}", entry.file_name().into_string().unwrap());
            if entry.file_type().unwrap().is_dir() {
                found.insert(format!("{name}/"), String::new());
                waiting.push((format!("{name}/"), entry.path()));
            } else {
                found.insert(name, fs::read_to_string(entry.path()).unwrap());
            }
        }
    }
    found
}
