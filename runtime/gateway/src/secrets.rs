//! What a connection must not tell, though a server may say it back: its key, and what its own headers and its address hold.
//!
//! How a secret is found in a text is told in `innkeeper_protocol::redaction`.

use std::borrow::Cow;

use innkeeper_protocol::model::{Excerpt, ModelResponse};
use innkeeper_protocol::redaction::{self, Pieces};
use serde_json::Value;

use crate::key::ApiKey;

/// Shortest secret that is taken out of turns. What is shorter is a placeholder for a server that wants none, such as `none` or `ollama`,
/// and could be a word of the story.
const MIN_SECRET_BYTES: usize = 16;

/// The secrets of a connection. They are never printed.
#[derive(Clone, Default)]
pub(crate) struct Secrets {
    /// Those that no turn may hold, the longest first: one may be a part of another.
    long: Vec<String>,
    /// The key where it is shorter. No error and no log quotes it.
    short: Option<String>,
}

impl Secrets {
    /// Takes a key, and texts of which each word may be a secret.
    pub(crate) fn new<'a>(key: Option<&ApiKey>, texts: impl IntoIterator<Item = Cow<'a, str>>) -> Self {
        let key = key.map(|key| key.text().to_owned());
        let is_long =
            |text: &String| text.len() >= MIN_SECRET_BYTES && text.bytes().all(|byte| byte.is_ascii_graphic());
        let texts: Vec<Cow<'_, str>> = texts.into_iter().collect();
        let words = texts
            .iter()
            .flat_map(|text| text.split_ascii_whitespace())
            .map(str::to_owned);
        let mut long: Vec<String> = words.chain(key.clone()).filter(is_long).collect();
        long.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        long.dedup();
        let short = key.filter(|key| !is_long(key));
        Self { long, short }
    }

    /// A text without any of them.
    fn without<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let all = self.long.iter().chain(&self.short);
        all.fold(Cow::Borrowed(text), |text, secret| match text {
            Cow::Borrowed(text) => redaction::without(secret, text),
            Cow::Owned(text) => Cow::Owned(redaction::without(secret, &text).into_owned()),
        })
    }

    /// The beginning of a server's words without them, because some servers repeat a key in their errors.
    pub(crate) fn excerpt(&self, text: &str) -> Excerpt {
        Excerpt::new(&self.without(text))
    }

    /// A turn without them, wherever a server put one: a turn is stored, and its calls are written into events.
    pub(crate) fn strip(&self, response: ModelResponse) -> ModelResponse {
        if self.long.is_empty() {
            return response;
        }
        let of_turns = Self {
            long: self.long.clone(),
            short: None,
        };
        let Ok(mut value) = serde_json::to_value(&response) else {
            return response;
        };
        if of_turns.strip_value(&mut value) {
            serde_json::from_value(value).unwrap_or(response)
        } else {
            response
        }
    }

    /// Takes them out of every text of a value; tells whether there was one.
    pub(crate) fn strip_value(&self, value: &mut Value) -> bool {
        match value {
            Value::String(text) => match self.without(text) {
                Cow::Owned(clean) => {
                    *text = clean;
                    true
                }
                Cow::Borrowed(_) => false,
            },
            Value::Array(values) => self.strip_all(values),
            Value::Object(fields) => {
                let mut found = self.strip_all(fields.values_mut());
                if fields.keys().any(|name| matches!(self.without(name), Cow::Owned(_))) {
                    let renamed = std::mem::take(fields).into_iter();
                    fields.extend(renamed.map(|(name, value)| (self.without(&name).into_owned(), value)));
                    found = true;
                }
                found
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    fn strip_all<'a>(&self, values: impl IntoIterator<Item = &'a mut Value>) -> bool {
        let mut found = false;
        for value in values {
            found |= self.strip_value(value);
        }
        found
    }
}

/// A text that comes in pieces and holds no secret of a turn any more.
#[derive(Default)]
pub(crate) struct Veil(Vec<Pieces>);

impl Veil {
    /// Takes the next piece; gives what can be shown.
    pub(crate) fn feed(&mut self, secrets: &Secrets, piece: String) -> String {
        self.0.resize_with(secrets.long.len(), Pieces::default);
        let each = secrets.long.iter().zip(&mut self.0);
        each.fold(piece, |text, (secret, pieces)| pieces.feed(secret, &text))
    }

    /// What was held back, when nothing more comes.
    pub(crate) fn finish(&mut self, secrets: &Secrets) -> String {
        let each = secrets.long.iter().zip(&mut self.0);
        // What was held back for one secret goes on to be searched for the next.
        each.fold(String::new(), |text, (secret, pieces)| {
            let mut all = pieces.feed(secret, &text);
            all.push_str(&pieces.finish(secret));
            all
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn secrets(key: &str, texts: &[&'static str]) -> Secrets {
        let key = ApiKey::parse(key, "OPENAI_API_KEY").unwrap();
        Secrets::new(key.as_ref(), texts.iter().map(|text| Cow::Borrowed(*text)))
    }

    #[test]
    fn secrets_are_taken_out_of_every_text_and_every_name() {
        let mut value = json!({"a sk-canary": [1, "sk-canary!", null], "b": "sk-Canary"});
        assert!(secrets("sk-canary", &[]).strip_value(&mut value));
        assert_eq!(value, json!({"a [secret]": [1, "[secret]!", null], "b": "sk-Canary"}));
    }

    #[test]
    fn long_words_of_headers_are_secrets_and_short_ones_are_not() {
        let secrets = secrets(
            "",
            &[
                "Bearer token-0123456789",
                "token-0123456789-longer",
                "é-0123456789012345",
            ],
        );
        let told = secrets.excerpt("Bearer token-0123456789, token-0123456789-longer, é-0123456789012345");
        assert_eq!(told.as_str(), "Bearer [secret], [secret], é-0123456789012345");
    }

    #[test]
    fn several_secrets_in_pieces_are_shown_in_none_of_them() {
        let secrets = secrets("sk-canary-0123456789", &["token-0123456789"]);
        let mut veil = Veil::default();
        let pieces = ["sk-canary-", "0123456789 tok", "en-01234", "56789 to", "ken-s"];
        let mut shown: Vec<String> = pieces.map(|piece| veil.feed(&secrets, piece.to_owned())).into();
        shown.push(veil.finish(&secrets));
        assert_eq!(shown, ["", "[secret] ", "", "[secret] ", "", "token-s"]);
        assert_eq!(veil.finish(&secrets), "");
    }
}
