//! `innkeeper:workspace/writer`: staging changes of the run's files. Each function checks now; the host applies everything at once
//! after the call has replied, comparing versions again.

use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::path::WorkspacePath;
use innkeeper_protocol::port::FileText;

use crate::bindings::innkeeper::workspace::{types, writer};
use crate::host::View;
use crate::interface::Interface;
use crate::invocation::Invocation;
use crate::read_state::ReadState;
use crate::reader::{wire_denial, wire_text};
use crate::staging::{ChangeBasis, StagedInfo};

/// Largest file that a tool can make, in bytes.
const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

type Refused<T> = Result<T, writer::WriteError>;

impl writer::Host for View<'_> {
    async fn open(&mut self, path: String) -> wasmtime::Result<Refused<types::TextFile>> {
        let invocation = self.enter_invocation(Interface::WorkspaceWriter, path.len())?;
        let path = match invocation.writable(&path) {
            Ok(path) => path,
            Err(denial) => return Ok(Err(writer::WriteError::Path(wire_denial(denial)))),
        };
        Ok(self.patch_base(&invocation, &path).await?.map(wire_text))
    }

    async fn write(
        &mut self,
        path: String,
        content: String,
        basis: writer::Basis,
    ) -> wasmtime::Result<Refused<writer::Staged>> {
        let invocation = self.enter_invocation(Interface::WorkspaceWriter, path.len() + content.len())?;
        let path = match invocation.writable(&path) {
            Ok(path) => path,
            Err(denial) => return Ok(Err(writer::WriteError::Path(wire_denial(denial)))),
        };
        let (before, basis) = match basis {
            writer::Basis::Patch(replacements) => {
                let base = self.patch_base(&invocation, &path).await?;
                (base.map(|file| Some(file.sha256)), ChangeBasis::Patch { replacements })
            }
            writer::Basis::Rewrite => (self.rewrite_base(&invocation, &path).await?, ChangeBasis::Rewrite),
        };
        let staged = before.and_then(|before| self.stage(&path, content, before.as_ref(), basis));
        if let Ok(staged) = &staged {
            self.host
                .staging
                .note_read_state(path, ReadState::whole(digest(staged)));
        }
        Ok(staged)
    }

    async fn append(&mut self, path: String, content: String) -> wasmtime::Result<Refused<writer::Staged>> {
        let invocation = self.enter_invocation(Interface::WorkspaceWriter, path.len() + content.len())?;
        let path = match invocation.writable(&path) {
            Ok(path) => path,
            Err(denial) => return Ok(Err(writer::WriteError::Path(wire_denial(denial)))),
        };
        let before = match self.current(&invocation, &path).await? {
            Ok(file) => Some(file),
            Err(types::PathError::NotFound) => None,
            Err(problem) => return Ok(Err(writer::WriteError::Path(problem))),
        };
        // The whole file is known afterwards only where the whole of it was known before, in this very version.
        let known = self.known(&invocation, &path);
        let knows_all = before.as_ref().is_none_or(|file| {
            known
                .as_ref()
                .is_some_and(|state| state.is_whole() && state.sha256 == file.sha256)
        });
        let old = before.as_ref().map(|file| file.sha256.clone());
        let whole = before.map(|file| file.text).unwrap_or_default() + &content;
        let staged = self.stage(&path, whole, old.as_ref(), ChangeBasis::Append);
        if let (true, Ok(staged)) = (knows_all, &staged) {
            self.host
                .staging
                .note_read_state(path, ReadState::whole(digest(staged)));
        }
        Ok(staged)
    }

    async fn remove(&mut self, path: String) -> wasmtime::Result<Refused<()>> {
        let invocation = self.enter_invocation(Interface::WorkspaceWriter, path.len())?;
        let path = match invocation.writable(&path) {
            Ok(path) => path,
            Err(denial) => return Ok(Err(writer::WriteError::Path(wire_denial(denial)))),
        };
        match self.rewrite_base(&invocation, &path).await? {
            Err(refused) => Ok(Err(refused)),
            Ok(None) => Ok(Err(writer::WriteError::Path(types::PathError::NotFound))),
            Ok(Some(before)) => {
                let limits = self.meter.limits().clone();
                let staged = self.host.staging.stage_remove(&path, &before, &limits);
                Ok(staged.map_err(|_| over_budget(&limits)))
            }
        }
    }
}

impl View<'_> {
    /// The present text to patch. Read-state comes before storage, so that nothing of an unread file gets out.
    async fn patch_base(&self, invocation: &Invocation, path: &WorkspacePath) -> wasmtime::Result<Refused<FileText>> {
        let state = match basis_of(self.known(invocation, path)) {
            Ok(state) => state,
            Err(refused) => return Ok(Err(refused)),
        };
        let file = match self.current(invocation, path).await? {
            Ok(file) => file,
            Err(problem) => return Ok(Err(writer::WriteError::Path(problem))),
        };
        Ok(if file.sha256 == state.sha256 {
            Ok(file)
        } else {
            Err(writer::WriteError::Stale)
        })
    }

    /// The digest of the file that a rewrite replaces; none when there is no file.
    async fn rewrite_base(
        &self,
        invocation: &Invocation,
        path: &WorkspacePath,
    ) -> wasmtime::Result<Refused<Option<Sha256>>> {
        let file = match self.current(invocation, path).await? {
            Ok(file) => file,
            Err(types::PathError::NotFound) => return Ok(Ok(None)),
            Err(problem) => return Ok(Err(writer::WriteError::Path(problem))),
        };
        let known = self.known(invocation, path);
        if known.as_ref().is_some_and(|state| state.sha256 != file.sha256) {
            return Ok(Err(writer::WriteError::Stale));
        }
        Ok(basis_of(known).map(|_| Some(file.sha256)))
    }

    fn stage(
        &mut self,
        path: &WorkspacePath,
        content: String,
        before: Option<&Sha256>,
        basis: ChangeBasis,
    ) -> Refused<writer::Staged> {
        if content.len() as u64 > MAX_FILE_BYTES {
            return Err(writer::WriteError::Path(types::PathError::TooLarge(
                content.len() as u64
            )));
        }
        let limits = self.meter.limits().clone();
        let staged = self.host.staging.stage_write(path, content, before, basis, &limits);
        staged
            .map(|info| wire_staged(path, info, before.is_none()))
            .map_err(|_| over_budget(&limits))
    }
}

/// What is known of a file, if all of it is.
fn basis_of(known: Option<ReadState>) -> Refused<ReadState> {
    match known {
        None => Err(writer::WriteError::RequiresRead),
        Some(state) if !state.is_whole() => Err(writer::WriteError::RequiresFullRead(state.missing().to_vec())),
        Some(state) => Ok(state),
    }
}

fn over_budget(limits: &innkeeper_protocol::limits::Limits) -> writer::WriteError {
    let kib = limits.write_bytes / 1024;
    writer::WriteError::OverBudget(format!(
        "one call can write at most {} files and {kib} KiB",
        limits.write_files
    ))
}

fn digest(staged: &writer::Staged) -> Sha256 {
    // The text came from `Sha256` a moment ago; a digest that no file has is the safe answer to the impossible.
    Sha256::parse(&staged.sha256).unwrap_or_else(|_| Sha256::of(staged.sha256.as_bytes()))
}

fn wire_staged(path: &WorkspacePath, info: StagedInfo, created: bool) -> writer::Staged {
    writer::Staged {
        path: path.as_str().to_owned(),
        sha256: info.sha256.as_str().to_owned(),
        chars: info.chars,
        words: info.words,
        created,
    }
}
