//! A model behind a provider's HTTP API: one of four wire formats over one way to send and to read.
//!
//! It does not retry; one call of [`Model::complete`] or [`Model::stream`] is one HTTP request, which ends when its future is dropped.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use innkeeper_protocol::model::{Continuation, LiveSink, Model, ModelError, ModelInfo, ModelRequest, ModelResponse};
use serde_json::{Map, Value};

use crate::error::GatewayError;
use crate::headers::ExtraHeaders;
use crate::http::Transport;
use crate::http::endpoint::Endpoint;
use crate::key::ApiKey;
use crate::provider::Provider;
use crate::request_log::{Exchange, RequestLog};
use crate::responses::PREVIOUS_RESPONSE;
use crate::secrets::Secrets;
use crate::stream::StreamDecoder;
use crate::{native, wire};

/// Most time for one request, from connecting to the last byte: a slow local model may write for minutes.
pub const DEFAULT_REQUEST_TIMEOUT: Duration = Duration::from_secs(600);

/// Most time between two pieces of a stream once it has begun: a model that thinks in silence needs minutes, a connection that is dead
/// should not need ten.
pub const DEFAULT_IDLE_TIMEOUT: Duration = Duration::from_secs(120);

/// Most bytes of an answer: a hundred times a long turn, and nothing that fills the memory.
pub const DEFAULT_BODY_LIMIT: usize = 32 * 1024 * 1024;

/// The source's name of an address that is not the provider's own.
const CUSTOM: &str = "custom";

/// How to reach a model.
#[derive(Clone)]
pub struct RemoteSettings {
    /// Who answers, and so the wire format.
    pub provider: Provider,
    /// The model's name at the server.
    pub model: String,
    /// Address up to the version; none: [`Provider::base_url`].
    pub base_url: Option<String>,
    /// Sent in the provider's own header when given.
    pub api_key: Option<ApiKey>,
    /// Sent beside it.
    pub headers: ExtraHeaders,
    /// See [`DEFAULT_REQUEST_TIMEOUT`].
    pub request_timeout: Duration,
    /// See [`DEFAULT_IDLE_TIMEOUT`].
    pub idle_timeout: Duration,
    /// See [`DEFAULT_BODY_LIMIT`].
    pub body_limit: usize,
    /// Where requests and answers are written down, if anywhere.
    pub request_log: Option<Arc<RequestLog>>,
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
            headers: ExtraHeaders::default(),
            request_timeout: DEFAULT_REQUEST_TIMEOUT,
            idle_timeout: DEFAULT_IDLE_TIMEOUT,
            body_limit: DEFAULT_BODY_LIMIT,
            request_log: None,
        }
    }
}

impl fmt::Debug for RemoteSettings {
    /// Leaves the address out: its query may hold a key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteSettings")
            .field("provider", &self.provider)
            .field("model", &self.model)
            .field("request_timeout", &self.request_timeout)
            .field("idle_timeout", &self.idle_timeout)
            .field("body_limit", &self.body_limit)
            .finish_non_exhaustive()
    }
}

/// A model behind a provider's HTTP API.
pub struct RemoteModel {
    provider: Provider,
    info: ModelInfo,
    transport: Transport,
    request_log: Option<Arc<RequestLog>>,
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
        let hidden = settings.headers.values().chain(endpoint.query_values());
        let secrets = Secrets::new(settings.api_key.as_ref(), hidden);
        Ok(Self {
            provider,
            info: ModelInfo {
                source: source.to_owned(),
                format: provider.format().to_owned(),
                model: settings.model,
                can_stream: true,
            },
            transport: Transport {
                client: Transport::client(&endpoint)?,
                endpoint,
                headers: settings.headers.below(provider.headers(settings.api_key.as_ref())),
                secrets,
                request_timeout: settings.request_timeout,
                idle_timeout: settings.idle_timeout,
                body_limit: settings.body_limit,
            },
            request_log: settings.request_log,
        })
    }

    fn encode(&self, request: &ModelRequest) -> Result<Value, ModelError> {
        wire::encode(self.provider, request, &self.info)
    }

    fn decode(&self, body: Map<String, Value>) -> Result<ModelResponse, ModelError> {
        let response = wire::decode(self.provider, body, &self.info, |text| self.transport.excerpt(text))?;
        Ok(self.transport.secrets.strip(response))
    }

    /// Writes a request down, if that is wanted; its answer is to follow.
    fn written(&self, body: &Value) -> Option<Exchange<'_>> {
        let log = self.request_log.as_deref()?;
        Some(log.request(&self.transport.endpoint.to_string(), body, &self.transport.secrets))
    }

    async fn complete_unlogged(&self, body: &Value) -> Result<ModelResponse, ModelError> {
        self.decode(self.transport.exchange(body).await?)
    }

    async fn stream_unlogged(
        &self,
        request: &ModelRequest,
        body: &Value,
        live: &dyn LiveSink,
    ) -> Result<ModelResponse, ModelError> {
        let offered = request.tools.iter().map(|tool| tool.alias.clone());
        let secrets = self.transport.secrets.clone();
        let decoder = StreamDecoder::with_secrets(self.provider, self.info.clone(), offered, secrets);
        let mut decoder = decoder.with_limit(self.transport.body_limit);
        let endpoint = self.provider.stream_endpoint(&self.transport.endpoint);
        let fed = self
            .transport
            .stream(&endpoint, body, |bytes| decoder.feed(bytes, live));
        match fed.await {
            // Some servers and proxies leave the connection hanging, or tear it down, once all is said.
            Err(ModelError::UpstreamFailure { failure, .. }) if decoder.is_whole() => {
                tracing::debug!(%failure, "the connection failed after the end of the turn");
            }
            fed => fed?,
        }
        decoder.finish(live)
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
        let exchange = self.written(&body);
        let answer = self.complete_unlogged(&body).await;
        exchange.inspect(|exchange| exchange.answer(&answer));
        answer.map(|response| continuing(&body, response))
    }

    async fn stream(&self, request: &ModelRequest, live: &dyn LiveSink) -> Result<ModelResponse, ModelError> {
        let body = wire::encode_streamed(self.provider, request, &self.info)?;
        let exchange = self.written(&body);
        let answer = self.stream_unlogged(request, &body, live).await;
        exchange.inspect(|exchange| exchange.answer(&answer));
        answer.map(|response| continuing(&body, response))
    }

    fn describe(&self) -> ModelInfo {
        self.info.clone()
    }
}

/// The answer, with what the next request needs to know about it and about its own request.
fn continuing(body: &Value, response: ModelResponse) -> ModelResponse {
    let previous = body.get(PREVIOUS_RESPONSE).and_then(Value::as_str);
    ModelResponse {
        continuation: Continuation {
            previous_response_id: previous.map(str::to_owned),
            native: native::continuation(&response.message),
        },
        ..response
    }
}

#[cfg(test)]
mod tests;
