//! A prompt on its way in: received, then agreed with the profile.

use innkeeper_protocol::model::{Message, ModelInfo, Role};
use innkeeper_protocol::run::GenerationType;
use serde_json::{Map, Value, json};

use super::agreement::check_stream;
use super::error::SnapshotError;
use super::{frozen, messages, payload, policy};
use crate::profile::ResolvedProfile;

/// What a front end hands over, unread.
#[derive(Debug, Clone, Copy, Default)]
pub struct Submission<'a> {
    /// `promptSnapshot`.
    pub snapshot: Option<&'a Value>,
    /// `generationType`.
    pub generation_type: Option<&'a str>,
    /// `frozenRunInputSnapshot`; where there is none, the one inside the snapshot counts.
    pub frozen: Option<&'a Value>,
    /// `generationIntent`; where there is none, the one inside the snapshot counts.
    pub intent: Option<&'a Value>,
}

/// A prompt that may be used with some profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Submitted {
    document: Map<String, Value>,
    payload: Map<String, Value>,
    /// What kind of message is wanted.
    pub generation_type: GenerationType,
    frozen: Option<Value>,
    intent: Option<Value>,
}

/// A prompt that a run goes by.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptSnapshot {
    /// The snapshot in its normal form, as the run keeps it.
    pub document: Map<String, Value>,
    /// The messages of the first request.
    pub messages: Vec<Message>,
    /// Generation settings that are passed on.
    pub settings: Map<String, Value>,
    /// What the front end says about why it asks; never read.
    pub intent: Option<Value>,
}

impl Submitted {
    /// The checks that need no profile.
    ///
    /// # Errors
    /// [`SnapshotError`] of the first of these that fails: there is a snapshot; it has a payload with messages or a prompt; it brings no
    /// tools, chooses none and holds no calls; the generation type is known.
    pub fn receive(submission: Submission<'_>) -> Result<Self, SnapshotError> {
        let snapshot = submission.snapshot.filter(|snapshot| !snapshot.is_null());
        let mut document = payload::normalise(snapshot.ok_or(SnapshotError::Missing)?)?;
        let payload = match document.get("chatCompletionPayload") {
            Some(Value::Object(payload)) => payload.clone(),
            _ => Map::new(),
        };
        payload::refuse_tools(&payload)?;
        let generation_type = super::generation_type(submission.generation_type)?;
        let mut take = |given: Option<&Value>, name: &str| {
            let inside = document.remove(name);
            let given = given.filter(|value| !value.is_null()).cloned();
            given.or(inside).filter(|value| !value.is_null())
        };
        Ok(Self {
            frozen: take(submission.frozen, "frozenRunInputSnapshot"),
            intent: take(submission.intent, "generationIntent"),
            payload,
            generation_type,
            document,
        })
    }

    /// The payload in its normal form: which model the prompt is meant for stands there.
    #[must_use]
    pub fn payload(&self) -> &Map<String, Value> {
        &self.payload
    }

    /// The checks that need the profile.
    ///
    /// # Errors
    /// [`SnapshotError`] of the first of these that fails: the model can stream if it is to; the snapshot was made by the profile's
    /// rules; the frozen inputs are whole and for this kind of message; no marker is left; every message can be read.
    pub fn agree(
        mut self,
        profile: &ResolvedProfile,
        stream: Option<bool>,
        model: &ModelInfo,
    ) -> Result<PromptSnapshot, SnapshotError> {
        check_stream(profile, stream, model)?;
        policy::check(self.document.get("contextPolicy"), profile)?;
        if let Some(frozen) = &self.frozen {
            let frozen = frozen::frozen_inputs(frozen, self.generation_type)?;
            self.document.insert("frozenRunInputSnapshot".to_owned(), frozen);
        }
        if let Some(intent) = &self.intent {
            self.document.insert("generationIntent".to_owned(), intent.clone());
        }
        Ok(PromptSnapshot {
            messages: messages::import(&self.payload)?,
            settings: payload::settings(&self.payload),
            document: self.document,
            intent: self.intent,
        })
    }
}

impl PromptSnapshot {
    /// Adds what the person wants as the last message, also in what the run keeps.
    pub fn add_instruction(&mut self, text: &str) {
        self.messages.push(Message::of_text(Role::User, text));
        let Some(Value::Object(payload)) = self.document.get_mut("chatCompletionPayload") else {
            return;
        };
        let said = |text: &Value| json!({ "role": "user", "content": text });
        let given = payload.get("messages").filter(|messages| !messages.is_null());
        let mut messages = match given.or_else(|| payload.get("prompt")) {
            Some(Value::Array(messages)) => messages.clone(),
            Some(one) => vec![said(one)],
            None => Vec::new(),
        };
        messages.push(said(&Value::from(text)));
        payload.insert("messages".to_owned(), Value::Array(messages));
        payload.remove("prompt");
    }
}
