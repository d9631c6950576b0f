//! How a model is named on a command line: `provider:model`.
//!
//! Only what works is accepted. A name is parsed first and opened later, so that a wrong one is found before anything starts.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use innkeeper_protocol::model::Model;

use crate::error::GatewayError;
use crate::key::ApiKey;
use crate::openai::{DEFAULT_REQUEST_TIMEOUT, OpenaiModel, OpenaiSettings};
use crate::scripted::ScriptedModel;

/// Providers whose names are known but whose wire formats are not built.
const UNSUPPORTED: [&str; 3] = ["openai-responses", "claude", "gemini"];

/// A model, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelSpec {
    /// `scripted:FILE`: turns out of a file.
    Scripted(PathBuf),
    /// `openai:MODEL`: a model behind the OpenAI chat-completions format.
    Openai(String),
}

impl FromStr for ModelSpec {
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
        if UNSUPPORTED.contains(&provider) {
            return Err(GatewayError::UnsupportedProvider {
                provider: provider.to_owned(),
            });
        }
        if name.trim().is_empty() {
            return Err(GatewayError::NoModel { spec: text.to_owned() });
        }
        match provider {
            "scripted" => Ok(Self::Scripted(PathBuf::from(name))),
            "openai" => Ok(Self::Openai(name.trim().to_owned())),
            _ => Err(GatewayError::UnknownProvider {
                provider: provider.to_owned(),
            }),
        }
    }
}

/// How a model is reached.
#[derive(Debug, Clone)]
pub struct ModelOptions {
    /// The server's address up to the version, `http://127.0.0.1:8080/v1`; none: the provider's own.
    pub base_url: Option<String>,
    /// The key, if the server wants one.
    pub api_key: Option<ApiKey>,
    /// Most time for one request, from connecting to the last byte of the answer.
    pub request_timeout: Duration,
}

impl Default for ModelOptions {
    fn default() -> Self {
        Self {
            base_url: None,
            api_key: None,
            request_timeout: DEFAULT_REQUEST_TIMEOUT,
        }
    }
}

/// Opens a model. Nothing is sent yet; a script is read and checked whole.
///
/// # Errors
/// [`GatewayError`] when the script, the address or the key cannot be used.
pub fn open(spec: &ModelSpec, options: ModelOptions) -> Result<Box<dyn Model>, GatewayError> {
    match spec {
        ModelSpec::Scripted(_) if options.base_url.is_some() => Err(GatewayError::BaseUrlUnused),
        ModelSpec::Scripted(path) => Ok(Box::new(ScriptedModel::from_file(path)?)),
        ModelSpec::Openai(model) => {
            let settings = OpenaiSettings {
                base_url: options.base_url,
                api_key: options.api_key,
                request_timeout: options.request_timeout,
                ..OpenaiSettings::new(model)
            };
            Ok(Box::new(OpenaiModel::new(settings)?))
        }
    }
}

#[cfg(test)]
mod tests {
    use innkeeper_protocol::model::ModelInfo;

    use super::*;

    fn refusal(text: &str) -> (String, &'static str) {
        let error = ModelSpec::from_str(text).unwrap_err();
        (error.to_string(), error.code())
    }

    #[test]
    fn what_works_is_parsed_and_only_the_first_colon_counts() {
        assert_eq!(
            "openai:llama3:8b".parse::<ModelSpec>().unwrap(),
            ModelSpec::Openai("llama3:8b".into())
        );
        assert_eq!(
            "scripted:C:\\a b.json".parse::<ModelSpec>().unwrap(),
            ModelSpec::Scripted("C:\\a b.json".into())
        );
    }

    #[test]
    fn what_does_not_work_is_refused_by_name() {
        let source = "agent.model_request_invalid_source";
        assert_eq!(
            refusal("claude:opus"),
            (
                "the provider \"claude\" is not supported by this version".into(),
                source
            )
        );
        assert_eq!(
            refusal("gemini:"),
            (
                "the provider \"gemini\" is not supported by this version".into(),
                source
            )
        );
        assert_eq!(
            refusal("openai-responses:x"),
            (
                "the provider \"openai-responses\" is not supported by this version".into(),
                source
            )
        );
        assert_eq!(
            refusal("ollama:x"),
            ("the provider \"ollama\" is not known".into(), source)
        );
    }

    #[test]
    fn a_name_without_provider_or_model_is_refused() {
        let usage = "agent.validation_error";
        assert_eq!(
            refusal("gpt-5"),
            (
                "\"gpt-5\" names no model: there is no provider before a colon".into(),
                usage
            )
        );
        assert_eq!(
            refusal(":x"),
            (
                "\":x\" names no model: there is no provider before a colon".into(),
                usage
            )
        );
        assert_eq!(
            refusal("openai: "),
            (
                "\"openai: \" names no model: nothing stands after the colon".into(),
                usage
            )
        );
    }

    #[test]
    fn a_refusal_names_what_works() {
        let hint = ModelSpec::from_str("claude:opus").unwrap_err().hint();
        assert!(
            hint.contains("openai:MODEL") && hint.contains("scripted:FILE"),
            "{hint}"
        );
    }

    #[test]
    fn an_address_of_ones_own_makes_the_source_custom() {
        let options = ModelOptions {
            base_url: Some("http://127.0.0.1:9/v1".into()),
            ..ModelOptions::default()
        };
        let model = open(&ModelSpec::Openai("m".into()), options).unwrap();
        let expected = ModelInfo {
            source: "custom".into(),
            format: "openai_compatible".into(),
            model: "m".into(),
            can_stream: false,
        };
        assert_eq!(model.describe(), expected);
    }

    #[test]
    fn a_script_takes_no_address() {
        let options = ModelOptions {
            base_url: Some("http://127.0.0.1:9/v1".into()),
            ..ModelOptions::default()
        };
        let error = open(&ModelSpec::Scripted("x.json".into()), options).err().unwrap();
        assert!(matches!(error, GatewayError::BaseUrlUnused), "{error}");
    }
}
