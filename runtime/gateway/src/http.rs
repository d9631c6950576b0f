//! One HTTP exchange with a provider: a JSON body goes out, a JSON object or the reason why there is none comes back.
//!
//! It knows no wire format beyond the forms in which servers word their errors, and it does not retry.

mod body;
pub(crate) mod client;
pub(crate) mod endpoint;
mod network;
pub(crate) mod status;

use std::fmt;
use std::time::Duration;

use innkeeper_protocol::model::{BodyFault, Excerpt, ModelError};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{RequestBuilder, Response};
use serde_json::{Map, Value};

use crate::error::GatewayError;
use crate::key::ApiKey;
use endpoint::Endpoint;

/// The way to one resource of one server.
pub(crate) struct Transport {
    pub(crate) endpoint: Endpoint,
    pub(crate) client: reqwest::Client,
    /// What the format wants beside the body: versions and the key.
    pub(crate) headers: HeaderMap,
    /// Taken out of every text of the server that is shown.
    pub(crate) api_key: Option<ApiKey>,
    pub(crate) request_timeout: Duration,
    pub(crate) body_limit: usize,
}

impl Transport {
    /// Prepares the connection; nothing is sent.
    pub(crate) fn client(endpoint: &Endpoint) -> Result<reqwest::Client, GatewayError> {
        client::build(endpoint)
    }

    /// Sends a body and reads the answer's.
    pub(crate) async fn exchange(&self, body: &Value) -> Result<Map<String, Value>, ModelError> {
        let response = self.post(body.to_string().into_bytes()).send().await;
        let response = response.map_err(|error| network::failure(&error, &self.endpoint))?;
        if response.status().is_success() {
            self.accepted(response).await
        } else {
            Err(self.refused(response).await)
        }
    }

    fn post(&self, body: Vec<u8>) -> RequestBuilder {
        self.client
            .post(self.endpoint.url().clone())
            .timeout(self.request_timeout)
            .headers(self.headers.clone())
            .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .header(ACCEPT, HeaderValue::from_static("application/json"))
            .body(body)
    }

    async fn accepted(&self, response: Response) -> Result<Map<String, Value>, ModelError> {
        let bytes = body::read(response, self.body_limit, &self.endpoint).await?;
        body::parse(&bytes).map_err(|fault| self.unreadable(fault, &bytes))
    }

    fn unreadable(&self, fault: BodyFault, bytes: &[u8]) -> ModelError {
        let excerpt = self.excerpt(&String::from_utf8_lossy(body::beginning(bytes)));
        tracing::debug!(%fault, %excerpt, "a model's answer cannot be read");
        ModelError::UpstreamInvalidResponse { fault, excerpt }
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
    pub(crate) fn excerpt(&self, text: &str) -> Excerpt {
        ApiKey::excerpt(self.api_key.as_ref(), text)
    }
}

impl fmt::Debug for Transport {
    /// Leaves the client out: it would show the proxies of the environment, and they may hold passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transport")
            .field("endpoint", &self.endpoint)
            .finish_non_exhaustive()
    }
}
