//! `innkeeper:run`: asking for a commit or for the end of the run. Checked now, carried out once the call has replied.

use innkeeper_protocol::call::{CommitMode, PlannedCommit, PlannedEffect};
use innkeeper_protocol::digest::Sha256;
use innkeeper_text::measure;

use crate::bindings::innkeeper::run::control;
use crate::host::View;
use crate::interface::Interface;
use crate::reader::wire_denial;

impl control::Host for View<'_> {
    async fn message_path(&mut self) -> wasmtime::Result<String> {
        let invocation = self.enter_invocation(Interface::RunControl, 0)?;
        Ok(invocation.setup.control.message_path.as_str().to_owned())
    }

    async fn commit(
        &mut self,
        path: String,
        mode: control::CommitMode,
        reason: Option<String>,
    ) -> wasmtime::Result<Result<control::Planned, control::ControlError>> {
        let bytes = path.len() + reason.as_ref().map_or(0, String::len);
        let invocation = self.enter_invocation(Interface::RunControl, bytes)?;
        let rules = &invocation.setup.control;
        if rules.child {
            return Ok(Err(control::ControlError::ChildInvocation));
        }
        let path = match invocation.readable(&path) {
            Ok(path) => path,
            Err(denial) => return Ok(Err(control::ControlError::Path(wire_denial(denial)))),
        };
        let text = match self.current(&invocation, &path).await? {
            Ok(file) => file.text,
            Err(problem) => return Ok(Err(control::ControlError::Path(problem))),
        };
        if rules.message_required && path == rules.message_path && text.trim().is_empty() {
            return Ok(Err(control::ControlError::RequiredArtifactEmpty));
        }
        let metrics = measure(&text);
        let planned = PlannedCommit {
            path,
            mode: match mode {
                control::CommitMode::Replace => CommitMode::Replace,
                control::CommitMode::Append => CommitMode::Append,
            },
            reason,
            chars: metrics.chars,
            words: metrics.words,
            sha256: Sha256::of(text.as_bytes()),
        };
        let answer = control::Planned {
            path: planned.path.as_str().to_owned(),
            chars: planned.chars,
            words: planned.words,
        };
        if self.host.staging.stage_request(PlannedEffect::Commit(planned)) {
            Ok(Ok(answer))
        } else {
            Ok(Err(control::ControlError::AlreadyRequested))
        }
    }

    async fn finish(&mut self, reason: Option<String>) -> wasmtime::Result<Result<(), control::ControlError>> {
        let bytes = reason.as_ref().map_or(0, String::len);
        let invocation = self.enter_invocation(Interface::RunControl, bytes)?;
        let rules = &invocation.setup.control;
        if rules.child {
            return Ok(Err(control::ControlError::ChildInvocation));
        }
        if self.host.staging.has_request() {
            return Ok(Err(control::ControlError::AlreadyRequested));
        }
        if rules.foreground && !invocation.has_explicit_commit() {
            return Ok(Err(control::ControlError::CommitRequired));
        }
        self.host.staging.stage_request(PlannedEffect::Finish { reason });
        Ok(Ok(()))
    }
}
