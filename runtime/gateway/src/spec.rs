//! How a model is named on a command line: `provider:model`.
//!
//! Only what works is accepted. A name is parsed first and opened later, so that a wrong one is found before anything starts.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use innkeeper_protocol::model::Model;

use crate::error::GatewayError;
use crate::headers::ExtraHeaders;
use crate::key::ApiKey;
use crate::provider::Provider;
use crate::remote::{DEFAULT_IDLE_TIMEOUT, DEFAULT_REQUEST_TIMEOUT, RemoteModel, RemoteSettings};
use crate::request_log::RequestLog;
use crate::scripted::ScriptedModel;

/// What stands before the colon of a script's name.
const SCRIPTED: &str = "scripted";

/// A model, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelName {
    /// `scripted:FILE`: turns out of a file.
    Scripted(PathBuf),
    /// `openai:MODEL`, `openai-responses:MODEL`, `claude:MODEL` or `gemini:MODEL`: a model behind a provider's HTTP API.
    Remote {
        /// Who answers.
        provider: Provider,
        /// The model's name there.
        model: String,
    },
}

impl FromStr for ModelName {
    type Err = GatewayError;

    fn from_str(text: &str) -> Result<Self, GatewayError> {
        // Only the first colon counts: file names and model names hold colons too.
        let Some((provider, name)) = text.split_once(':') else {
            return Err(GatewayError::NoProvider { spec: text.to_owned() });
        };
        let provider = provider.trim();
        if provider.is_empty() {
            return Err(GatewayError::NoProvider { spec: text.to_owned() });
        }
        if name.trim().is_empty() {
            return Err(GatewayError::NoModel { spec: text.to_owned() });
        }
        if provider == SCRIPTED {
            return Ok(Self::Scripted(PathBuf::from(name)));
        }
        let known = Provider::ALL.into_iter().find(|known| known.name() == provider);
        Ok(Self::Remote {
            provider: known.ok_or_else(|| GatewayError::UnknownProvider {
                provider: provider.to_owned(),
            })?,
            model: name.trim().to_owned(),
        })
    }
}

impl ModelName {
    /// Reads the key of the model's provider from the environment; a script needs none.
    ///
    /// # Errors
    /// [`GatewayError::Key`] when the variable holds what no key can.
    pub fn api_key(&self) -> Result<Option<ApiKey>, GatewayError> {
        match self {
            Self::Scripted(_) => Ok(None),
            Self::Remote { provider, .. } => ApiKey::of(*provider),
        }
    }

    /// Opens the model. Nothing is sent yet; a script is read and checked whole.
    ///
    /// # Errors
    /// [`GatewayError`] when the script, the address or the key cannot be used.
    pub fn open(&self, options: ModelOptions) -> Result<Box<dyn Model>, GatewayError> {
        match self {
            Self::Scripted(_) if options.base_url.is_some() => Err(GatewayError::BaseUrlUnused),
            Self::Scripted(path) => Ok(Box::new(ScriptedModel::from_file(path)?)),
            Self::Remote { provider, model } => {
                let settings = RemoteSettings {
                    base_url: options.base_url,
                    api_key: options.api_key,
                    headers: options.headers,
                    request_timeout: options.request_timeout,
                    idle_timeout: options.idle_timeout,
                    request_log: options.request_log,
                    ..RemoteSettings::new(*provider, model)
                };
                Ok(Box::new(RemoteModel::new(settings)?))
            }
        }
    }
}

/// How a model is reached.
#[derive(Clone)]
pub struct ModelOptions {
    /// The server's address up to the version, `http://127.0.0.1:8080/v1`; none: the provider's own.
    pub base_url: Option<String>,
    /// The key, if the server wants one.
    pub api_key: Option<ApiKey>,
    /// Headers of one's own.
    pub headers: ExtraHeaders,
    /// Most time for one request, from connecting to the last byte of the answer.
    pub request_timeout: Duration,
    /// Most time between two pieces of a stream once it has begun.
    pub idle_timeout: Duration,
    /// Where requests and answers are written down, if anywhere.
    pub request_log: Option<Arc<RequestLog>>,
}

