//! The parts of a start one by one: messages, policy, frozen inputs, options, scopes, base state, settings.

use innkeeper_protocol::id::StateId;
use innkeeper_protocol::model::{Message, Part, Role};
use innkeeper_protocol::run::{ChatRef, GenerationType, Presentation};
use innkeeper_protocol::skill::{SkillPreset, SkillScopeRefs};
use serde_json::{Map, Value, json};

use crate::profile::tests::{default_profile, resolved};
use crate::profile::{PresetMode, PresetRef, Profile};
use crate::snapshot::*;

fn imported(payload: Value) -> Result<Vec<Message>, &'static str> {
    messages::import(payload.as_object().unwrap()).map_err(|error| error.code())
}

#[test]
fn messages_become_canonical() {
    let image = json!({"type": "image_url", "image_url": {"url": "data:,"}});
    let found = imported(json!({"messages": [
        {"role": "SYSTEM", "content": "a", "name": "example"},
        {"role": "narrator", "content": ["b", {"type": "text", "text": "c"}, image]},
        {"content": null},
        {"role": "assistant", "content": 4.5},
    ]}));
    let text = |text: &str| Part::Text { text: text.to_owned() };
    let native = Part::Native {
        provider: "openai.content_part".to_owned(),
        value: image,
    };
    let mut named = Message::new(Role::System, vec![text("a")]);
    named.provider_metadata.insert("name".to_owned(), json!("example"));
    let expected = vec![
        named,
        Message::new(Role::User, vec![text("b"), text("c"), native]),
        Message::new(Role::User, vec![]),
        Message::new(Role::Assistant, vec![text("4.5")]),
    ];
    assert_eq!(found, Ok(expected));
    let one = Ok(vec![Message::of_text(Role::User, "p")]);
    assert_eq!(imported(json!({"prompt": "p"})), one);
    assert_eq!(imported(json!({"messages": "p"})), one);
}

#[test]
fn messages_that_cannot_be_read_are_refused() {
    for (payload, expected) in [
        (json!({"messages": 4}), "agent.tool_loop_requires_messages"),
        (
            json!({"prompt": ["a"], "messages": {}}),
            "agent.tool_loop_requires_messages",
        ),
        (json!({"messages": ["text"]}), "agent.invalid_prompt_snapshot"),
        (
            json!({"messages": [{}, {"_tauritavern_agent_prompt_marker": 1}]}),
            "agent.invalid_prompt_marker",
        ),
    ] {
        assert_eq!(imported(payload.clone()), Err(expected), "{payload}");
    }
}

#[test]
fn the_policy_is_compared_as_far_as_it_speaks() {
    let profile = resolved(&default_profile());
    let told = |stated: Value| policy::check(Some(&stated), &profile).map_err(|error| error.code());
    assert_eq!(told(json!({})), Ok(()));
    assert_eq!(
        told(json!({"maxPromptChars": 48_000, "toolResults": {"keepFull": 20, "maxChars": null}})),
        Ok(())
    );
    for differing in [
        json!({"initialChatHistoryMessages": 5}),
        json!({"maxPromptChars": 1}),
        json!({"toolResults": {"keepFull": 1}}),
        json!({"toolResults": {"maxChars": 9}}),
    ] {
        assert_eq!(
            told(differing.clone()),
            Err("agent.context_policy_mismatch"),
            "{differing}"
        );
    }
    assert_eq!(told(json!([])), Err("agent.invalid_context_policy_snapshot"));
}

#[test]
fn frozen_inputs_come_in_either_spelling() {
    let snake = json!({
        "schema_version": 1, "kind": "tauritavern.agentFrozenRunInputSnapshot", "generation_type": " swipe ",
        "prompt_inputs": {"a": 1}, "world_info_activation": {}, "macro_context": {},
    });
    let inputs = frozen::normalise(&snake).unwrap();
    assert_eq!(
        (inputs.generation_type.as_str(), &inputs.document["promptInputs"]),
        ("swipe", &json!({"a": 1}))
    );
    let told = |key: &str, value: Value| {
        let mut spoilt = snake.clone();
        spoilt[key] = value;
        frozen::normalise(&spoilt)
            .err()
            .map(|fault| SnapshotError::Frozen(fault).code())
    };
    assert_eq!(told("kind", json!(1)), Some("agent.frozen_run_input_snapshot_invalid"));
    assert_eq!(
        told("schemaVersion", json!(2)),
        Some("agent.frozen_run_input_snapshot_schema_unsupported")
    );
    assert_eq!(told("generationType", json!("")), Some("agent.invalid_generation_type"));
    assert_eq!(
        told("promptInputs", json!(1)),
        Some("agent.frozen_run_input_prompt_inputs_invalid")
    );
    assert_eq!(
        told("world_info_activation", Value::Null),
        Some("agent.frozen_run_input_world_info_activation_required")
    );
    assert_eq!(
        told("macroContext", json!("x")),
        Some("agent.frozen_run_input_macro_context_invalid")
    );
}

