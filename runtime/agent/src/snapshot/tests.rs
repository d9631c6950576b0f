//! Every refusal with its code, the order among them, and what comes out of a good snapshot.

mod parts;

use innkeeper_protocol::model::{Message, ModelInfo, Role};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::profile::Profile;
use crate::profile::tests::{default_profile, resolved};

fn model() -> ModelInfo {
    ModelInfo {
        source: "scripted".to_owned(),
        format: "scripted".to_owned(),
        model: "m".to_owned(),
        can_stream: false,
    }
}

/// A start in which nothing is wrong.
#[derive(Clone)]
struct Start {
    options: Value,
    snapshot: Value,
    generation_type: String,
    frozen: Value,
    profile: Profile,
}

fn start() -> Start {
    let profile = default_profile();
    Start {
        options: json!({"stream": false, "presentation": "foreground"}),
        snapshot: json!({
            "chatCompletionPayload": {"messages": [{"role": "user", "content": "Hi."}], "temperature": 0.5, "stream": true},
            "contextPolicy": {"initialChatHistoryMessages": -7},
        }),
        generation_type: "normal".to_owned(),
        frozen: json!({
            "schemaVersion": 1, "kind": "tauritavern.agentFrozenRunInputSnapshot",
            "promptInputs": {}, "worldInfoActivation": {}, "macroContext": {},
        }),
        profile,
    }
}

/// The whole of the checks, as a facade strings them together.
fn check(start: &Start) -> Result<PromptSnapshot, SnapshotError> {
    let options = StartOptions::parse(Some(&start.options))?;
    let submitted = Submitted::receive(Submission {
        snapshot: Some(&start.snapshot),
        generation_type: Some(&start.generation_type),
        frozen: Some(&start.frozen),
        intent: None,
    })?;
    submitted.agree(&resolved(&start.profile), options.stream, &model())
}

/// A fault that can be made in a start, and the code that tells it.
type Fault = (&'static str, fn(&mut Start));

/// In the order in which they are looked for.
const FAULTS: [Fault; 20] = [
    ("agent.options_invalid", |s| s.options["streem"] = json!(1)),
    ("agent.presentation_invalid", |s| {
        s.options["presentation"] = json!("stage")
    }),
    ("agent.prompt_snapshot_required", |s| s.snapshot = Value::Null),
    ("agent.invalid_prompt_snapshot", |s| {
        s.snapshot["chatCompletionPayload"]
            .as_object_mut()
            .map(|p| p.remove("messages"));
    }),
    ("agent.external_tools_unsupported", |s| {
        s.snapshot["chatCompletionPayload"]["tools"] = json!([{}]);
    }),
    ("agent.external_tool_choice_unsupported", |s| {
        s.snapshot["chatCompletionPayload"]["tool_choice"] = Value::Null;
    }),
    ("agent.external_tool_turns_unsupported", |s| {
        s.snapshot["chatCompletionPayload"]["messages"] = json!([{"role": "TOOL"}]);
    }),
    ("agent.invalid_generation_type", |s| s.generation_type = "  ".to_owned()),
    ("model.stream_unsupported", |s| s.options["stream"] = json!(true)),
    ("agent.context_policy_required", |s| {
        s.snapshot["contextPolicy"] = Value::Null
    }),
    ("agent.invalid_context_policy_snapshot", |s| {
        s.snapshot["contextPolicy"] = json!({"maxPromptChars": "many"});
    }),
    ("agent.context_policy_mismatch", |s| {
        s.snapshot["contextPolicy"]["includeActivatedWorldInfo"] = json!(false);
    }),
    ("agent.frozen_run_input_snapshot_required", |s| s.frozen = json!(3)),
    ("agent.frozen_run_input_snapshot_schema_required", |s| {
        s.frozen["schemaVersion"] = Value::Null;
    }),
    ("agent.frozen_run_input_snapshot_kind_invalid", |s| {
        s.frozen["kind"] = json!("other")
    }),
    ("agent.frozen_run_input_prompt_inputs_required", |s| {
        s.frozen["promptInputs"] = Value::Null;
    }),
    ("agent.frozen_run_input_world_info_activation_invalid", |s| {
        s.frozen["worldInfoActivation"] = json!([]);
    }),
    ("agent.frozen_run_input_macro_context_required", |s| {
        s.frozen["macroContext"] = Value::Null;
    }),
    ("prompt_assembly.generation_type_mismatch", |s| {
        s.frozen["generationType"] = json!("swipe")
    }),
    ("agent.prompt_marker_unmaterialized", |s| {
        s.snapshot["chatCompletionPayload"]["messages"] = json!([{"_tauritavern_agent_prompt_marker": "x"}]);
    }),
];

fn code(start: &Start) -> &'static str {
    check(start).map_or_else(|error| error.code(), |_| "good")
}

