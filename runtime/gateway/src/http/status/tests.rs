//! Statuses, and the ways in which servers word their errors.

use serde_json::json;

use super::*;

fn answer(status: u16, detail: &str) -> ProviderAnswer {
    ProviderAnswer {
        status: Some(status),
        detail: Excerpt::new(detail),
        retry_after_ms: None,
    }
}

fn refused(status: u16, body: &Value) -> ModelError {
    refusal(status, body.to_string().as_bytes(), Excerpt::new)
}

#[test]
fn every_status_has_its_kind() {
    let codes = |statuses: &[u16]| -> Vec<&str> {
        statuses
            .iter()
            .map(|status| error_of_status(*status, Excerpt::default()).code())
            .collect()
    };
    assert_eq!(codes(&[400]), ["agent.validation_error"]);
    assert_eq!(codes(&[401, 403]), ["agent.unauthorized"; 2]);
    assert_eq!(codes(&[429]), ["agent.rate_limited"]);
    assert_eq!(codes(&[408, 425, 500, 502, 503, 504]), ["agent.transient"; 6]);
    assert_eq!(
        codes(&[101, 302, 402, 404, 409, 413, 418, 422, 501, 599]),
        ["agent.internal_error"; 10]
    );
}

#[test]
fn a_prompt_that_is_too_long_is_recognised_with_every_common_server() {
    let long = "this model's maximum context length is 8192 tokens";
    let rows = [
        (
            400,
            json!({"error": {"code": "context_length_exceeded", "message": "x", "type": "invalid_request_error"}}),
        ),
        (
            400,
            json!({"error": {"code": 400, "message": "x", "type": "exceed_context_size_error", "n_ctx": 4096}}),
        ),
        (
            400,
            json!({"object": "error", "message": long, "type": "BadRequestError", "code": 400}),
        ),
        (
            500,
            json!({"error": {"message": "the request exceeds the available context size, try increasing it"}}),
        ),
        (
            400,
            json!({"error": "Trying to keep the first 5000 tokens when the model is loaded with context length of only 4096 tokens"}),
        ),
        (
            400,
            json!([{"error": {"code": 400, "message": "The input token count (9) exceeds the maximum number of tokens allowed (8).",
                                "status": "INVALID_ARGUMENT"}}]),
        ),
        (
            400,
            json!({"error": {"type": "invalid_request_error", "message": "Prompt is too long: 9 tokens > 8 maximum"}}),
        ),
        (
            422,
            json!({"error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000"}),
        ),
        (
            400,
            json!({"detail": "Prompt length 9000 is greater than max_seq_len 8192"}),
        ),
    ];
    for (status, body) in rows {
        let error = refused(status, &body);
        assert_eq!(
            (error.code(), error.is_retryable()),
            ("model.context_overflow", false),
            "{body}"
        );
    }
}

#[test]
fn a_rate_limit_that_speaks_of_tokens_stays_a_rate_limit() {
    let body = json!({"error": {"message": "maximum context length of your tier; slow down"}});
    assert_eq!(refused(429, &body).code(), "agent.rate_limited");
}

#[test]
fn a_conversation_that_the_server_has_not_is_recognised_and_its_answer_not_named() {
    let lost = "Previous response with id 'resp_1' not found.";
    let openai = json!({"error": {"message": lost, "type": "invalid_request_error", "param": "previous_response_id",
        "code": "previous_response_not_found"}});
    let vllm = json!({"error": {"message": "Response with id 'resp_1' not found.", "type": "invalid_request_error",
        "code": 404}});
    let worded = json!({"error": {"message": lost}});
    for (status, body) in [(400, &openai), (404, &vllm), (404, &worded)] {
        for error in [refused(status, body), reported(&body["error"], Excerpt::new)] {
            let fault = ProviderStateFault::Forgotten;
            assert_eq!(error, ModelError::ProviderStateInvalid { fault }, "{body}");
        }
    }
    assert_eq!(refused(500, &worded), ModelError::Transient(answer(500, lost)));
    assert_eq!(
        refused(404, &json!({"error": "model not found"})).code(),
        "agent.internal_error"
    );
}

#[test]
fn the_servers_words_are_found_in_each_usual_form() {
    for body in [
        json!({"error": {"message": "no such thing"}}),
        json!({"error": "no such thing"}),
        json!({"message": "no such thing"}),
        json!({"detail": "no such thing"}),
    ] {
        assert_eq!(
            refused(400, &body),
            ModelError::Validation(answer(400, "no such thing")),
            "{body}"
        );
    }
}

#[test]
fn a_body_that_is_no_json_is_quoted_shortly() {
    let page = format!("<html>\n\t<h1>Bad Gateway</h1>{}", "x".repeat(10_000));
    let ModelError::Transient(answer) = refusal(502, page.as_bytes(), Excerpt::new) else {
        panic!("not transient")
    };
    assert!(
        answer.detail.as_str().starts_with("<html> <h1>Bad Gateway</h1>xxx"),
        "{answer}"
    );
    assert_eq!(answer.detail.as_str().len(), 512);
}

#[test]
fn an_empty_body_leaves_the_status() {
    assert_eq!(
        refusal(503, b"", Excerpt::new).to_string(),
        "the provider failed for the moment (HTTP status 503: no details)"
    );
}

#[test]
fn an_error_without_a_number_is_known_by_its_name() {
    let of = |name: &str| reported(&json!({"type": name, "message": "x"}), Excerpt::new).code();
    assert_eq!(of("overloaded_error"), "agent.transient");
    assert_eq!(of("rate_limit_error"), "agent.rate_limited");
    assert_eq!(of("authentication_error"), "agent.unauthorized");
    assert_eq!(of("invalid_request_error"), "agent.validation_error");
    assert_eq!(of("something_new"), "model.upstream_invalid_response");
    let coded = json!({"code": "server_error", "message": "x"});
    let expected = ProviderAnswer {
        status: None,
        detail: Excerpt::new("x"),
        retry_after_ms: None,
    };
    assert_eq!(reported(&coded, Excerpt::new), ModelError::Transient(expected));
}

#[test]
fn an_overload_under_a_status_of_its_own_passes_and_other_such_statuses_do_not() {
    let body = |name: &str| json!({"type": "error", "error": {"type": name, "message": "Overloaded"}});
    assert_eq!(
        refused(529, &body("overloaded_error")),
        ModelError::Transient(answer(529, "Overloaded"))
    );
    assert_eq!(
        refused(529, &body("something_new")),
        ModelError::Internal(answer(529, "Overloaded"))
    );
    assert_eq!(
        refused(413, &body("overloaded_error")),
        ModelError::Internal(answer(413, "Overloaded"))
    );
}
