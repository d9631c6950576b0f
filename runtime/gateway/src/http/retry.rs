//! When a server wants to be asked again (`Retry-After`, RFC 9110, 10.2.3).
//!
//! A date is measured against the answer's own `Date`, so that no clock of this machine matters; without one it means nothing.

use std::time::Duration;

use innkeeper_protocol::model::{MAX_RETRY_AFTER_MS, ModelError};
use reqwest::header::{DATE, HeaderMap, HeaderName, RETRY_AFTER};

/// How long the server asks to wait, in milliseconds, at most [`MAX_RETRY_AFTER_MS`]; none where it does not say so intelligibly.
pub(super) fn wait_ms(headers: &HeaderMap) -> Option<u64> {
    let text = |name: HeaderName| headers.get(name)?.to_str().ok().map(str::trim);
    let told = text(RETRY_AFTER)?;
    let wait = match seconds(told) {
        Some(seconds) => Duration::from_secs(seconds),
        None => {
            let (until, now) = (httpdate::parse_http_date(told).ok()?, text(DATE)?);
            let now = httpdate::parse_http_date(now).ok()?;
            // A moment that is past asks for no wait.
            until.duration_since(now).unwrap_or_default()
        }
    };
    Some(u64::try_from(wait.as_millis()).map_or(MAX_RETRY_AFTER_MS, |ms| ms.min(MAX_RETRY_AFTER_MS)))
}

/// A number of any length; what no machine can count is as long as a wait can be.
fn seconds(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().unwrap_or(u64::MAX))
}

/// The error with the wait, where it is one that may pass.
pub(super) fn with_wait(error: ModelError, wait_ms: Option<u64>) -> ModelError {
    match error {
        ModelError::RateLimited(mut answer) => {
            answer.retry_after_ms = wait_ms;
            ModelError::RateLimited(answer)
        }
        ModelError::Transient(mut answer) => {
            answer.retry_after_ms = wait_ms;
            ModelError::Transient(answer)
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;

    use super::*;

    const NOW: &str = "Sun, 06 Nov 1994 08:49:37 GMT";

    fn waited(retry_after: &'static str, date: Option<&'static str>) -> Option<u64> {
        let mut headers = HeaderMap::from_iter([(RETRY_AFTER, HeaderValue::from_static(retry_after))]);
        headers.extend(date.map(|date| (DATE, HeaderValue::from_static(date))));
        wait_ms(&headers)
    }

    #[test]
    fn seconds_and_dates_become_a_capped_wait() {
        let rows = [
            ("9", Some(9_000)),
            (" 0 ", Some(0)),
            ("301", Some(MAX_RETRY_AFTER_MS)),
            ("99999999999999999999999", Some(MAX_RETRY_AFTER_MS)),
            ("Sun, 06 Nov 1994 08:49:47 GMT", Some(10_000)),
            ("Sunday, 06-Nov-94 08:49:38 GMT", Some(1_000)),
            ("Sun, 06 Nov 1994 08:49:30 GMT", Some(0)),
            ("Mon, 07 Nov 1994 08:49:37 GMT", Some(MAX_RETRY_AFTER_MS)),
            ("soon", None),
            ("-1", None),
            ("1.5", None),
            ("", None),
        ];
        for (told, expected) in rows {
            assert_eq!(waited(told, Some(NOW)), expected, "{told}");
        }
    }

    #[test]
    fn a_date_without_the_servers_own_time_means_nothing() {
        assert_eq!(waited("Sun, 06 Nov 1994 08:49:47 GMT", None), None);
        assert_eq!(waited("Sun, 06 Nov 1994 08:49:47 GMT", Some("now")), None);
        assert_eq!(wait_ms(&HeaderMap::new()), None);
    }
}