#[test]
fn options_may_be_left_out() {
    assert_eq!(StartOptions::parse(None), Ok(StartOptions::default()));
    let both = StartOptions {
        stream: Some(true),
        presentation: Some(Presentation::Background),
    };
    assert_eq!(
        StartOptions::parse(Some(&json!({"stream": true, "presentation": "background"}))),
        Ok(both)
    );
    let told = |value: Value| StartOptions::parse(Some(&value)).map_err(|error| error.code());
    assert_eq!(told(json!([])), Err("agent.options_invalid"));
    assert_eq!(told(json!({"stream": null})), Err("agent.options_invalid"));
    assert_eq!(told(json!({"presentation": 1})), Err("agent.presentation_invalid"));
    assert_eq!(generation_type(None), Ok(GenerationType::Normal));
    assert_eq!(generation_type(Some(" continue")), Ok(GenerationType::Continue));
    assert_eq!(
        generation_type(Some("quiet")).map_err(|e| e.code()),
        Err("agent.invalid_generation_type")
    );
}

fn ferry() -> ChatRef {
    ChatRef::Character {
        character_id: "Wren".to_owned(),
        file_name: "ferry".to_owned(),
    }
}

fn with_preset(mode: PresetMode) -> Profile {
    let mut profile = default_profile();
    profile.preset.mode = mode;
    profile.preset.reference = (mode == PresetMode::Ref).then(|| PresetRef {
        api_id: "openai".to_owned(),
        name: "Slow".to_owned(),
    });
    profile
}

#[test]
fn scopes_come_from_profile_and_chat_and_agree_with_what_is_given() {
    let slow = SkillPreset {
        api_id: "openai".to_owned(),
        name: "Slow".to_owned(),
    };
    let both = SkillScopeRefs {
        preset: Some(slow),
        character_id: Some("Wren".to_owned()),
    };
    let given = json!({"preset": {"apiId": "openai", "name": "Slow"}, "characterId": "Wren"});
    let profile = resolved(&with_preset(PresetMode::Ref));
    assert_eq!(scope_refs(None, &profile, &ferry()), Ok(both.clone()));
    assert_eq!(scope_refs(Some(&given), &profile, &ferry()), Ok(both.clone()));
    let current = resolved(&with_preset(PresetMode::CurrentPromptSnapshot));
    assert_eq!(scope_refs(Some(&given), &current, &ferry()), Ok(both));
}

#[test]
fn scopes_that_contradict_are_refused() {
    let profile = resolved(&with_preset(PresetMode::Ref));
    let group = ChatRef::Group {
        chat_id: "g".to_owned(),
    };
    for (given, chat, expected) in [
        (json!(1), ferry(), "agent.skill_scope_refs_invalid"),
        (
            json!({"preset": "Slow"}),
            ferry(),
            "agent.skill_scope_refs_preset_invalid",
        ),
        (
            json!({"preset": {"apiId": "openai"}}),
            ferry(),
            "agent.skill_scope_preset_invalid",
        ),
        (
            json!({"preset": {"apiId": "openai", "name": "Fast"}}),
            ferry(),
            "agent.skill_scope_preset_mismatch",
        ),
        (
            json!({"characterId": " "}),
            ferry(),
            "agent.skill_scope_character_id_empty",
        ),
        (
            json!({"characterId": "Ada"}),
            ferry(),
            "agent.skill_scope_character_mismatch",
        ),
        (
            json!({"characterId": "Wren"}),
            group,
            "agent.skill_scope_character_mismatch",
        ),
    ] {
        let told = scope_refs(Some(&given), &profile, &chat).map_err(|error| error.code());
        assert_eq!(told, Err(expected), "{given}");
    }
    let none = resolved(&with_preset(PresetMode::None));
    let told = scope_refs(Some(&json!({"preset": {"apiId": "a", "name": "b"}})), &none, &ferry());
    assert_eq!(
        told.map_err(|error| error.code()),
        Err("agent.skill_scope_preset_mismatch")
    );
}

#[test]
fn a_given_base_state_is_the_chats() {
    let state = StateId::parse("run_1").unwrap();
    let told = |given, found| agreed_base(given, found).map_err(|error| error.code());
    assert_eq!(told(None, Some(&state)), Ok(()));
    assert_eq!(told(Some(" run_1 "), Some(&state)), Ok(()));
    assert_eq!(told(Some(" "), Some(&state)), Err("agent.persist_base_state_id_empty"));
    assert_eq!(
        told(Some("run_2"), Some(&state)),
        Err("agent.persist_base_state_mismatch")
    );
    assert_eq!(told(Some("run_1"), None), Err("agent.persist_base_state_mismatch"));
}

#[test]
fn no_settings_of_ours_are_passed_on() {
    let payload: Map<String, Value> = json!({
        "messages": [], "prompt": "", "tools": [], "stream": true, "model": "m", "chat_completion_source": "x", "top_p": 1,
    })
    .as_object()
    .unwrap()
    .clone();
    assert_eq!(Value::Object(payload::settings(&payload)), json!({"top_p": 1}));
}

#[test]
fn an_instruction_is_the_last_message_also_in_what_is_kept() {
    for (payload, before) in [
        (json!({"prompt": "p"}), json!([{"role": "user", "content": "p"}])),
        (json!({"messages": []}), json!([])),
    ] {
        let mut snapshot = PromptSnapshot {
            messages: imported(payload.clone()).unwrap(),
            settings: Map::new(),
            document: json!({"chatCompletionPayload": payload}).as_object().unwrap().clone(),
            intent: None,
        };
        snapshot.add_instruction("Be brief.");
        let mut messages = before.as_array().unwrap().clone();
        messages.push(json!({"role": "user", "content": "Be brief."}));
        assert_eq!(
            Value::Object(snapshot.document),
            json!({"chatCompletionPayload": {"messages": messages}})
        );
        assert_eq!(
            snapshot.messages.last(),
            Some(&Message::of_text(Role::User, "Be brief."))
        );
    }
}
