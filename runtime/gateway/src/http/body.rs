//! Reading a response's body, never more of it than wanted.
//!
//! What the JSON means is not decided here.

use innkeeper_protocol::model::{BodyFault, Excerpt, ModelError, NetworkFailure};
use reqwest::Response;
use serde_json::{Map, Value};

use super::endpoint::Endpoint;
use super::network;

/// Most bytes of an error's body: enough for the JSON that servers send, too little for a flood.
const ERROR_BODY_LIMIT: usize = 64 * 1024;

/// Bytes that are worth looking at when a body is no JSON: a few times what an excerpt keeps, since blanks are dropped from it.
pub(crate) const BEGINNING: usize = 4 * 1024;

/// The next bytes of a body; none at its end.
pub(super) async fn chunk(response: &mut Response, endpoint: &Endpoint) -> Result<Option<Vec<u8>>, ModelError> {
    let chunk = response.chunk().await.map(|chunk| chunk.map(Vec::from));
    chunk.map_err(|error| match network::failure(&error, endpoint) {
        // Whatever a library calls it: the headers were here, so it is the body that did not arrive.
        ModelError::UpstreamFailure {
            failure: NetworkFailure::Request,
            endpoint,
            detail,
        } => ModelError::UpstreamFailure {
            failure: NetworkFailure::BodyInterrupted,
            endpoint,
            detail,
        },
        other => other,
    })
}

/// Reads a body whole.
pub(super) async fn read(mut response: Response, limit: usize, endpoint: &Endpoint) -> Result<Vec<u8>, ModelError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = chunk(&mut response, endpoint).await? {
        if bytes.len().saturating_add(chunk.len()) > limit {
            let fault = BodyFault::TooLarge { limit };
            return Err(ModelError::UpstreamInvalidResponse {
                fault,
                excerpt: Excerpt::default(),
            });
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// Reads the beginning of an error's body; what cannot be read is left out, since the status already tells the error.
pub(super) async fn read_beginning(mut response: Response) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        let room = ERROR_BODY_LIMIT.saturating_sub(bytes.len());
        bytes.extend(chunk.iter().take(room));
        if bytes.len() >= ERROR_BODY_LIMIT {
            break;
        }
    }
    bytes
}

/// The part of a body that an excerpt is made from.
pub(crate) fn beginning(bytes: &[u8]) -> &[u8] {
    bytes.get(..BEGINNING).unwrap_or(bytes)
}

/// Parses a body into a JSON object. Some servers put an error into a list of one.
pub(crate) fn parse(bytes: &[u8]) -> Result<Map<String, Value>, BodyFault> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(body)) => Ok(body),
        Ok(Value::Array(list)) => match <[Value; 1]>::try_from(list) {
            Ok([Value::Object(body)]) if body.contains_key("error") => Ok(body),
            _ => Err(BodyFault::NotObject),
        },
        Ok(_) => Err(BodyFault::NotObject),
        Err(_) => Err(BodyFault::NotJson),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_must_be_a_json_object() {
        assert_eq!(parse(b"<html>"), Err(BodyFault::NotJson));
        assert_eq!(parse(b"{\"choices\": [{\"mess"), Err(BodyFault::NotJson));
        assert_eq!(parse(b""), Err(BodyFault::NotJson));
        assert_eq!(parse(b"{\"a\": \"\xff\"}"), Err(BodyFault::NotJson));
        assert_eq!(parse(b"[]"), Err(BodyFault::NotObject));
        assert_eq!(parse(b"[{\"a\": 1}]"), Err(BodyFault::NotObject));
        assert_eq!(parse(b"[{\"error\": 1}, 2]"), Err(BodyFault::NotObject));
        let error = Map::from_iter([("error".to_owned(), Value::from(1))]);
        assert_eq!(parse(b"[{\"error\": 1}]"), Ok(error));
        assert_eq!(parse("\u{FEFF} \n{}".as_bytes()), Ok(Map::new()));
    }
}