#[test]
fn each_fault_has_its_code() {
    assert_eq!(code(&start()), "good");
    for (expected, spoil) in FAULTS {
        let mut spoilt = start();
        spoil(&mut spoilt);
        assert_eq!(code(&spoilt), expected);
    }
}

proptest! {
    /// Faults are made from the last to the first, so that an earlier one is not undone by a later one that replaces what it lies in.
    #[test]
    fn of_several_faults_the_earliest_is_told(picked in proptest::collection::btree_set(0..FAULTS.len(), 1..4)) {
        let mut spoilt = start();
        for index in picked.iter().rev() {
            (FAULTS[*index].1)(&mut spoilt);
        }
        prop_assert_eq!(code(&spoilt), FAULTS[*picked.first().unwrap()].0);
    }
}

#[test]
fn a_good_snapshot_comes_out_in_its_normal_form() {
    let mut start = start();
    start.frozen["extra"] = json!(1);
    start.snapshot["chatCompletionPayload"]["_tauritavern_provider_state"] = json!({"secret": 1});
    start.snapshot["chatCompletionPayload"]["proxy_password"] = json!("secret");
    start.snapshot["chatCompletionPayload"]["model"] = json!("gpt");
    start.snapshot["generationIntent"] = json!({"why": "later"});
    start.snapshot["ownKey"] = json!(2);
    let accepted = check(&start).unwrap();
    let frozen = json!({
        "schemaVersion": 1, "kind": "tauritavern.agentFrozenRunInputSnapshot", "generationType": "normal",
        "promptInputs": {}, "worldInfoActivation": {}, "macroContext": {},
    });
    let document = json!({
        "chatCompletionPayload": {
            "messages": [{"role": "user", "content": "Hi."}], "temperature": 0.5, "stream": false, "model": "gpt",
            "chat_completion_source": "openai",
        },
        "contextPolicy": {"initialChatHistoryMessages": -7},
        "ownKey": 2,
        "frozenRunInputSnapshot": frozen,
        "generationIntent": {"why": "later"},
    });
    let expected = PromptSnapshot {
        document: document.as_object().unwrap().clone(),
        messages: vec![Message::of_text(Role::User, "Hi.")],
        settings: json!({"temperature": 0.5}).as_object().unwrap().clone(),
        intent: Some(json!({"why": "later"})),
    };
    assert_eq!(accepted, expected);
}

fn received(snapshot: &Value) -> Result<Submitted, &'static str> {
    let submission = Submission {
        snapshot: Some(snapshot),
        ..Submission::default()
    };
    Submitted::receive(submission).map_err(|error| error.code())
}

#[test]
fn the_payload_is_found_under_every_name_and_the_snapshot_may_be_one() {
    let payload = json!({"prompt": "p"});
    let expected = received(&json!({"chatCompletionPayload": payload, "contextPolicy": {}}));
    assert!(expected.is_ok());
    for name in ["chat_completion_payload", "generateData", "generate_data"] {
        assert_eq!(
            received(&json!({"chatCompletionPayload": "text", name: payload, "contextPolicy": {}})),
            expected,
            "{name}"
        );
    }
    assert_eq!(received(&json!({"prompt": "p", "contextPolicy": {}})), expected);
    for unusable in [
        json!([]),
        json!({}),
        json!({"generateData": {}, "messages": []}),
        json!({"prompt": null}),
    ] {
        assert_eq!(received(&unusable), Err("agent.invalid_prompt_snapshot"), "{unusable}");
    }
}

#[test]
fn an_empty_list_of_tools_brings_none() {
    assert!(
        received(&json!({"prompt": "p", "tools": [], "messages": [{"role": "assistant", "tool_calls": []}]})).is_ok()
    );
    assert_eq!(
        received(&json!({"messages": [{"role": "user"}, {"role": "assistant", "tool_calls": [{}]}]})),
        Err("agent.external_tool_turns_unsupported")
    );
}
