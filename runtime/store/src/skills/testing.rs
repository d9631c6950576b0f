//! A folder of skills for tests.

use std::fs;
use std::path::{Path, PathBuf};

use innkeeper_protocol::path::WorkspacePath;

use super::{EffectiveSkills, FolderSkills, SkillProblem};

pub(super) struct Disk(tempfile::TempDir);

impl Disk {
    pub(super) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(super) fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    pub(super) fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// A skill whose folder has its name.
    pub(super) fn skill(&self, folder: &str, description: &str) {
        let name = Path::new(folder).file_name().unwrap().to_str().unwrap();
        self.put(&format!("{folder}/SKILL.md"), main_file(name, description));
    }

    pub(super) fn load(&self, folder: &str) -> EffectiveSkills {
        FolderSkills::open(&self.at(folder)).unwrap().load().unwrap()
    }

    #[cfg(unix)]
    pub(super) fn pipe(&self, path: &str) {
        let kind = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, self.at(path), kind, rustix::fs::Mode::RWXU, 0).unwrap();
    }

    #[cfg(unix)]
    pub(super) fn link(&self, target: &str, path: &str) {
        std::os::unix::fs::symlink(target, self.at(path)).unwrap();
    }
}

pub(super) fn main_file(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n\n# {name}\n")
}

pub(super) fn path(text: &str) -> WorkspacePath {
    WorkspacePath::parse(text).unwrap()
}

pub(super) fn names(skills: &EffectiveSkills) -> Vec<String> {
    skills.effective().into_iter().map(|skill| skill.name).collect()
}

/// The issues as folder and problem.
pub(super) fn issues(skills: &EffectiveSkills) -> Vec<(&str, SkillProblem)> {
    let told = skills.issues().iter();
    told.map(|issue| (issue.folder.as_str(), issue.problem.clone()))
        .collect()
}
