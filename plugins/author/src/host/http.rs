//! Requests to the hosts that were granted, which `extension.toml` names one by one.
//!
//! A request is sent at once. One that may change something (anything but `GET` and `HEAD`) and gets no whole answer ends the call and the
//! run: nobody knows what came of it, and nothing is sent twice.

use super::ask;
pub use crate::bindings::innkeeper::http::fetch::{FetchError, Request, Response};

/// The name for a tool's `uses`.
pub const INTERFACE: &str = "innkeeper:http/fetch";

/// A `GET` request for a URL.
#[must_use]
pub fn get(url: &str) -> Request {
    request("GET", url)
}

/// A `POST` request with a body of this media type.
#[must_use]
pub fn post(url: &str, media_type: &str, body: impl Into<Vec<u8>>) -> Request {
    Request {
        headers: vec![("content-type".to_owned(), media_type.to_owned())],
        body: Some(body.into()),
        ..request("POST", url)
    }
}

fn request(method: &str, url: &str) -> Request {
    Request {
        method: method.to_owned(),
        url: url.to_owned(),
        headers: Vec::new(),
        body: None,
        credential: None,
    }
}

/// Sends a request and waits for the answer, whatever its status.
///
/// # Errors
/// [`FetchError`] when there is no answer.
pub fn send(request: &Request) -> Result<Response, FetchError> {
    ask!(
        INTERFACE,
        crate::bindings::innkeeper::http::fetch::send(request),
        |world| world.fetch(request)
    )
}
