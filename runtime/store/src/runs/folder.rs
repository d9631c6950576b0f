//! Where runs lie: `DATA/_tauritavern/agent-workspaces/`.
//!
//! Names come from checked ids, so no path here can leave the root. What lies inside a run's folder beyond the journal and the
//! record belongs to others.

use std::fs::{self, DirBuilder};
use std::io;
use std::path::{Path, PathBuf};

use innkeeper_protocol::id::{RunId, WorkspaceId};

use super::error::{RunIssue, RunsError};
use crate::journal::Location;

/// Below DATA. Shared with the application, byte for byte.
const ROOT: [&str; 2] = ["_tauritavern", "agent-workspaces"];

/// Cached records, by run.
pub(crate) const INDEX: &str = "runs";
/// Cached summaries, by run.
pub(crate) const SUMMARIES: &str = "run-summaries";

/// The folder of all runs of a data root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunsRoot {
    path: PathBuf,
}

/// The folder of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFolder {
    workspace_id: WorkspaceId,
    location: Location,
}

impl RunFolder {
    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.location.dir
    }

    /// The run.
    #[must_use]
    pub fn run_id(&self) -> &RunId {
        &self.location.run_id
    }

    /// The folder of the run's chat, by its name.
    #[must_use]
    pub fn workspace_id(&self) -> &WorkspaceId {
        &self.workspace_id
    }

    /// The run's journal.
    #[must_use]
    pub fn journal(&self) -> &Location {
        &self.location
    }

    pub(crate) fn record_path(&self) -> PathBuf {
        self.path().join("run.json")
    }
}

impl RunsRoot {
    /// The runs of this data root; nothing is created.
    #[must_use]
    pub fn new(data_root: &Path) -> Self {
        let path = ROOT.iter().fold(data_root.to_owned(), |path, name| path.join(name));
        Self { path }
    }

    /// The folder itself.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of a chat: its runs and its persistent states.
    #[must_use]
    pub fn workspace(&self, workspace_id: &WorkspaceId) -> PathBuf {
        self.path.join("chats").join(workspace_id.as_str())
    }

    /// Creates the folder of a new run; only the user can look into it.
    ///
    /// # Errors
    /// When it exists already, or cannot be created.
    pub fn create_run(&self, workspace_id: &WorkspaceId, run_id: &RunId) -> Result<RunFolder, RunsError> {
        let folder = self.folder(workspace_id, run_id);
        let io_error = |source| RunsError::Io {
            path: folder.path().to_owned(),
            source,
        };
        if let Some(parent) = folder.path().parent() {
            private_dir(true).create(parent).map_err(io_error)?;
            private_dir(false).create(folder.path()).map_err(io_error)?;
            // Any of the folders above may be new, too.
            let mut above = parent.ancestors().take_while(|dir| dir.starts_with(&self.path));
            above.try_for_each(crate::journal::sync_dir).map_err(io_error)?;
        }
        Ok(folder)
    }

    /// The folder of a run, in whichever chat it is.
    ///
    /// # Errors
    /// `agent.not_found`, or that the folders cannot be read.
    pub fn find_run(&self, run_id: &RunId) -> Result<RunFolder, RunsError> {
        for (workspace_id, _) in self.workspaces()? {
            let folder = self.folder(&workspace_id, run_id);
            match folder.path().symlink_metadata() {
                Ok(metadata) if metadata.is_dir() => return Ok(folder),
                Ok(_) => {
                    return Err(RunsError::NotAFolder {
                        path: folder.path().to_owned(),
                    });
                }
                Err(source) if source.kind() == io::ErrorKind::NotFound => {}
                Err(source) => {
                    return Err(RunsError::Io {
                        path: folder.path().to_owned(),
                        source,
                    });
                }
            }
        }
        Err(RunsError::RunNotFound { run_id: run_id.clone() })
    }

    /// Every run's folder, and what is in the way of reading some.
    ///
    /// # Errors
    /// When the folder of chats cannot be read.
    pub fn folders(&self) -> Result<(Vec<RunFolder>, Vec<RunIssue>), RunsError> {
        let (mut folders, mut issues) = (Vec::new(), Vec::new());
        for (workspace_id, path) in self.workspaces()? {
            let runs = match names(&path.join("runs")) {
                Ok(runs) => runs,
                Err(error) => {
                    issues.push(issue(None, workspace_id.as_str(), &error));
                    continue;
                }
            };
            for (name, is_dir) in runs {
                // Other names are none of ours; a leading dot marks what is being deleted.
                let Ok(run_id) = RunId::parse(&name) else { continue };
                let folder = self.folder(&workspace_id, &run_id);
                if is_dir {
                    folders.push(folder);
                } else {
                    let error = RunsError::NotAFolder {
                        path: folder.path().to_owned(),
                    };
                    issues.push(issue(Some(run_id), &name, &error));
                }
            }
        }
        Ok((folders, issues))
    }

    pub(crate) fn index_path(&self, run_id: &RunId) -> PathBuf {
        self.index(INDEX).join(format!("{run_id}.json"))
    }

    pub(crate) fn summary_path(&self, run_id: &RunId) -> PathBuf {
        self.index(SUMMARIES).join(format!("{run_id}.json"))
    }

    /// One of the folders of caches.
    pub(crate) fn index(&self, name: &str) -> PathBuf {
        self.path.join("index").join(name)
    }

    fn folder(&self, workspace_id: &WorkspaceId, run_id: &RunId) -> RunFolder {
        let dir = self.workspace(workspace_id).join("runs").join(run_id.as_str());
        RunFolder {
            workspace_id: workspace_id.clone(),
            location: Location {
                dir,
                run_id: run_id.clone(),
            },
        }
    }

    fn workspaces(&self) -> Result<Vec<(WorkspaceId, PathBuf)>, RunsError> {
        let chats = self.path.join("chats");
        let found = names(&chats)?.into_iter().filter(|(_, is_dir)| *is_dir);
        Ok(found
            .filter_map(|(name, _)| WorkspaceId::parse(&name).ok())
            .map(|id| (id.clone(), self.workspace(&id)))
            .collect())
    }
}

/// An issue of this run.
pub(crate) fn issue(run_id: Option<RunId>, file_name: &str, error: &RunsError) -> RunIssue {
    RunIssue {
        run_id,
        file_name: file_name.to_owned(),
        code: error.code(),
        message: error.to_string(),
    }
}

/// A builder of folders that only the user can open.
pub(crate) fn private_dir(recursive: bool) -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.recursive(recursive);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// The names in a folder and whether each is a folder itself (a link is not), sorted. A missing folder is empty.
pub(crate) fn names(path: &Path) -> Result<Vec<(String, bool)>, RunsError> {
    let io_error = |source| RunsError::Io {
        path: path.to_owned(),
        source,
    };
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(io_error(error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(io_error)?;
        let is_dir = entry.file_type().map_err(io_error)?.is_dir();
        if let Ok(name) = entry.file_name().into_string() {
            found.push((name, is_dir));
        }
    }
    found.sort();
    Ok(found)
}
