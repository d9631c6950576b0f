//! The errors that a script can play: their names, and what each becomes.
//!
//! A script names kinds of errors, never their texts.

use innkeeper_protocol::model::{
    BodyFault, Excerpt, ModelError, NetworkFailure, ProviderAnswer, ResponseFault, ToolCallFault,
};

use crate::http::status::error_of_status;

/// The kinds that a script's `error.kind` may name. `http` takes its meaning from `status`, as the status of a server would.
pub const ERROR_KINDS: [&str; 19] = [
    "validation",
    "context_overflow",
    "unauthorized",
    "rate_limited",
    "transient",
    "upstream_invalid_response",
    "invalid_tool_call",
    "invalid_response",
    "stream_unsupported",
    "cancelled",
    "internal",
    "http",
    "network.timeout",
    "network.connect_failed",
    "network.proxy_failed",
    "network.dns_failed",
    "network.tls_failed",
    "network.body_interrupted",
    "network.request_failed",
];

/// The error that a kind stands for; none for an unknown one, and for `http` without a status.
pub(crate) fn error_of(kind: &str, status: Option<u16>) -> Option<ModelError> {
    let answer = ProviderAnswer {
        status,
        detail: Excerpt::new("an error of the script"),
        retry_after_ms: None,
    };
    if let Some(failure) = NetworkFailure::ALL.into_iter().find(|failure| failure.code() == kind) {
        return Some(ModelError::UpstreamFailure {
            failure,
            endpoint: "the scripted model".to_owned(),
            detail: answer.detail,
        });
    }
    Some(match kind {
        "validation" => ModelError::Validation(answer),
        "context_overflow" => ModelError::ContextOverflow(answer),
        "unauthorized" => ModelError::Unauthorized(answer),
        "rate_limited" => ModelError::RateLimited(answer),
        "transient" => ModelError::Transient(answer),
        "upstream_invalid_response" => ModelError::UpstreamInvalidResponse {
            fault: BodyFault::NotJson,
            excerpt: answer.detail,
        },
        "invalid_tool_call" => ModelError::InvalidToolCall {
            position: 1,
            fault: ToolCallFault::BlankId,
        },
        "invalid_response" => ModelError::InvalidResponse {
            fault: ResponseFault::NoMessage,
        },
        "stream_unsupported" => ModelError::StreamUnsupported {
            format: "scripted".to_owned(),
        },
        "cancelled" => ModelError::Cancelled,
        "internal" => ModelError::Internal(answer),
        "http" => error_of_status(status?, answer.detail),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_kind_has_its_error_and_code() {
        let codes = ERROR_KINDS.map(|kind| error_of(kind, Some(503)).unwrap().code());
        assert_eq!(
            codes,
            [
                "agent.validation_error",
                "model.context_overflow",
                "agent.unauthorized",
                "agent.rate_limited",
                "agent.transient",
                "model.upstream_invalid_response",
                "model.invalid_tool_call",
                "chat_completion.invalid_response",
                "model.stream_unsupported",
                "agent.cancelled",
                "agent.internal_error",
                "agent.transient",
                "network.timeout",
                "network.connect_failed",
                "network.proxy_failed",
                "network.dns_failed",
                "network.tls_failed",
                "network.body_interrupted",
                "network.request_failed",
            ]
        );
    }

    #[test]
    fn an_unknown_kind_and_http_without_a_status_have_none() {
        assert_eq!((error_of("teapot", None), error_of("http", None)), (None, None));
    }
}
