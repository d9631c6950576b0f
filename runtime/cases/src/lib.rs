//! Conformance cases: one file is a call, or a short script of calls, and what must come of it.
//!
//! Here they are read, set up on disk, played on a bench and judged. Judging looks at the printed JSON alone, so that whatever prints a
//! result can be judged by the same rules; how a case is written stands beside the cases.

mod bench;
pub mod files;
pub mod format;
pub mod judge;
mod play;
mod printed;

use std::path::{Path, PathBuf};

use tempfile::TempDir;

pub use bench::{OnBench, answers, play_on_bench, setup};
pub use files::{Folder, Picture};
pub use format::{Call, Case, Expected};
pub use play::{Stage, StageFault, play};
pub use printed::{Printed, Used};

/// The case in a file.
///
/// # Errors
/// Says why it is none.
pub fn read(file: &Path) -> Result<Case, String> {
    let text = std::fs::read_to_string(file).map_err(|e| e.to_string())?;
    let case: Case = toml::from_str(&text).map_err(|e| format!("is no case: {e}"))?;
    case.check()?;
    Ok(case)
}

/// The files in a folder of cases, in order.
///
/// # Errors
/// I/O, as text.
pub fn files_in(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut files = entries
        .map(|entry| entry.map(|entry| entry.path()).map_err(|e| e.to_string()))
        .collect::<Result<Vec<_>, _>>()?;
    files.sort();
    Ok(files)
}

/// What a case plays on.
pub struct Ground {
    /// The workspace.
    pub workspace: Folder,
    /// The skills, where the case has any.
    pub skills: Option<Folder>,
    /// The chat file, where the case has one.
    pub chat: Option<PathBuf>,
    scratch: TempDir,
}

impl Ground {
    /// Sets up what the case describes.
    ///
    /// # Errors
    /// I/O, or a case that cannot be set up, as text.
    pub fn of(case: &Case) -> Result<Self, String> {
        let scratch = TempDir::new().map_err(|e| e.to_string())?;
        let workspace = Folder::workspace(&scratch.path().join("run"), &case.file)?;
        let skills = match &case.skill[..] {
            [] => None,
            places => Some(Folder::with(&scratch.path().join("skills"), places)?),
        };
        let chat = case.chat_lines();
        let chat = chat.map(|text| files::chat(scratch.path(), &text)).transpose()?;
        Ok(Self {
            workspace,
            skills,
            chat,
            scratch,
        })
    }

    /// A folder that no tool can reach, for what else a case needs; removed at the end.
    #[must_use]
    pub fn scratch(&self) -> &Path {
        self.scratch.path()
    }

    /// Does what the case says that others do before a call.
    ///
    /// # Errors
    /// Names the place.
    pub fn change(&self, call: &Call) -> Result<(), String> {
        self.workspace.change(&call.file)?;
        match &self.skills {
            Some(skills) => skills.change(&call.skill),
            None => Ok(()),
        }
    }

    /// What lies in the folder of skills.
    ///
    /// # Errors
    /// I/O, as text.
    pub fn skills_now(&self) -> Result<Picture, String> {
        self.skills.as_ref().map_or(Ok(Picture::new()), Folder::picture)
    }
}

#[cfg(test)]
mod tests {
    use super::Case;

    #[test]
    fn a_case_with_an_unknown_key_is_refused() {
        let text = "title = 't'\nrule = 'r'\n[[call]]\ntool = 'dice.roll'\ntxt_contains = ['1']\n";
        let error = toml::from_str::<Case>(text).unwrap_err().to_string();
        assert!(error.contains("txt_contains"), "{error}");
    }
}
