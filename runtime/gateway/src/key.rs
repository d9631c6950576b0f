//! The API key: read from the environment, sent to one server, shown to nobody.
//!
//! A key never comes from a command-line flag, where every process of the machine could read it.

use std::env::VarError;
use std::fmt;

use innkeeper_protocol::model::{Excerpt, ModelResponse};
use reqwest::header::HeaderValue;
use serde_json::Value;

use crate::error::GatewayError;
use crate::provider::Provider;

/// What stands in a text where the key was.
const REDACTED: &str = "[API key]";

/// Shortest key that is taken out of turns. What is shorter is a placeholder for a server that wants none, such as `none` or `ollama`,
/// and could be a word of the story.
const MIN_SECRET_BYTES: usize = 16;

/// A provider's API key. It is never printed.
#[derive(Clone)]
pub struct ApiKey(String);

impl ApiKey {
    /// Takes a key; blank is no key. `variable` names its origin in an error.
    ///
    /// # Errors
    /// [`GatewayError::Key`] when a character is no visible ASCII one, which no HTTP header can carry (RFC 9110, 5.5).
    pub fn parse(text: &str, variable: &'static str) -> Result<Option<Self>, GatewayError> {
        let key = text.trim();
        if key.is_empty() {
            return Ok(None);
        }
        if !key.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(GatewayError::Key { variable });
        }
        Ok(Some(Self(key.to_owned())))
    }

    /// Reads the first of [`Provider::key_variables`] that is set and not blank.
    ///
    /// # Errors
    /// [`GatewayError::Key`] when it holds what no key can.
    pub fn of(provider: Provider) -> Result<Option<Self>, GatewayError> {
        Self::from_variables(provider, std::env::var)
    }

    /// [`ApiKey::of`] over another source of variables.
    ///
    /// # Errors
    /// [`GatewayError::Key`] when the variable holds what no key can.
    pub fn from_variables(
        provider: Provider,
        read: impl Fn(&'static str) -> Result<String, VarError>,
    ) -> Result<Option<Self>, GatewayError> {
        for variable in provider.key_variables().iter().copied() {
            let text = match read(variable) {
                Ok(text) => text,
                Err(VarError::NotPresent) => continue,
                Err(VarError::NotUnicode(_)) => return Err(GatewayError::Key { variable }),
            };
            if let Some(key) = Self::parse(&text, variable)? {
                return Ok(Some(key));
            }
        }
        Ok(None)
    }

    /// The value of a header that carries the key behind a scheme (`Bearer ` is RFC 6750), marked so that libraries don't print it
    /// either. None cannot happen for a parsed key.
    pub(crate) fn header(&self, scheme: &'static str) -> Option<HeaderValue> {
        let mut value = HeaderValue::try_from(format!("{scheme}{}", self.0)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// The beginning of a server's words without the key in them, because some servers repeat it in their errors.
    pub(crate) fn excerpt(key: Option<&Self>, text: &str) -> Excerpt {
        match key {
            Some(key) => Excerpt::new(&text.replace(&key.0, REDACTED)),
            None => Excerpt::new(text),
        }
    }

    /// A turn without the key in it, wherever a server put it: a turn is stored, and its calls are written into events.
    pub(crate) fn strip(key: Option<&Self>, response: ModelResponse) -> ModelResponse {
        let Some(key) = key.filter(|key| key.0.len() >= MIN_SECRET_BYTES) else {
            return response;
        };
        let Ok(mut value) = serde_json::to_value(&response) else {
            return response;
        };
        if key.strip_value(&mut value) {
            serde_json::from_value(value).unwrap_or(response)
        } else {
            response
        }
    }

    /// Takes the key out of every text of a value; tells whether there was one.
    pub(crate) fn strip_value(&self, value: &mut Value) -> bool {
        match value {
            Value::String(text) => {
                let is_there = text.contains(&self.0);
                if is_there {
                    *text = text.replace(&self.0, REDACTED);
                }
                is_there
            }
            Value::Array(values) => self.strip_all(values),
            Value::Object(fields) => {
                let mut found = self.strip_all(fields.values_mut());
                if fields.keys().any(|name| name.contains(&self.0)) {
                    let renamed = std::mem::take(fields).into_iter();
                    fields.extend(renamed.map(|(name, value)| (name.replace(&self.0, REDACTED), value)));
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

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(..)")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn from(provider: Provider, variables: &'static [(&'static str, &'static str)]) -> Option<String> {
        let read = |name: &'static str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned()).ok_or(VarError::NotPresent)
        };
        ApiKey::from_variables(provider, read).unwrap().map(|key| key.0)
    }

    #[test]
    fn our_own_variable_wins_and_blank_counts_as_unset() {
        assert_eq!(
            from(
                Provider::Openai,
                &[("OPENAI_API_KEY", "b"), ("INNKEEPER_API_KEY", " a\n")]
            )
            .as_deref(),
            Some("a")
        );
        assert_eq!(
            from(
                Provider::Openai,
                &[("OPENAI_API_KEY", "b"), ("INNKEEPER_API_KEY", "  ")]
            )
            .as_deref(),
            Some("b")
        );
        assert_eq!(from(Provider::Openai, &[]), None);
    }

    #[test]
    fn no_provider_is_sent_the_key_of_another() {
        let keys = &[
            ("OPENAI_API_KEY", "o"),
            ("ANTHROPIC_API_KEY", "a"),
            ("GOOGLE_API_KEY", "g"),
        ];
        let found = Provider::ALL.map(|provider| from(provider, keys).unwrap());
        assert_eq!(found, ["o", "o", "a", "g"]);
    }

    #[test]
    fn a_key_that_no_header_can_carry_is_refused_without_being_repeated() {
        for bad in ["sécret", "two words", "a\nb"] {
            let error = ApiKey::parse(bad, "OPENAI_API_KEY").unwrap_err();
            assert_eq!(
                error.to_string(),
                "the API key in OPENAI_API_KEY holds characters that an API key cannot have"
            );
        }
    }

    fn value_without(key: &str, mut value: Value) -> Value {
        ApiKey::parse(key, "OPENAI_API_KEY")
            .unwrap()
            .unwrap()
            .strip_value(&mut value);
        value
    }

    #[test]
    fn a_key_is_taken_out_of_every_text_and_every_name() {
        let stripped = value_without(
            "sk-canary",
            json!({"a sk-canary": [1, "sk-canary!", null], "b": "sk-Canary"}),
        );
        assert_eq!(
            stripped,
            json!({"a [API key]": [1, "[API key]!", null], "b": "sk-Canary"})
        );
    }

    #[test]
    fn neither_debug_nor_the_header_shows_the_key() {
        let key = ApiKey::parse("sk-canary", "OPENAI_API_KEY").unwrap().unwrap();
        let header = key.header("Bearer ").unwrap();
        assert_eq!(format!("{key:?} {header:?}"), "ApiKey(..) Sensitive");
        assert_eq!(header.to_str().unwrap(), "Bearer sk-canary");
    }
}
