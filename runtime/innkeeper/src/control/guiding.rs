//! Guidance on its way into a mailbox: checked, journalled, and only then put where the run finds it.
//!
//! Taking it out again is the executor's.

use std::num::NonZeroU64;

use innkeeper_protocol::event::{DiscardReason, GuidanceDiscardedPayload, GuidanceSubmittedPayload, RunEvent};
use innkeeper_protocol::guidance::Guidance;
use innkeeper_protocol::id::{InvocationId, RunId};
use innkeeper_protocol::run::RunStatus;
use innkeeper_text::measure;

use super::{ActiveRuns, MailboxRefusal};
use crate::commands::{SubmitGuidance, SubmittedGuidance, parse_run};
use crate::error::{About as _, HostError};
use crate::recorder::{EventStamps, timestamp};
use crate::system::fresh_hex;

impl From<MailboxRefusal> for HostError {
    fn from(refusal: MailboxRefusal) -> Self {
        Self::new(refusal.code(), refusal.to_string())
    }
}

impl ActiveRuns {
    /// Puts guidance into a run's mailbox.
    pub(crate) async fn guide(
        &self,
        request: SubmitGuidance,
        stamps: &EventStamps,
    ) -> Result<SubmittedGuidance, HostError> {
        let run_id = parse_run(&request.run_id, "agent.guidance_invalid")?;
        self.guide_run(&run_id, request, stamps).await.about(&run_id)
    }

    async fn guide_run(
        &self,
        run_id: &RunId,
        request: SubmitGuidance,
        stamps: &EventStamps,
    ) -> Result<SubmittedGuidance, HostError> {
        let id = format!("guidance_{}", fresh_hex(&*stamps.entropy));
        let guidance = Guidance::new(id, request.client_guidance_id, &request.text)
            .map_err(|error| HostError::new(error.code(), error.to_string()))?;
        let Some(run) = self.get(run_id) else {
            let message = format!("the run {run_id} is not being executed here");
            return Err(HostError::new("agent.guidance_active_run_missing", message)
                .with_hint("Only a run on its way can be told something; start a new one."));
        };
        let status = run.status();
        if status.is_terminal() || matches!(status, RunStatus::Finishing | RunStatus::Cancelling) {
            let message = format!("the run {run_id} is at its end and takes no more guidance");
            return Err(HostError::new("agent.guidance_run_not_accepting", message));
        }
        run.mailbox.check(&guidance)?;
        let submitted = submitted(&guidance, timestamp(&*stamps.clock));
        run.recorder.append(RunEvent::UserGuidanceSubmitted(submitted)).await?;
        match run.mailbox.put(guidance.clone()) {
            Ok(pending_count) => Ok(queued(run_id.clone(), &guidance, pending_count)),
            Err(refusal) => {
                let discarded = discarded(&[guidance], DiscardReason::SubmitRejectedAfterJournalAppend);
                let seq = run.recorder.append(RunEvent::UserGuidanceDiscarded(discarded)).await?;
                Err(HostError::from(refusal).told_in(run_id, NonZeroU64::new(seq)))
            }
        }
    }
}

fn submitted(guidance: &Guidance, submitted_at: String) -> GuidanceSubmittedPayload {
    let metrics = measure(&guidance.text);
    GuidanceSubmittedPayload {
        guidance_id: guidance.id.clone(),
        client_guidance_id: guidance.client_id.clone(),
        invocation_id: InvocationId::root(),
        chars: metrics.chars,
        words: metrics.words,
        preview: guidance.preview(),
        text: guidance.text.clone(),
        submitted_at,
        status: "queued".to_owned(),
    }
}

fn queued(run_id: RunId, guidance: &Guidance, pending_count: usize) -> SubmittedGuidance {
    let metrics = measure(&guidance.text);
    SubmittedGuidance {
        run_id,
        guidance_id: guidance.id.clone(),
        client_guidance_id: guidance.client_id.clone(),
        status: "queued".to_owned(),
        preview: guidance.preview(),
        chars: metrics.chars,
        words: metrics.words,
        pending_count,
    }
}

/// What the journal says of guidance that no request carries.
pub(crate) fn discarded(items: &[Guidance], reason: DiscardReason) -> GuidanceDiscardedPayload {
    let sum = |count: fn(&innkeeper_text::Metrics) -> u32| {
        items
            .iter()
            .map(|item| count(&measure(&item.text)))
            .fold(0, u32::saturating_add)
    };
    GuidanceDiscardedPayload {
        guidance_ids: items.iter().map(|item| item.id.clone()).collect(),
        client_guidance_ids: items.iter().map(|item| item.client_id.clone()).collect(),
        invocation_id: InvocationId::root(),
        count: items.len(),
        chars: sum(|text| text.chars),
        words: sum(|text| text.words),
        preview: items.first().map(Guidance::preview).unwrap_or_default(),
        reason,
        status: "discarded".to_owned(),
    }
}
