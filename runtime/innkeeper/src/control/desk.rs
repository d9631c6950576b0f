//! The questions about one run that a person has not answered yet, and the answers that hold until the run ends.
//!
//! The first answer counts; every later one finds nothing to answer. Nothing is ever taken for an answer that did not come through
//! here.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use innkeeper_protocol::approval::{ApprovalAnswer, ApprovalBinding, ApprovalId, ApprovalScope};
use innkeeper_protocol::id::CallId;
use tokio::sync::oneshot;

/// A question on the desk.
#[derive(Debug)]
struct Pending {
    approval_id: ApprovalId,
    /// Whether an answer may be made to stand for good.
    may_stand: bool,
    answer: oneshot::Sender<ApprovalAnswer>,
}

/// Why an answer did not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerRefusal {
    /// There is no such question, or it has its answer.
    NotPending,
    /// The answer can be for this once only: what was shown holds invisible characters, or it is about a rollback.
    CannotStand,
}

/// The desk of one run.
#[derive(Debug, Default)]
pub(crate) struct ApprovalDesk {
    pending: Mutex<HashMap<CallId, Pending>>,
    of_run: Mutex<HashMap<ApprovalBinding, ApprovalId>>,
}

/// A question that was put; dropping it takes it off the desk.
pub(crate) struct Asked {
    desk: Arc<ApprovalDesk>,
    call_id: CallId,
    answer: oneshot::Receiver<ApprovalAnswer>,
}

impl Asked {
    /// The person's answer, however long it takes; none when the question was taken away.
    pub(crate) async fn answer(&mut self) -> Option<ApprovalAnswer> {
        (&mut self.answer).await.ok()
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        self.desk.pending().remove(&self.call_id);
    }
}

impl ApprovalDesk {
    fn pending(&self) -> std::sync::MutexGuard<'_, HashMap<CallId, Pending>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a question.
    pub(crate) fn ask(self: &Arc<Self>, call_id: CallId, approval_id: ApprovalId, may_stand: bool) -> Asked {
        let (sender, receiver) = oneshot::channel();
        let pending = Pending {
            approval_id,
            may_stand,
            answer: sender,
        };
        self.pending().insert(call_id.clone(), pending);
        Asked {
            desk: self.clone(),
            call_id,
            answer: receiver,
        }
    }

    /// Answers a question. Returns its id.
    pub(crate) fn answer(
        &self,
        call_id: &CallId,
        approval_id: Option<&ApprovalId>,
        answer: ApprovalAnswer,
    ) -> Result<ApprovalId, AnswerRefusal> {
        let mut pending = self.pending();
        let asked = pending.get(call_id).ok_or(AnswerRefusal::NotPending)?;
        if approval_id.is_some_and(|id| *id != asked.approval_id) {
            return Err(AnswerRefusal::NotPending);
        }
        if answer.approved && answer.scope != ApprovalScope::Once && !asked.may_stand {
            return Err(AnswerRefusal::CannotStand);
        }
        let asked = pending.remove(call_id).ok_or(AnswerRefusal::NotPending)?;
        // Whoever asked may have gone in this moment; then nothing was answered.
        asked.answer.send(answer).map_err(|_| AnswerRefusal::NotPending)?;
        Ok(asked.approval_id)
    }

    /// Whether this call waits for an answer.
    pub(crate) fn is_pending(&self, call_id: &CallId) -> bool {
        self.pending().contains_key(call_id)
    }

    /// From now on an answer covers the same call until the run ends.
    pub(crate) fn remember(&self, binding: ApprovalBinding, approval_id: ApprovalId) {
        let mut of_run = self.of_run.lock().unwrap_or_else(PoisonError::into_inner);
        of_run.insert(binding, approval_id);
    }

    /// The answer of this run that covers a call.
    pub(crate) fn remembered(&self, binding: &ApprovalBinding) -> Option<ApprovalId> {
        let of_run = self.of_run.lock().unwrap_or_else(PoisonError::into_inner);
        of_run.get(binding).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> ApprovalId {
        ApprovalId::parse(text).unwrap()
    }

    fn call(text: &str) -> CallId {
        CallId::parse(text).unwrap()
    }

    fn yes(scope: ApprovalScope) -> ApprovalAnswer {
        ApprovalAnswer {
            approved: true,
            scope,
            reason: None,
        }
    }

    #[tokio::test]
    async fn the_first_answer_counts_and_a_second_finds_nothing() {
        let desk = Arc::new(ApprovalDesk::default());
        let mut asked = desk.ask(call("c1"), id("approval_1"), true);
        let once = yes(ApprovalScope::Once);
        assert_eq!(desk.answer(&call("c1"), None, once.clone()), Ok(id("approval_1")));
        assert_eq!(
            desk.answer(&call("c1"), None, once.clone()),
            Err(AnswerRefusal::NotPending)
        );
        assert_eq!(asked.answer().await, Some(once));
    }

    #[test]
    fn an_answer_to_another_question_counts_for_nothing() {
        let desk = Arc::new(ApprovalDesk::default());
        let _asked = desk.ask(call("c1"), id("approval_1"), true);
        let answer = |call_id: &str, approval: Option<&ApprovalId>| {
            desk.answer(&call(call_id), approval, yes(ApprovalScope::Once))
        };
        assert_eq!(answer("c2", None), Err(AnswerRefusal::NotPending));
        assert_eq!(answer("c1", Some(&id("approval_0"))), Err(AnswerRefusal::NotPending));
        assert!(desk.is_pending(&call("c1")));
        assert!(answer("c1", Some(&id("approval_1"))).is_ok());
    }

    #[test]
    fn a_question_that_nobody_waits_for_any_more_is_off_the_desk() {
        let desk = Arc::new(ApprovalDesk::default());
        drop(desk.ask(call("c1"), id("approval_1"), true));
        assert!(!desk.is_pending(&call("c1")));
    }

    #[test]
    fn what_hides_something_can_be_approved_once_only() {
        let desk = Arc::new(ApprovalDesk::default());
        let _asked = desk.ask(call("c1"), id("approval_1"), false);
        let answer = |scope| desk.answer(&call("c1"), None, yes(scope));
        assert_eq!(answer(ApprovalScope::Always), Err(AnswerRefusal::CannotStand));
        assert_eq!(answer(ApprovalScope::Run), Err(AnswerRefusal::CannotStand));
        assert!(answer(ApprovalScope::Once).is_ok());
    }
}
