//! A model behind a provider's HTTP API: one of four wire formats over one way to send and to read.
//!
//! Buffered answers only: it does not stream. It does not retry; one call of [`Model::complete`] is one HTTP request.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use innkeeper_protocol::model::{Model, ModelError, ModelInfo, ModelRequest, ModelResponse};
use serde_json::{Map, Value};

use crate::error::GatewayError;
use crate::http::Transport;
use crate::http::endpoint::Endpoint;
use crate::key::ApiKey;
use crate::provider::Provider;
use crate::wire;

/// Most time for one request, from connecting to the last byte: a slow local model may write for minutes.
pub const DEFAULT_REQUEST_TIMEOUT: Duration = Duration::from_secs(600);

/// Most bytes of an answer: a hundred times a long turn, and nothing that fills the memory.
pub const DEFAULT_BODY_LIMIT: usize = 32 * 1024 * 1024;

/// The source's name of an address that is not the provider's own.
const CUSTOM: &str = "custom";

/// How to reach a model.
#[derive(Debug, Clone)]
pub struct RemoteSettings {
    /// Who answers, and so the wire format.
    pub provider: Provider,
    /// The model's name at the server.
    pub model: String,
    /// Address up to the version; none: [`Provider::base_url`].
    pub base_url: Option<String>,
    /// Sent in the provider's own header when given.
    pub api_key: Option<ApiKey>,
    /// See [`DEFAULT_REQUEST_TIMEOUT`].
    pub request_timeout: Duration,
    /// See [`DEFAULT_BODY_LIMIT`].
    pub body_limit: usize,
}

impl RemoteSettings {
    /// The provider itself, without a key.
    #[must_use]
    pub fn new(provider: Provider, model: impl Into<String>) -> Self {
        Self {
            provider,
            model: model.into(),
            base_url: None,
            api_key: None,
            request_timeout: DEFAULT_REQUEST_TIMEOUT,
            body_limit: DEFAULT_BODY_LIMIT,
        }
    }
}

/// A model behind a provider's HTTP API.
pub struct RemoteModel {
    provider: Provider,
    info: ModelInfo,
    transport: Transport,
}

impl RemoteModel {
    /// Prepares the connection; nothing is sent.
    ///
    /// # Errors
    /// [`GatewayError`] when the base URL cannot be used, or the machine offers no certificate authorities for `https`.
    pub fn new(settings: RemoteSettings) -> Result<Self, GatewayError> {
        let provider = settings.provider;
        let (source, base_url) = match &settings.base_url {
            Some(base_url) => (CUSTOM, base_url.as_str()),
            None => (provider.source(), provider.base_url()),
        };
        let endpoint = Endpoint::parse(base_url, &provider.resource(&settings.model))?;
        Ok(Self {
            provider,
            info: ModelInfo {
                source: source.to_owned(),
                format: provider.format().to_owned(),
                model: settings.model,
                can_stream: false,
            },
            transport: Transport {
                client: Transport::client(&endpoint)?,
                endpoint,
                headers: provider.headers(settings.api_key.as_ref()),
                api_key: settings.api_key,
                request_timeout: settings.request_timeout,
                body_limit: settings.body_limit,
            },
        })
    }

    fn encode(&self, request: &ModelRequest) -> Result<Value, ModelError> {
        wire::encode(self.provider, request, &self.info)
    }

    fn decode(&self, body: Map<String, Value>) -> Result<ModelResponse, ModelError> {
        wire::decode(self.provider, body, &self.info, |text| self.transport.excerpt(text))
    }
}

impl fmt::Debug for RemoteModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteModel")
            .field("info", &self.info)
            .field("transport", &self.transport)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl Model for RemoteModel {
    async fn complete(&self, request: &ModelRequest) -> Result<ModelResponse, ModelError> {
        let body = self.encode(request)?;
        self.decode(self.transport.exchange(&body).await?)
    }

    fn describe(&self) -> ModelInfo {
        self.info.clone()
    }
}

#[cfg(test)]
mod tests;
