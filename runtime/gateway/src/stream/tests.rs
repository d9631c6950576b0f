//! What holds for the streams of all formats.

use serde_json::json;

use super::*;
use crate::fixture::{alias, fed, info, streamed};

const CHAT: &str = concat!(
    ": sign of life\r\n\r\n",
    "data: {\"id\":\"r\",\"choices\":[{\"delta\":{\"role\":\"assistant\",\"reasoning_content\":\"hm\",\"content\":null}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{\"content\":\"Rölling 🎲\"}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"function\":{\"name\":\"dice_roll\",\"arguments\":\"\"}}]}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"n\\\": \"}}]}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"1}\"}}]}}]}\r\n\r\n",
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n",
    "data: [DONE]\n\ndata: {\"choices\":[],\"usage\":{\"total_tokens\":3}}",
);

const CLAUDE: &str = concat!(
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m1\",\"content\":[],\"stop_reason\":null}}  \n\n",
    "event: ping\ndata: {\"type\": \"ping\"}\n\n",
    "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}}\n\n",
    "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"hm\"}}\n\n",
    "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"s\"}}\n\n",
    "data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\r\n\r\n",
    "data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"Rölling 🎲\"}}\n\n",
    "data: {\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"dice_roll\",\"input\":{}}}\n\n",
    "data: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"\"}}\n\n",
    "data: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"n\\\": \"}}\n\n",
    "data: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"1}\"}}\n\n",
    "data: {\"type\":\"content_block_stop\",\"index\":2}\n\n",
    "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":65}}\n\n",
    "data: {\"type\":\"message_stop\"}",
);

const RESPONSES: &str = concat!(
    "data: {\"type\":\"response.reasoning_summary_text.delta\",\"delta\":\"hm\"}\n\n",
    "event: response.output_text.delta\r\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"Rölling 🎲\"}\r\n\r\n",
    "data: {\"type\":\"response.output_item.added\",\"output_index\":2,\"item\":{\"type\":\"function_call\",\"name\":\"dice_roll\"}}\n\n",
    "data: {\"type\":\"response.function_call_arguments.delta\",\"output_index\":2,\"delta\":\"{\\\"n\\\": \"}\n\n",
    "data: {\"type\":\"response.function_call_arguments.delta\",\"output_index\":2,\"delta\":\"1}\"}\n\n",
    "data: {\"type\":\"response.completed\",\"response\":{\"id\":\"r\",\"status\":\"completed\",\"output\":[",
    "{\"type\":\"reasoning\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"hm\"}],\"encrypted_content\":\"s\"},",
    "{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"Rölling 🎲\"}]},",
    "{\"type\":\"function_call\",\"call_id\":\"c1\",\"name\":\"dice_roll\",\"arguments\":\"{\\\"n\\\": 1}\"}]}}",
);

const GEMINI: &str = concat!(
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"hm\",\"thought\":true}]}}]}\r\n\r\n",
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Rölling 🎲\"}]}}]}\n\n",
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"id\":\"c1\",\"name\":\"dice_roll\",\"args\":{\"n\":1}}}]}}]}\n\n",
    "data: {\"candidates\":[{\"finishReason\":\"STOP\"}]}",
);

const STREAMS: [(Provider, &str); 4] = [
    (Provider::Openai, CHAT),
    (Provider::OpenaiResponses, RESPONSES),
    (Provider::Claude, CLAUDE),
    (Provider::Gemini, GEMINI),
];

fn call(fragment: &str) -> Delta {
    Delta::Call {
        index: 0,
        alias: "dice_roll".into(),
        fragment: fragment.into(),
    }
}

#[test]
fn a_stream_is_shown_as_it_comes_and_ends_as_the_answer_in_one_piece() {
    for (provider, stream) in STREAMS {
        let (deltas, response) = fed(provider, &[stream.as_bytes()]).unwrap();
        let spoken = vec![Delta::Reasoning("hm".into()), Delta::Text("Rölling 🎲".into())];
        let called = match provider {
            // A call arrives complete.
            Provider::Gemini => vec![call("{\"n\":1}")],
            _ => vec![call(""), call("{\"n\": "), call("1}")],
        };
        assert_eq!(deltas, [spoken, called].concat(), "{provider:?}");
        let again = wire::decode(
            provider,
            response.raw_response.as_object().unwrap().clone(),
            &info(provider),
            Excerpt::new,
        );
        assert_eq!(again.as_ref(), Ok(&response));
        assert_eq!(
            (
                response.text.as_str(),
                response.reasoning.as_deref(),
                &response.tool_calls[0].arguments
            ),
            ("Rölling 🎲", Some("hm"), &json!({"n": 1}))
        );
    }
}

