//! The API key: read from the environment, sent to one server, shown to nobody.
//!
//! A key never comes from a command-line flag, where every process of the machine could read it.

use std::env::VarError;
use std::fmt;

use reqwest::header::HeaderValue;

use crate::error::GatewayError;
use crate::provider::Provider;

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

    /// The key itself, for taking it out of texts.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(..)")
    }
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn neither_debug_nor_the_header_shows_the_key() {
        let key = ApiKey::parse("sk-canary", "OPENAI_API_KEY").unwrap().unwrap();
        let header = key.header("Bearer ").unwrap();
        assert_eq!(format!("{key:?} {header:?}"), "ApiKey(..) Sensitive");
        assert_eq!(header.to_str().unwrap(), "Bearer sk-canary");
    }
}
