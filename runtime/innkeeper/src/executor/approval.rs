//! Approvals: what is known of a call before anybody is asked, the question itself, and the answers that are kept.
//!
//! A question is put on the desk before the journal tells of it, and taken off when nobody waits for it any more.

use innkeeper_agent::Event;
use innkeeper_protocol::approval::{ApprovalBinding, ApprovalFinding, ApprovalMode, ApprovalQuestion, ApprovalScope};
use innkeeper_protocol::event::{AnsweredBy, ApprovalAnswerPayload, ApprovalRequestPayload};
use innkeeper_protocol::id::ToolId;
use innkeeper_protocol::port::FileError;
use innkeeper_protocol::run::RunError;
use innkeeper_store::approvals::StandingApproval;
use innkeeper_store::diff::unified;
use innkeeper_tools::{CallEnvironment, ShownArguments, Tool};
use serde_json::Value;

use super::Executor;
use crate::control::Asked;
use crate::ports::blocking;
use crate::recorder::timestamp;
use crate::system::SeededRandomness;

/// Built-in tools whose change can be told before it is made: they plan it, and touch nothing else.
const FORESEEABLE: [&str; 2] = ["builtin:workspace.write_file", "builtin:workspace.apply_patch"];

/// What a person is asked about the open call.
pub(super) struct Question {
    tool_id: ToolId,
    binding: ApprovalBinding,
    /// Whether an answer may be made to cover more than this call.
    may_stand: bool,
    asked: Option<Asked>,
}

impl Executor {
    /// What is known of a call that needs an approval.
    pub(super) async fn prepare_approval(&mut self, tool_id: &ToolId, arguments: &Value) -> Result<Event, RunError> {
        let Some(tool) = self.catalogue.tool(tool_id).cloned() else {
            return Ok(Event::ApprovalPrepared(ApprovalFinding::Nobody));
        };
        let binding = tool.approval_binding(arguments);
        let may_stand = !ShownArguments::new(arguments).was_escaped;
        self.work.question = Some(Question {
            tool_id: tool_id.clone(),
            binding: binding.clone(),
            may_stand,
            asked: None,
        });
        let finding = match self.standing_answer(&binding, may_stand).await {
            Some(standing) => standing,
            None => match self.approvals {
                ApprovalMode::Never => ApprovalFinding::Nobody,
                ApprovalMode::Always => ApprovalFinding::Granted,
                ApprovalMode::Ask => {
                    let diff_ref = self.foreseen(&tool, arguments).await?;
                    ApprovalFinding::Ask(Box::new(question(&tool, binding, diff_ref)))
                }
            },
        };
        Ok(Event::ApprovalPrepared(finding))
    }

    /// An earlier answer that covers the call. Answers that cannot be read cover nothing: the person is asked again.
    async fn standing_answer(&self, binding: &ApprovalBinding, may_stand: bool) -> Option<ApprovalFinding> {
        if !may_stand {
            return None;
        }
        if let Some(approval_id) = self.active.desk.remembered(binding) {
            let scope = ApprovalScope::Run;
            return Some(ApprovalFinding::Standing { approval_id, scope });
        }
        let (standing, binding) = (self.standing.clone(), binding.clone());
        let found = blocking::<_, RunError>(move || {
            Ok(standing.find(&binding).unwrap_or_else(|error| {
                tracing::warn!(code = error.code(), %error, "standing approvals do not count");
                None
            }))
        });
        let approval = found.await.ok().flatten()?;
        Some(ApprovalFinding::Standing {
            approval_id: approval.approval_id,
            scope: ApprovalScope::Always,
        })
    }

