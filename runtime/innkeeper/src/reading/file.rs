//! `read_agent_workspace_file`: one text file of a run's folder.

use innkeeper_protocol::path::WorkspacePath;
use innkeeper_protocol::view::{ReadWorkspaceFile, WorkspaceFileView};
use innkeeper_store::tree::MAX_FILE_BYTES;
use innkeeper_text::measure;

use super::RunReader;
use crate::error::{About as _, HostError};

impl RunReader {
    /// Reads any text file of a run, the workspace's or the run's own. Never through a link.
    ///
    /// # Errors
    /// `agent.not_found` for an unknown run, `workspace.invalid_path`, `workspace.file_not_found`, `workspace.path_is_directory`,
    /// `workspace.file_not_text`, `workspace.file_too_large`.
    pub fn read_agent_workspace_file(&self, request: &ReadWorkspaceFile) -> Result<WorkspaceFileView, HostError> {
        self.file(request).about(&request.run_id)
    }

    fn file(&self, request: &ReadWorkspaceFile) -> Result<WorkspaceFileView, HostError> {
        let path = WorkspacePath::parse(&request.path)?;
        let (_, tree) = self.open(&request.run_id)?;
        let file = tree.read(&path, MAX_FILE_BYTES)?;
        let metrics = measure(&file.text);
        Ok(WorkspaceFileView {
            path,
            chars: metrics.chars,
            words: metrics.words,
            text: file.text,
            sha256: file.sha256,
        })
    }
}

#[cfg(test)]
mod tests {
    use innkeeper_protocol::digest::Sha256;

    use super::*;
    use crate::reading::testing::Bench;

    fn read(bench: &Bench, path: &str) -> Result<WorkspaceFileView, HostError> {
        bench.reader.read_agent_workspace_file(&ReadWorkspaceFile {
            run_id: bench.run_id.clone(),
            path: path.to_owned(),
        })
    }

    #[test]
    fn a_text_is_counted_and_everything_else_has_a_code() {
        let bench = Bench::new();
        bench.put("output/a.md", "two words, 二字");
        let expected = WorkspaceFileView {
            path: WorkspacePath::parse("output/a.md").unwrap(),
            text: "two words, 二字".to_owned(),
            chars: 13,
            words: 4,
            sha256: Sha256::of("two words, 二字".as_bytes()),
        };
        assert_eq!(read(&bench, "./output/a.md"), Ok(expected));
        assert!(read(&bench, "events.jsonl").unwrap().text.contains("run_created"));
        let code = |path: &str| read(&bench, path).unwrap_err().code;
        assert_eq!(code("../secret"), "workspace.invalid_path");
        assert_eq!(code("output/none.md"), "workspace.file_not_found");
        assert_eq!(code("output"), "workspace.path_is_directory");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_not_followed() {
        let bench = Bench::new();
        bench.put("output/a.md", "x");
        std::os::unix::fs::symlink("/etc/hostname", bench.folder().join("output/link")).unwrap();
        assert_eq!(read(&bench, "output/link").unwrap_err().code, "workspace.invalid_path");
    }
}
