//! The HTTP client: which certificates it trusts, and which redirects it follows.
//!
//! It changes nothing for the rest of the process: no default crypto provider is installed, and none needs to be.

use std::sync::Arc;
use std::time::Duration;

use reqwest::redirect::{Action, Attempt, Policy};
use reqwest::{Client, ClientBuilder, StatusCode};
use rustls::crypto::ring;
use rustls::{ClientConfig, ConfigBuilder, RootCertStore, WantsVerifier};
use rustls_platform_verifier::BuilderVerifierExt;

use super::endpoint::Endpoint;
use crate::error::GatewayError;

/// Most time for making a connection: a host that does not answer is found out long before the request's own limit.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);

/// Most redirects in a row: a server that needs more is going in circles.
const MAX_REDIRECTS: usize = 3;

/// Makes the client for one endpoint.
pub(crate) fn build(endpoint: &Endpoint) -> Result<Client, GatewayError> {
    builder(endpoint, tls(endpoint.is_secure())?)
        .build()
        .map_err(|source| GatewayError::Client { source })
}

/// Everything about the client but its trust.
pub(crate) fn builder(endpoint: &Endpoint, tls: ClientConfig) -> ClientBuilder {
    let builder = Client::builder()
        .user_agent(concat!("innkeeper/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_TIMEOUT)
        .redirect(Policy::custom(redirect))
        .referer(false)
        .tls_backend_preconfigured(tls);
    // A proxy of the environment cannot reach this machine's own servers.
    if endpoint.is_loopback() {
        builder.no_proxy()
    } else {
        builder
    }
}

/// Follows a redirect only where nothing changes but the path: same scheme, host and port, and the method is kept (RFC 9110, 15.4).
/// Anything else would carry the prompt to a server that nobody named, or lose it.
fn redirect(attempt: Attempt<'_>) -> Action {
    let keeps_method = matches!(
        attempt.status(),
        StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT
    );
    let same_origin = attempt
        .previous()
        .iter()
        .all(|url| url.origin() == attempt.url().origin());
    if keeps_method && same_origin && attempt.previous().len() <= MAX_REDIRECTS {
        attempt.follow()
    } else {
        attempt.stop()
    }
}

/// The system's certificate authorities. A server without TLS is reached also on a machine that has none.
pub(crate) fn tls(is_secure: bool) -> Result<ClientConfig, GatewayError> {
    let trusting = versions().and_then(BuilderVerifierExt::with_platform_verifier);
    match trusting {
        Ok(builder) => Ok(builder.with_no_client_auth()),
        Err(source) if is_secure => Err(GatewayError::Tls { source }),
        Err(_) => tls_that_trusts_nobody().map_err(|source| GatewayError::Tls { source }),
    }
}

/// A configuration with which no secure connection succeeds.
pub(crate) fn tls_that_trusts_nobody() -> Result<ClientConfig, rustls::Error> {
    Ok(versions()?
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth())
}

fn versions() -> Result<ConfigBuilder<ClientConfig, WantsVerifier>, rustls::Error> {
    ClientConfig::builder_with_provider(Arc::new(ring::default_provider())).with_safe_default_protocol_versions()
}