    /// Keeps the change that a call would make, where it can be told before, and says where.
    async fn foreseen(&mut self, tool: &Tool, arguments: &Value) -> Result<Option<String>, RunError> {
        if !FORESEEABLE.contains(&tool.spec.id.as_str()) {
            return Ok(None);
        }
        let environment = CallEnvironment {
            invocation: self.invocation.clone(),
            randomness: Box::new(SeededRandomness::of_call(self.seed, u64::MAX)),
            clock: self.clock.clone(),
            // Nobody has agreed to anything yet.
            network: None,
            limits: self.limits.clone(),
        };
        // The tool plans and the plan is dropped; it is made again, and checked again, when the call is approved.
        let planned = tool.call(&self.sandbox, arguments, environment).await.staged;
        let mut diff = String::new();
        for change in &planned.changes {
            let before = match self.invocation.files().read(&change.path).await {
                Ok(file) => Some(file.text),
                Err(FileError::Problem(_)) => None,
                Err(FileError::Fault(error)) => return Err(error),
            };
            diff.push_str(&unified(&change.path, before.as_deref(), change.content.as_deref()));
        }
        match &self.work.call {
            Some(files) if !diff.is_empty() => {
                let path = files.diff.to_string();
                self.active.recorder.store_diff(files.clone(), diff).await?;
                Ok(Some(path))
            }
            _ => Ok(None),
        }
    }

    /// The question is on the desk before anybody can read of it.
    pub(super) fn put_question(&mut self, request: &ApprovalRequestPayload) {
        if let Some(question) = &mut self.work.question {
            let (call_id, approval_id) = (request.call_id.clone(), request.approval_id.clone());
            question.asked = Some(self.active.desk.ask(call_id, approval_id, question.may_stand));
        }
    }

    /// Waits for the person, however long it takes.
    pub(super) async fn ask_approval(&mut self) -> Event {
        // Taken off the desk on every way out, so that a late answer finds nothing and is told so.
        let Some(mut asked) = self.work.question.as_mut().and_then(|question| question.asked.take()) else {
            let error = "a person was to be asked and no question was put";
            return Event::Failed(RunError::internal("agent.internal_error", error));
        };
        tokio::select! {
            biased;
            () = self.active.cancel.thrown() => Event::CancelRequested,
            answer = asked.answer() => match answer {
                Some(answer) => Event::ApprovalAnswered(answer),
                None => Event::CancelRequested,
            },
        }
    }

    /// An answer that covers more than this call is remembered. One that cannot be kept counts for this call all the same.
    pub(super) async fn keep_answer(&mut self, approval: ApprovalAnswerPayload) {
        let Some(question) = self.work.question.take() else {
            return;
        };
        if approval.by != AnsweredBy::User {
            return;
        }
        match approval.scope {
            ApprovalScope::Once => {}
            ApprovalScope::Run => self.active.desk.remember(question.binding, approval.approval_id),
            ApprovalScope::Always => self.keep_for_good(question, approval).await,
        }
    }

    async fn keep_for_good(&self, question: Question, approval: ApprovalAnswerPayload) {
        let standing = self.standing.clone();
        let kept = StandingApproval {
            approval_id: approval.approval_id,
            tool_id: question.tool_id,
            tool_digest: question.binding.tool_digest,
            arguments_digest: question.binding.arguments_digest,
            granted_at: timestamp(&*self.clock),
            run_id: self.frame.run_id.clone(),
            call_id: approval.call_id,
            by: approval.by,
        };
        let done = blocking::<(), RunError>(move || {
            if let Err(error) = standing.grant(&kept) {
                tracing::warn!(code = error.code(), %error, "an approval counts for this call only: it could not be kept");
            }
            Ok(())
        });
        // The closure above never fails.
        let _ = done.await;
    }
}

fn question(tool: &Tool, binding: ApprovalBinding, diff_ref: Option<String>) -> ApprovalQuestion {
    let spec = &tool.spec;
    ApprovalQuestion {
        title: spec.title.clone(),
        source: spec.source.name().to_owned(),
        publisher: tool.publisher.clone(),
        side_effect: tool.side_effect(),
        binding,
        diff_ref,
    }
}
