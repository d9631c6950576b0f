//! One HTTP exchange with a provider: a JSON body goes out; a JSON object, the bytes of a stream, or the reason why there is none comes
//! back.
//!
//! It knows no wire format beyond the forms in which servers word their errors, and it does not retry.

pub(crate) mod body;
pub(crate) mod client;
pub(crate) mod endpoint;
pub(crate) mod network;
mod retry;
pub(crate) mod status;

use std::fmt;
use std::time::Duration;

use innkeeper_protocol::model::{BodyFault, Excerpt, ModelError};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{RequestBuilder, Response};
use serde_json::{Map, Value};
use tokio::time::timeout;

use crate::error::GatewayError;
use crate::secrets::Secrets;
use endpoint::Endpoint;

/// The way to one resource of one server.
pub(crate) struct Transport {
    pub(crate) endpoint: Endpoint,
    pub(crate) client: reqwest::Client,
    /// What the format wants beside the body: versions and the key.
    pub(crate) headers: HeaderMap,
    /// Taken out of every text of the server that is shown.
    pub(crate) secrets: Secrets,
    pub(crate) request_timeout: Duration,
    pub(crate) idle_timeout: Duration,
    pub(crate) body_limit: usize,
}

impl Transport {
    /// Prepares the connection; nothing is sent.
    pub(crate) fn client(endpoint: &Endpoint) -> Result<reqwest::Client, GatewayError> {
        client::build(endpoint)
    }

    /// Sends a body and reads the answer's.
    pub(crate) async fn exchange(&self, body: &Value) -> Result<Map<String, Value>, ModelError> {
        let response = self.open(&self.endpoint, body, "application/json").await?;
        self.accepted(response).await
    }

    /// Sends a body and passes the answer's bytes on as they come, until they end or are refused.
    pub(crate) async fn stream(
        &self,
        endpoint: &Endpoint,
        body: &Value,
        mut take: impl FnMut(&[u8]) -> Result<(), ModelError>,
    ) -> Result<(), ModelError> {
        let mut response = self.open(endpoint, body, "text/event-stream").await?;
        // How long a model reads its prompt is another matter, for which the whole request's limit stands.
        let Some(first) = body::chunk(&mut response, endpoint).await? else {
            return Ok(());
        };
        take(&first)?;
        loop {
            let next = timeout(self.idle_timeout, body::chunk(&mut response, endpoint)).await;
            match next.map_err(|_| network::silence(self.idle_timeout, endpoint))?? {
                Some(bytes) => take(&bytes)?,
                None => return Ok(()),
            }
        }
    }

    /// Sends a body; the answer's body is still to come where its status is a success.
    async fn open(&self, endpoint: &Endpoint, body: &Value, accept: &'static str) -> Result<Response, ModelError> {
        let request = self.post(endpoint, body.to_string().into_bytes(), accept);
        let response = request
            .send()
            .await
            .map_err(|error| network::failure(&error, endpoint))?;
        if response.status().is_success() {
            Ok(response)
        } else {
            Err(self.refused(response).await)
        }
    }

    fn post(&self, endpoint: &Endpoint, body: Vec<u8>, accept: &'static str) -> RequestBuilder {
        self.client
            .post(endpoint.url().clone())
            .timeout(self.request_timeout)
            .headers(self.headers.clone())
            .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .header(ACCEPT, HeaderValue::from_static(accept))
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
        let retry_after_ms = retry::wait_ms(response.headers());
        let bytes = body::read_beginning(response).await;
        let refusal = status::refusal(status.as_u16(), &bytes, |text| self.excerpt(text));
        retry::with_wait(refusal, retry_after_ms)
    }

    /// The beginning of a server's words, without our secrets in them.
    pub(crate) fn excerpt(&self, text: &str) -> Excerpt {
        self.secrets.excerpt(text)
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
