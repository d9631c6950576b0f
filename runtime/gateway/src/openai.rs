//! The OpenAI chat-completions format over HTTP, for OpenAI itself and the many servers that speak it.
//!
//! Buffered answers only: it does not stream. It does not retry; one call of [`Model::complete`] is one HTTP request.

mod body;
mod client;
mod decode;
mod encode;
mod endpoint;
mod native;
mod network;
mod status;
mod transcript;

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use innkeeper_protocol::model::{Excerpt, Model, ModelError, ModelInfo, ModelRequest, ModelResponse};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{RequestBuilder, Response};

use crate::error::GatewayError;
use crate::key::ApiKey;
use endpoint::Endpoint;
pub(crate) use status::error_of_status;

/// The wire format's name in events and stored turns.
const FORMAT: &str = "openai_compatible";

/// Where OpenAI itself lives.
pub const OPENAI_BASE_URL: &str = "https://api.openai.com/v1";

/// Most time for one request, from connecting to the last byte: a slow local model may write for minutes.
pub const DEFAULT_REQUEST_TIMEOUT: Duration = Duration::from_secs(600);

/// Most time for making a connection: a host that does not answer is found out long before the request's own limit.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);

/// Most bytes of an answer: a hundred times a long turn, and nothing that fills the memory.
pub const DEFAULT_BODY_LIMIT: usize = 32 * 1024 * 1024;

/// How to reach a model behind the chat-completions format.
#[derive(Debug, Clone)]
pub struct OpenaiSettings {
    /// The model's name at the server.
    pub model: String,
    /// Address up to the version; none: [`OPENAI_BASE_URL`].
    pub base_url: Option<String>,
    /// Sent as a bearer token when given.
    pub api_key: Option<ApiKey>,
    /// See [`DEFAULT_REQUEST_TIMEOUT`].
    pub request_timeout: Duration,
    /// See [`DEFAULT_BODY_LIMIT`].
    pub body_limit: usize,
}

impl OpenaiSettings {
    /// OpenAI itself, without a key.
    #[must_use]
    pub fn new(model: impl Into<String>) -> Self {
        Self {
            model: model.into(),
            base_url: None,
            api_key: None,
            request_timeout: DEFAULT_REQUEST_TIMEOUT,
            body_limit: DEFAULT_BODY_LIMIT,
        }
    }
}

/// A model behind the chat-completions format.
pub struct OpenaiModel {
    info: ModelInfo,
    endpoint: Endpoint,
    client: reqwest::Client,
    api_key: Option<ApiKey>,
    request_timeout: Duration,
    body_limit: usize,
}

impl OpenaiModel {
    /// Prepares the connection; nothing is sent.
    ///
    /// # Errors
    /// [`GatewayError`] when the base URL cannot be used, or the machine offers no certificate authorities for `https`.
    pub fn new(settings: OpenaiSettings) -> Result<Self, GatewayError> {
        let source = if settings.base_url.is_some() {
            "custom"
        } else {
            "openai"
        };
        let endpoint = Endpoint::parse(settings.base_url.as_deref().unwrap_or(OPENAI_BASE_URL))?;
        Ok(Self {
            info: ModelInfo {
                source: source.to_owned(),
                format: FORMAT.to_owned(),
                model: settings.model,
                can_stream: false,
            },
            client: client::build(&endpoint)?,
            endpoint,
            api_key: settings.api_key,
            request_timeout: settings.request_timeout,
            body_limit: settings.body_limit,
        })
    }

    fn post(&self, body: Vec<u8>) -> RequestBuilder {
        let request = self
            .client
            .post(self.endpoint.url().clone())
            .timeout(self.request_timeout)
            .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .header(ACCEPT, HeaderValue::from_static("application/json"))
            .body(body);
        match self.api_key.as_ref().and_then(ApiKey::header) {
            Some(key) => request.header(AUTHORIZATION, key),
            None => request,
        }
    }

    /// A success: the body becomes a turn, or the reason why it is none.
    async fn accepted(&self, response: Response) -> Result<ModelResponse, ModelError> {
        let bytes = body::read(response, self.body_limit, &self.endpoint).await?;
        match decode::parse(&bytes) {
            Ok(value) => decode::turn(value, &self.info, |text| self.excerpt(text)),
            Err(fault) => {
                let excerpt = self.excerpt(&String::from_utf8_lossy(body::beginning(&bytes)));
                tracing::debug!(%fault, %excerpt, "a model's answer cannot be read");
                Err(ModelError::UpstreamInvalidResponse { fault, excerpt })
            }
        }
    }

    async fn refused(&self, response: Response) -> ModelError {
        let status = response.status();
        if status.is_redirection() {
            return status::redirected(&response, &self.endpoint);
        }
        let bytes = body::read_beginning(response).await;
        status::refusal(status.as_u16(), &bytes, |text| self.excerpt(text))
    }

    /// The beginning of a server's words, without our key in them.
    fn excerpt(&self, text: &str) -> Excerpt {
        match &self.api_key {
            Some(key) => Excerpt::new(&key.redact(text)),
            None => Excerpt::new(text),
        }
    }
}

impl fmt::Debug for OpenaiModel {
    /// Leaves the client out: it would show the proxies of the environment, and they may hold passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenaiModel")
            .field("info", &self.info)
            .field("endpoint", &self.endpoint)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl Model for OpenaiModel {
    async fn complete(&self, request: &ModelRequest) -> Result<ModelResponse, ModelError> {
        let body = encode::body(request, &self.info)?;
        let response = self.post(body.to_string().into_bytes()).send().await;
        let response = response.map_err(|error| network::failure(&error, &self.endpoint))?;
        if response.status().is_success() {
            self.accepted(response).await
        } else {
            Err(self.refused(response).await)
        }
    }

    fn describe(&self) -> ModelInfo {
        self.info.clone()
    }
}

#[cfg(test)]
mod tests;
