//! Lines that need nothing but their own event.

use innkeeper::protocol::event::{AnswerMetrics, RunEvent};

use super::super::text::plain;
use super::row::{Mark, Row};

/// The run and its first request.
pub(super) fn start_rows(event: RunEvent) -> Vec<Row> {
    match event {
        RunEvent::RunCreated {
            generation_type,
            profile_id,
            input_message_count,
            ..
        } => {
            let kind = generation_type.as_str();
            let detail = format!("{profile_id} writes a {kind} message after {input_message_count}");
            vec![Row::new(Mark::Step, "run starts").detail(detail)]
        }
        RunEvent::ContextAssembled { request, .. } => {
            let (model, source) = (plain(&request.model), plain(&request.chat_completion_source));
            let model = if model == source {
                model
            } else {
                format!("{model} via {source}")
            };
            let detail = format!(
                "model {model}, {} messages, {} tools",
                request.message_count, request.tool_count
            );
            vec![Row::new(Mark::Step, "context").detail(detail)]
        }
        _ => Vec::new(),
    }
}

/// What is kept for later runs.
pub(super) fn persistence_rows(event: RunEvent) -> Vec<Row> {
    match event {
        RunEvent::PersistentChangesCommitted { change_count: 0, .. } => Vec::new(),
        RunEvent::PersistentChangesCommitted { changes, .. } => {
            let paths: Vec<String> = changes.iter().map(|change| change.path.to_string()).collect();
            vec![Row::new(Mark::Good, "kept for later runs").detail(paths.join(", "))]
        }
        RunEvent::PersistentChangesCommitFailed { message }
        | RunEvent::PersistentStateMetadataUpdateFailed { message, .. } => {
            vec![Row::new(Mark::Bad, "not kept").detail(plain(&message))]
        }
        _ => Vec::new(),
    }
}

/// What a person said to the run.
pub(super) fn guidance_rows(event: RunEvent) -> Vec<Row> {
    match event {
        RunEvent::UserGuidanceSubmitted(guidance) => {
            vec![Row::new(Mark::Step, "you said").detail(format!("\u{201c}{}\u{201d}", plain(&guidance.preview)))]
        }
        RunEvent::UserGuidanceApplied(guidance) => {
            let detail = format!("the model reads it with round {}", guidance.round);
            vec![Row::new(Mark::Good, "guidance").detail(detail)]
        }
        RunEvent::UserGuidanceDiscarded(_) => {
            vec![Row::new(Mark::Odd, "guidance").detail("the run ended before the model could read it".to_owned())]
        }
        _ => Vec::new(),
    }
}

/// What became of a rollback.
pub(super) fn rollback_rows(event: RunEvent) -> Vec<Row> {
    match event {
        RunEvent::WorkspaceRollbackCompleted {
            checkpoint_id,
            safety_checkpoint_id,
            ..
        } => {
            let detail = format!("to {checkpoint_id}; the state before is {safety_checkpoint_id}");
            vec![Row::new(Mark::Good, "rolled back").detail(detail)]
        }
        RunEvent::WorkspaceRollbackFailed { code, message, .. } => {
            let detail = format!("{} [{}]", plain(&message), plain(&code));
            vec![Row::new(Mark::Bad, "not rolled back").detail(detail)]
        }
        _ => Vec::new(),
    }
}

/// What the model answered, in a few words.
pub(super) fn answer_words(calls: usize, text: &AnswerMetrics) -> String {
    let asks = match calls {
        0 => format!("{} characters and no call", text.assistant_text_chars),
        1 => "1 call".to_owned(),
        many => format!("{many} calls"),
    };
    match &text.narration {
        Some(narration) => format!("{asks}  \u{201c}{}\u{201d}", plain(&narration.text)),
        None => asks,
    }
}
