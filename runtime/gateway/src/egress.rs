//! The requests of tools on their way out: a client for one request at a time, and credentials out of the environment.
//!
//! What may be sent and where to has been decided before. Nothing is kept from one request to the next: no connection, no cookie, no looked
//! up address; and no proxy of the environment is used.

use std::net::IpAddr;
use std::sync::OnceLock;

use async_trait::async_trait;
use innkeeper_protocol::network::{HttpAnswer, HttpClient, HttpFailure, HttpMethod, HttpRequest, Secret, Secrets};
use reqwest::header::{ACCEPT_ENCODING, HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, Response};
use rustls::ClientConfig;

use crate::http::client::{CONNECT_TIMEOUT, tls};
use crate::http::network;

/// What the names of variables with credentials begin with.
const SECRET_PREFIX: &str = "INNKEEPER_SECRET_";

/// Sends the requests of tools.
#[derive(Debug, Default)]
pub struct Egress {
    /// Trust for secure connections; the system's certificates are read once.
    trust: OnceLock<ClientConfig>,
}

#[async_trait]
impl HttpClient for Egress {
    async fn resolve(&self, host: &str) -> Result<Vec<IpAddr>, HttpFailure> {
        let found = tokio::net::lookup_host((host, 0)).await;
        let found = found.map_err(|_| HttpFailure::NotSent("the host's name cannot be found".to_owned()))?;
        Ok(found.map(|address| address.ip()).collect())
    }

    async fn exchange(&self, request: HttpRequest) -> Result<HttpAnswer, HttpFailure> {
        let client = self.client(&request)?;
        let mut sent = client
            .request(method(request.method), &request.url)
            .headers(headers(&request)?);
        if let Some(body) = request.body {
            sent = sent.body(body);
        }
        let response = sent.send().await.map_err(|error| failure(&error))?;
        read(response, request.max_response_bytes).await
    }
}

impl Egress {
    /// A client that reaches the addresses of this request and no others.
    fn client(&self, request: &HttpRequest) -> Result<Client, HttpFailure> {
        let trust = self.trust(request.url.starts_with("https:"))?;
        let builder = Client::builder()
            .user_agent(concat!("innkeeper/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT_TIMEOUT)
            .redirect(Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .no_proxy()
            .pool_max_idle_per_host(0)
            .resolve_to_addrs(&request.host, &request.addresses)
            .tls_backend_preconfigured(trust);
        builder
            .build()
            .map_err(|error| HttpFailure::NotSent(network::detail(&error).to_string()))
    }

    fn trust(&self, is_secure: bool) -> Result<ClientConfig, HttpFailure> {
        if let Some(trust) = self.trust.get() {
            return Ok(trust.clone());
        }
        let trust = tls(is_secure).map_err(|error| HttpFailure::NotSent(error.to_string()))?;
        if is_secure {
            // Whoever was faster read the same certificates.
            let _ = self.trust.set(trust.clone());
        }
        Ok(trust)
    }
}

fn method(method: HttpMethod) -> Method {
    match method {
        HttpMethod::Get => Method::GET,
        HttpMethod::Head => Method::HEAD,
        HttpMethod::Post => Method::POST,
        HttpMethod::Put => Method::PUT,
        HttpMethod::Patch => Method::PATCH,
        HttpMethod::Delete => Method::DELETE,
    }
}

fn headers(request: &HttpRequest) -> Result<HeaderMap, HttpFailure> {
    let mut headers = HeaderMap::new();
    // Packed answers could not be limited by their size, nor looked through.
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    for header in &request.headers {
        let unfit = || HttpFailure::NotSent(format!("the header {} cannot be sent", header.name));
        let name = HeaderName::from_bytes(header.name.as_bytes()).map_err(|_| unfit())?;
        let mut value = HeaderValue::from_str(&header.value).map_err(|_| unfit())?;
        value.set_sensitive(header.is_secret);
        headers.append(name, value);
    }
    Ok(headers)
}

/// Without a connection nothing was sent; in every other case something may have been.
fn failure(error: &reqwest::Error) -> HttpFailure {
    let words = network::detail(error).to_string();
    if error.is_connect() || error.is_builder() {
        HttpFailure::NotSent(words)
    } else {
        HttpFailure::Broken(words)
    }
}

async fn read(mut response: Response, limit: u64) -> Result<HttpAnswer, HttpFailure> {
    let status = response.status().as_u16();
    let text = |(name, value): (&HeaderName, &HeaderValue)| Some((name.to_string(), value.to_str().ok()?.to_owned()));
    let headers = response.headers().iter().filter_map(text).collect();
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| failure(&error))? {
        if (body.len() as u64).saturating_add(chunk.len() as u64) > limit {
            return Err(HttpFailure::TooLarge(limit));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(HttpAnswer { status, headers, body })
}

/// Credentials out of the environment: that of the name `my-key` is `INNKEEPER_SECRET_MY_KEY`, the same for every extension that was
/// granted one of that name.
#[derive(Debug, Default)]
pub struct EnvironmentSecrets;

impl EnvironmentSecrets {
    /// The variable that holds a credential.
    #[must_use]
    pub fn variable(name: &str) -> String {
        format!("{SECRET_PREFIX}{}", name.to_ascii_uppercase().replace('-', "_"))
    }
}

#[async_trait]
impl Secrets for EnvironmentSecrets {
    async fn secret(&self, _owner: &str, name: &str) -> Option<Secret> {
        let text = std::env::var(Self::variable(name)).ok()?;
        let secret = Secret::parse(&text);
        if secret.is_none() {
            tracing::warn!(
                variable = Self::variable(name),
                "a credential cannot be used: it is too short, or no header can carry it"
            );
        }
        secret
    }
}

#[cfg(test)]
mod tests;
