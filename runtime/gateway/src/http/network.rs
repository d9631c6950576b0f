//! What a failed connection means.
//!
//! The libraries' errors are looked at by type; only the failed proxy tunnel has no type that can be named, so its words decide.

use std::error::Error;
use std::io;
use std::time::Duration;

use innkeeper_protocol::model::{Excerpt, ModelError, NetworkFailure};

use super::endpoint::Endpoint;

/// How the HTTP library begins the error of a proxy that did not let us through.
const TUNNEL_ERROR: &str = "tunnel error";

/// The error of a request that brought no usable answer.
pub(super) fn failure(error: &reqwest::Error, endpoint: &Endpoint) -> ModelError {
    ModelError::UpstreamFailure {
        failure: classify(error),
        endpoint: endpoint.to_string(),
        detail: detail(error),
    }
}

/// What went wrong, in the libraries' words.
pub(crate) fn detail(error: &reqwest::Error) -> Excerpt {
    let words: Vec<String> = causes(error).map(ToString::to_string).collect();
    Excerpt::new(&words.join(": "))
}

/// The error of an answer that began and then fell silent.
pub(super) fn silence(limit: Duration, endpoint: &Endpoint) -> ModelError {
    ModelError::UpstreamFailure {
        failure: NetworkFailure::Timeout,
        endpoint: endpoint.to_string(),
        detail: Excerpt::new(&format!("the answer began, then nothing came for {limit:?}")),
    }
}

fn classify(error: &reqwest::Error) -> NetworkFailure {
    if error.is_timeout() {
        NetworkFailure::Timeout
    } else if causes(error).any(|cause| cause.is::<rustls::Error>()) {
        NetworkFailure::Tls
    } else if error.is_dns() {
        NetworkFailure::Dns
    } else if causes(error).any(|cause| cause.to_string().starts_with(TUNNEL_ERROR)) {
        NetworkFailure::Proxy
    } else if error.is_connect() {
        NetworkFailure::Connect
    } else if error.is_body() || error.is_decode() {
        NetworkFailure::BodyInterrupted
    } else {
        NetworkFailure::Request
    }
}

/// The causes below a request's error. The error itself is left out: its words hold the URL and so perhaps a key.
fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    std::iter::successors(error.source(), |cause| cause_of(*cause))
}

fn cause_of<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        // An I/O error hides what it wraps: its own `source` is already the next cause below.
        Some(wrapped) => Some(wrapped),
        None => error.source(),
    }
}