impl fmt::Debug for ModelOptions {
    /// Leaves the address out: its query may hold a key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelOptions")
            .field("request_timeout", &self.request_timeout)
            .field("idle_timeout", &self.idle_timeout)
            .finish_non_exhaustive()
    }
}

impl Default for ModelOptions {
    fn default() -> Self {
        Self {
            base_url: None,
            api_key: None,
            headers: ExtraHeaders::default(),
            request_timeout: DEFAULT_REQUEST_TIMEOUT,
            idle_timeout: DEFAULT_IDLE_TIMEOUT,
            request_log: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use innkeeper_protocol::model::ModelInfo;

    use super::*;

    fn refusal(text: &str) -> (String, &'static str) {
        let error = ModelName::from_str(text).unwrap_err();
        (error.to_string(), error.code())
    }

    fn remote(provider: Provider, model: &str) -> ModelName {
        ModelName::Remote {
            provider,
            model: model.into(),
        }
    }

    #[test]
    fn every_provider_is_parsed_and_only_the_first_colon_counts() {
        let rows = [
            ("openai:llama3:8b", remote(Provider::Openai, "llama3:8b")),
            (" openai-responses: gpt-5 ", remote(Provider::OpenaiResponses, "gpt-5")),
            ("claude:opus", remote(Provider::Claude, "opus")),
            (
                "gemini:models/gemini-3-pro",
                remote(Provider::Gemini, "models/gemini-3-pro"),
            ),
            ("scripted:C:\\a b.json", ModelName::Scripted("C:\\a b.json".into())),
        ];
        for (text, expected) in rows {
            assert_eq!(text.parse::<ModelName>().unwrap(), expected);
        }
    }

    #[test]
    fn names_that_mean_nothing_are_refused() {
        let (source, usage) = ("agent.model_request_invalid_source", "agent.validation_error");
        let rows = [
            ("ollama:x", "the provider \"ollama\" is not known", source),
            (
                "gpt-5",
                "\"gpt-5\" names no model: there is no provider before a colon",
                usage,
            ),
            (
                ":x",
                "\":x\" names no model: there is no provider before a colon",
                usage,
            ),
            (
                "claude: ",
                "\"claude: \" names no model: nothing stands after the colon",
                usage,
            ),
        ];
        for (text, message, code) in rows {
            assert_eq!(refusal(text), (message.into(), code));
        }
    }

    #[test]
    fn a_refusal_names_what_works() {
        let hint = ModelName::from_str("ollama:x").unwrap_err().hint();
        for provider in Provider::ALL {
            assert!(hint.contains(&format!("`{}:MODEL`", provider.name())), "{hint}");
        }
        assert!(hint.contains("scripted:FILE"), "{hint}");
    }

    #[test]
    fn every_provider_opens_at_its_own_address_or_at_another() {
        for provider in Provider::ALL {
            for (base_url, source) in [(None, provider.source()), (Some("http://127.0.0.1:9/v1"), "custom")] {
                let options = ModelOptions {
                    base_url: base_url.map(str::to_owned),
                    ..ModelOptions::default()
                };
                let expected = ModelInfo {
                    source: source.into(),
                    format: provider.format().into(),
                    model: "m".into(),
                    can_stream: true,
                };
                assert_eq!(remote(provider, "m").open(options).unwrap().describe(), expected);
            }
        }
    }

    #[test]
    fn options_show_neither_key_nor_address() {
        let options = ModelOptions {
            base_url: Some("http://x.example/v1?key=canary".into()),
            api_key: ApiKey::parse("canary", "OPENAI_API_KEY").unwrap(),
            ..ModelOptions::default()
        };
        assert_eq!(
            format!("{options:?}"),
            "ModelOptions { request_timeout: 600s, idle_timeout: 120s, .. }"
        );
    }

    #[test]
    fn a_script_takes_neither_address_nor_key() {
        let script = ModelName::Scripted("x.json".into());
        let options = ModelOptions {
            base_url: Some("http://127.0.0.1:9/v1".into()),
            ..ModelOptions::default()
        };
        let error = script.open(options).err().unwrap();
        assert!(matches!(error, GatewayError::BaseUrlUnused), "{error}");
        assert!(script.api_key().unwrap().is_none());
    }
}
