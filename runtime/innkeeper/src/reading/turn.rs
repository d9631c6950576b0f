//! `read_agent_model_turn`: what a model said, thought and called in one round.
//!
//! Only what is named here is shown; the provider's own answer and the arguments of calls are not even read.

use innkeeper_protocol::id::InvocationId;
use innkeeper_protocol::view::{ModelTurnView, ProviderView, ReadModelTurn, SourcedText, TextView, ToolCallView};
use innkeeper_store::turn::{ShownCall, TurnProvider, read_turn};
use innkeeper_text::measure;

use super::RunReader;
use crate::error::{About as _, HostError};

/// Characters of a text when nothing is asked for.
const DEFAULT_MAX_CHARS: u32 = 40_000;
/// The source of narration.
const ASSISTANT_TEXT: &str = "assistantText";

impl RunReader {
    /// One stored turn of a model.
    ///
    /// # Errors
    /// `agent.not_found` for an unknown run or turn, `agent.model_turn_round_invalid`, `agent.model_turn_max_chars_invalid`,
    /// `agent.model_turn_invocation_id_invalid`, and the `agent.model_response_*` codes when the stored file is not what it should be.
    pub fn read_agent_model_turn(&self, request: &ReadModelTurn) -> Result<ModelTurnView, HostError> {
        self.turn(request).about(&request.run_id)
    }

    fn turn(&self, request: &ReadModelTurn) -> Result<ModelTurnView, HostError> {
        if request.round == 0 {
            return Err(HostError::new("agent.model_turn_round_invalid", "rounds count from 1"));
        }
        let max_chars = request.max_chars.unwrap_or(DEFAULT_MAX_CHARS);
        if max_chars == 0 {
            let message = "a text of no characters shows nothing";
            return Err(HostError::new("agent.model_turn_max_chars_invalid", message));
        }
        let invocation = invocation(request.invocation_id.as_deref())?;
        let (folder, tree) = self.open(&request.run_id)?;
        let turn = read_turn(&tree, folder.journal(), &invocation, request.round)?;
        let view = |text: &str| text_view(text, max_chars);
        let narration = Some(turn.text.trim()).filter(|text| !text.is_empty() && !turn.calls.is_empty());
        let sourced = |source: String, text: &str| SourcedText {
            source,
            text: view(text),
        };
        Ok(ModelTurnView {
            run_id: request.run_id.clone(),
            invocation_id: invocation,
            round: request.round,
            model_response_path: turn.path,
            provider: provider_view(turn.provider),
            assistant: view(&turn.text),
            narration: narration.map(|text| sourced(ASSISTANT_TEXT.to_owned(), text)),
            reasoning: turn
                .reasoning
                .into_iter()
                .map(|(source, text)| sourced(source, &text))
                .collect(),
            tool_calls: turn.calls.into_iter().map(call_view).collect(),
        })
    }
}

fn invocation(given: Option<&str>) -> Result<InvocationId, HostError> {
    match given.map(str::trim).filter(|id| !id.is_empty()) {
        None => Ok(InvocationId::root()),
        Some(id) => InvocationId::parse(id)
            .map_err(|error| HostError::new("agent.model_turn_invocation_id_invalid", error.to_string())),
    }
}

fn text_view(text: &str, max_chars: u32) -> TextView {
    let metrics = measure(text);
    let kept = usize::try_from(max_chars).unwrap_or(usize::MAX);
    TextView {
        text: text.chars().take(kept).collect(),
        total_chars: metrics.chars,
        total_words: metrics.words,
        truncated: metrics.chars > max_chars,
    }
}

fn provider_view(provider: TurnProvider) -> ProviderView {
    ProviderView {
        source: provider.chat_completion_source,
        format: provider.provider_format,
        model: provider.model,
        response_id: provider.id,
        usage: provider.usage,
    }
}

fn call_view(call: ShownCall) -> ToolCallView {
    let (tool_id, name) = match call.tool {
        Some((id, name)) => (Some(id), name),
        None => (None, call.alias.clone()),
    };
    ToolCallView {
        call_id: call.call_id,
        tool_id,
        name,
        model_alias: call.alias,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::reading::testing::Bench;

    fn bench() -> Bench {
        let bench = Bench::new();
        let call = json!({"callId": "c1", "alias": "dice_roll", "arguments": {"formula": "SECRET"}});
        let turn = json!({
            "round": 1, "invocationId": "inv_root",
            "response": {
                "message": {"role": "assistant", "parts": [
                    {"type": "reasoning", "text": "thinking", "providerMetadata": {"signature": "SECRET"}},
                    {"type": "toolCall", "call": call},
                ]},
                "toolCalls": [call], "text": " Let me roll. ",
                "providerMetadata": {"model": "m", "chatCompletionSource": "custom", "providerFormat": "f"},
                "rawResponse": "SECRET",
            },
        });
        bench.put("model-responses/round-001.json", &turn.to_string());
        bench
    }

    fn read(bench: &Bench, more: Value) -> Result<Value, String> {
        let mut request = json!({"runId": bench.run_id, "round": 1});
        request
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let request: ReadModelTurn = serde_json::from_value(request).unwrap();
        let turn = bench.reader.read_agent_model_turn(&request);
        turn.map(|turn| serde_json::to_value(turn).unwrap())
            .map_err(|error| error.code)
    }

    #[test]
    fn a_turn_is_shown_by_what_is_listed_and_cut_by_characters() {
        let bench = bench();
        let text = |text: &str, chars: u32, words: u32, truncated: bool| json!({"text": text, "totalChars": chars, "totalWords": words, "truncated": truncated});
        let sourced = |source: &str, mut text: Value| {
            text.as_object_mut().unwrap().insert("source".to_owned(), json!(source));
            text
        };
        let expected = json!({
            "runId": bench.run_id, "invocationId": "inv_root", "round": 1, "modelResponsePath": "model-responses/round-001.json",
            "provider": {"source": "custom", "format": "f", "model": "m"},
            "assistant": text(" Let ", 14, 3, true),
            "narration": sourced("assistantText", text("Let m", 12, 3, true)),
            "reasoning": [sourced("reasoning_content", text("think", 8, 1, true))],
            "toolCalls": [{"callId": "c1", "name": "dice_roll", "modelAlias": "dice_roll"}],
        });
        assert_eq!(read(&bench, json!({"maxChars": 5, "invocationId": " "})), Ok(expected));
    }

    #[test]
    fn what_is_asked_for_wrongly_has_a_code_each() {
        let bench = bench();
        let code = |more: Value| read(&bench, more).unwrap_err();
        assert_eq!(code(json!({"round": 0})), "agent.model_turn_round_invalid");
        assert_eq!(code(json!({"maxChars": 0})), "agent.model_turn_max_chars_invalid");
        assert_eq!(
            code(json!({"invocationId": "../x"})),
            "agent.model_turn_invocation_id_invalid"
        );
        assert_eq!(code(json!({"round": 2})), "agent.not_found");
    }
}
