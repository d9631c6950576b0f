//! The lines of the file, and what stands after all of them.
//!
//! It opens no file. A flaw in one line spoils them all: what was meant may have been a revocation.

use std::collections::HashSet;

use innkeeper_protocol::approval::{ApprovalBinding, ApprovalId};
use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::event::AnsweredBy;
use innkeeper_protocol::id::{CallId, RunId, ToolId};
use serde::{Deserialize, Serialize};

/// An answer that covers the same call in every run, until it is revoked. Also a line of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StandingApproval {
    /// The question that was answered; no two answers share it.
    pub approval_id: ApprovalId,
    /// The tool, for people; its digest says the same and more.
    pub tool_id: ToolId,
    /// What the tool has to be.
    pub tool_digest: Sha256,
    /// What its arguments have to be.
    pub arguments_digest: Sha256,
    /// When it was given, RFC 3339. It is for people, and nothing is decided by it.
    pub granted_at: String,
    /// The run that asked.
    pub run_id: RunId,
    /// The call that it was asked about.
    pub call_id: CallId,
    /// Who answered.
    pub by: AnsweredBy,
}

impl StandingApproval {
    pub(super) fn covers(&self, binding: &ApprovalBinding) -> bool {
        self.tool_digest == binding.tool_digest && self.arguments_digest == binding.arguments_digest
    }
}

/// The line that ends an answer.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Revocation {
    pub(super) approval_id: ApprovalId,
    /// RFC 3339.
    pub(super) revoked_at: String,
}

/// A line that spoils the file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Flaw {
    /// Counted from 1.
    pub(super) line: usize,
    pub(super) problem: String,
}

/// The whole file.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    granted: Vec<StandingApproval>,
    ids: HashSet<ApprovalId>,
    revoked: HashSet<ApprovalId>,
    /// Where the next line goes, in bytes; whatever lies behind was never finished.
    pub(super) end: usize,
    /// Whether the line before it still lacks its line feed.
    pub(super) lacks_feed: bool,
}

impl Ledger {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, Flaw> {
        let mut ledger = Self::default();
        for (text, line) in bytes.split_inclusive(|byte| *byte == b'\n').zip(1..) {
            match text.strip_suffix(b"\n") {
                Some(whole) => ledger.add(whole).map_err(|problem| Flaw { line, problem })?,
                None if !ledger.add_torn(text) => break,
                None => ledger.lacks_feed = true,
            }
            ledger.end = ledger.end.saturating_add(text.len());
        }
        Ok(ledger)
    }

    /// The answers that stand, oldest first.
    pub(super) fn into_standing(self) -> Vec<StandingApproval> {
        let Self {
            mut granted, revoked, ..
        } = self;
        granted.retain(|approval| !revoked.contains(&approval.approval_id));
        granted
    }

    pub(super) fn stands(&self, id: &ApprovalId) -> bool {
        self.ids.contains(id) && !self.revoked.contains(id)
    }

    /// Whether any line names the id.
    pub(super) fn knows(&self, id: &ApprovalId) -> bool {
        self.ids.contains(id) || self.revoked.contains(id)
    }

    fn add(&mut self, line: &[u8]) -> Result<(), String> {
        if line.trim_ascii().is_empty() {
            return Ok(());
        }
        if let Ok(revocation) = serde_json::from_slice::<Revocation>(line) {
            self.revoked.insert(revocation.approval_id);
            return Ok(());
        }
        let approval: StandingApproval = serde_json::from_slice(line).map_err(|error| problem(&error))?;
        if self.knows(&approval.approval_id) {
            return Err(format!("{} was answered before", approval.approval_id));
        }
        self.ids.insert(approval.approval_id.clone());
        self.granted.push(approval);
        Ok(())
    }

    /// Takes a last line without its line feed, if it counts: an answer that was never finished is none, and to forget a revocation
    /// would let an answer stand that a person took back.
    fn add_torn(&mut self, line: &[u8]) -> bool {
        let revocation = serde_json::from_slice::<Revocation>(line);
        let is_whole = revocation.is_ok();
        self.revoked.extend(revocation.map(|revocation| revocation.approval_id));
        is_whole
    }
}

/// What the reader said, without its own count of lines.
fn problem(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    match text.strip_suffix(&place) {
        Some(problem) => format!("column {}: {problem}", error.column()),
        None => text,
    }
}
