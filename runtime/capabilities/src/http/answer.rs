//! An answer as a guest gets to see it: without what belongs to the connection, and without the credential.

use std::borrow::Cow;

use innkeeper_protocol::network::{HttpAnswer, Secret};
use innkeeper_protocol::redaction;

use crate::bindings::innkeeper::http::fetch::{FetchError, Response};

/// Most bytes of all headers that are passed on; the rest is left out.
const MAX_HEADER_BYTES: usize = 64 * 1024;

/// Headers about the connection, and cookies, which no tool keeps.
const LEFT_OUT: [&str; 10] = [
    "connection",
    "content-length",
    "keep-alive",
    "proxy-authenticate",
    "set-cookie",
    "set-cookie2",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// What the guest gets. `secrets` went out on the way to this answer.
pub(super) fn shown(answer: HttpAnswer, secrets: &[Secret]) -> Result<Response, FetchError> {
    let HttpAnswer {
        status,
        headers,
        mut body,
    } = answer;
    let is_encoded = headers
        .iter()
        .any(|(name, value)| name == "content-encoding" && !value.trim().eq_ignore_ascii_case("identity"));
    if is_encoded && !secrets.is_empty() {
        // Nobody asked for it, and what is packed cannot be searched for the credential.
        let why =
            "the answer came in an encoding that was not asked for, so the credential could not be looked for in it";
        return Err(FetchError::Denied(why.to_owned()));
    }
    let mut room = MAX_HEADER_BYTES;
    let mut kept = Vec::with_capacity(headers.len());
    for (name, value) in headers {
        let size = name.len().saturating_add(value.len());
        if LEFT_OUT.contains(&name.as_str()) || size > room {
            continue;
        }
        room = room.saturating_sub(size);
        kept.push((without(name, secrets), without(value, secrets)));
    }
    for secret in secrets {
        if let Cow::Owned(clean) = redaction::without_in_bytes(secret.core(), &body) {
            body = clean;
        }
    }
    Ok(Response {
        status,
        headers: kept,
        body,
    })
}

/// A text in which no secret can be read.
pub(super) fn without(text: String, secrets: &[Secret]) -> String {
    secrets.iter().fold(text, |text, secret| {
        redaction::without(secret.core(), &text).into_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(headers: &[(&str, &str)], body: &[u8]) -> HttpAnswer {
        HttpAnswer {
            status: 200,
            headers: headers
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            body: body.to_vec(),
        }
    }

    #[test]
    fn a_credential_that_comes_back_is_covered_wherever_it_stands() {
        let secret = [Secret::parse("sk-12345678").unwrap()];
        let shown = shown(
            answer(
                &[("x-echo", "Bearer sk-12345678")],
                b"a sk-12345678\\u0073k-12345678\xff",
            ),
            &secret,
        )
        .unwrap();
        assert_eq!(shown.headers, [("x-echo".to_owned(), "Bearer [secret]".to_owned())]);
        assert_eq!(shown.body, b"a [secret][secret]\xff");
    }

    #[test]
    fn what_cannot_be_searched_for_the_credential_is_withheld() {
        let packed = || answer(&[("content-encoding", "gzip")], b"\x1f\x8b");
        assert!(matches!(
            shown(packed(), &[Secret::parse("sk-12345678").unwrap()]),
            Err(FetchError::Denied(_))
        ));
        assert_eq!(shown(packed(), &[]).unwrap().body, b"\x1f\x8b");
    }

    #[test]
    fn cookies_and_what_belongs_to_the_connection_stay_outside() {
        let long = "x".repeat(MAX_HEADER_BYTES);
        let headers = [
            ("set-cookie", "a=b"),
            ("transfer-encoding", "chunked"),
            ("x-long", long.as_str()),
            ("etag", "7"),
        ];
        assert_eq!(
            shown(answer(&headers, b""), &[]).unwrap().headers,
            [("etag".to_owned(), "7".to_owned())]
        );
    }
}