#[test]
fn every_split_of_the_bytes_gives_the_same() {
    for (provider, stream) in STREAMS {
        let stream = stream.as_bytes();
        let whole = fed(provider, &[stream]);
        for at in 0..=stream.len() {
            let (before, after) = stream.split_at(at);
            assert_eq!(fed(provider, &[before, after]), whole, "{provider:?} at {at}");
        }
        assert_eq!(fed(provider, &stream.chunks(1).collect::<Vec<_>>()), whole);
    }
}

#[test]
fn a_stream_that_breaks_off_is_an_error_wherever_it_does() {
    for (provider, stream) in STREAMS {
        let ends = [
            "\"finish_reason\"",
            "\"stop_reason\":\"tool_use\"",
            "\"response.completed\"",
            "\"finishReason\"",
        ];
        let end = ends.iter().find_map(|end| stream.find(end)).unwrap();
        for at in (0..end).filter(|at| stream.is_char_boundary(*at)) {
            let error = fed(provider, &[&stream.as_bytes()[..at]]).unwrap_err();
            assert_eq!(
                (error.code(), error.is_retryable()),
                ("model.upstream_invalid_response", true),
                "{at}"
            );
        }
    }
}

#[test]
fn calls_of_tools_that_are_not_offered_are_not_shown() {
    let mut decoder = StreamDecoder::new(Provider::Openai, info(Provider::Openai), [alias("look")], None);
    let deltas = decoder.feed(CHAT.as_bytes()).unwrap();
    assert_eq!(
        deltas,
        [Delta::Reasoning("hm".into()), Delta::Text("Rölling 🎲".into())]
    );
    assert_eq!(decoder.finish().unwrap().1.tool_calls.len(), 1);
}

#[test]
fn events_that_are_no_objects_break_the_stream_and_are_quoted_without_the_key() {
    let key = ApiKey::parse("sk-canary", "INNKEEPER_API_KEY").unwrap();
    for event in ["sk-canary", "[\"sk-canary\"]", "{\"choices\": \"sk-canary\"}"] {
        let mut decoder = StreamDecoder::new(Provider::Openai, info(Provider::Openai), [], key.clone());
        let error = decoder.feed(format!("data: {event}\n\n").as_bytes()).unwrap_err();
        let expected = ModelError::UpstreamInvalidResponse {
            fault: BodyFault::BrokenStream,
            excerpt: Excerpt::new(&event.replace("sk-canary", "[API key]")),
        };
        assert_eq!(error, expected);
    }
}

#[test]
fn an_error_in_the_middle_of_a_stream_has_its_kind() {
    let chat = json!({"error": {"code": 429, "message": "slow down"}});
    assert_eq!(
        streamed(Provider::Openai, &[chat]).unwrap_err().code(),
        "agent.rate_limited"
    );
    let unknown = json!({"error": "upstream died"});
    assert_eq!(
        streamed(Provider::Openai, &[unknown]).unwrap_err().code(),
        "model.upstream_invalid_response"
    );
    let claude = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    assert_eq!(
        streamed(Provider::Claude, &[claude]).unwrap_err().code(),
        "agent.transient"
    );
}

#[test]
fn a_stream_above_the_limit_is_not_taken() {
    let mut decoder = StreamDecoder::new(Provider::Claude, info(Provider::Claude), [], None);
    decoder.left = 10;
    assert_eq!(decoder.feed(b": 34567890"), Ok(vec![]));
    let fault = BodyFault::TooLarge {
        limit: DEFAULT_BODY_LIMIT,
    };
    let expected = ModelError::UpstreamInvalidResponse {
        fault,
        excerpt: Excerpt::default(),
    };
    assert_eq!(decoder.feed(b"x"), Err(expected));
}
