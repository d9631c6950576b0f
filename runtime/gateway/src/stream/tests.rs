//! What holds for the streams of all formats.

mod fixtures;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::fixture::{Watcher, alias, fed, info, streamed};

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

fn called(pieces: &[&str]) -> Vec<LiveDelta> {
    let more = pieces.iter().filter_map(|piece| arguments(0, piece));
    call(0, "dice_roll", "").into_iter().chain(more).collect()
}

#[test]
fn a_stream_is_shown_as_it_comes_and_ends_as_the_answer_in_one_piece() {
    for (provider, stream) in STREAMS {
        let (deltas, response) = fed(provider, &[stream.as_bytes()]).unwrap();
        let spoken = vec![LiveDelta::Reasoning("hm".into()), LiveDelta::Text("Rölling 🎲".into())];
        let called = match provider {
            // A call arrives complete.
            Provider::Gemini => called(&["{\"n\":1}"]),
            _ => called(&["{\"n\": ", "1}"]),
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
    let watcher = Watcher::default();
    decoder.feed(CHAT.as_bytes(), &watcher).unwrap();
    assert_eq!(
        watcher.seen(),
        [LiveDelta::Reasoning("hm".into()), LiveDelta::Text("Rölling 🎲".into())]
    );
    assert_eq!(decoder.finish(&watcher).unwrap().tool_calls.len(), 1);
}

#[test]
fn events_that_are_no_objects_break_the_stream_and_are_quoted_without_the_key() {
    let key = ApiKey::parse("sk-canary", "INNKEEPER_API_KEY").unwrap();
    for event in ["sk-canary", "[\"sk-canary\"]", "{\"choices\": \"sk-canary\"}"] {
        let mut decoder = StreamDecoder::new(Provider::Openai, info(Provider::Openai), [], key.clone());
        let error = decoder
            .feed(format!("data: {event}\n\n").as_bytes(), &Watcher::default())
            .unwrap_err();
        let expected = ModelError::UpstreamInvalidResponse {
            fault: BodyFault::BrokenStream,
            excerpt: Excerpt::new(&event.replace("sk-canary", "[secret]")),
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
    let mut decoder = StreamDecoder::new(Provider::Claude, info(Provider::Claude), [], None).with_limit(10);
    let watcher = Watcher::default();
    assert_eq!(decoder.feed(b": 34567890", &watcher), Ok(()));
    let fault = BodyFault::TooLarge { limit: 10 };
    let expected = ModelError::UpstreamInvalidResponse {
        fault,
        excerpt: Excerpt::default(),
    };
    assert_eq!(decoder.feed(b"x", &watcher), Err(expected));
}

#[test]
fn an_answer_in_one_piece_to_a_request_for_a_stream_is_read_as_one() {
    let body = "\u{FEFF}\n {\"choices\": [{\"message\": {\"content\": \"hi\"}}]}";
    let whole = fed(Provider::Openai, &[body.as_bytes()]);
    assert_eq!(
        whole.as_ref().map(|(shown, turn)| (shown.len(), turn.text.as_str())),
        Ok((0, "hi"))
    );
    for at in 0..=body.len() {
        let (before, after) = body.as_bytes().split_at(at);
        assert_eq!(fed(Provider::Openai, &[before, after]), whole, "{at}");
    }
    let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": "x"}}).to_string();
    assert_eq!(
        fed(Provider::Claude, &[error.as_bytes()]).unwrap_err().code(),
        "agent.transient"
    );
}

#[test]
fn what_is_no_stream_at_all_is_quoted() {
    let rows = [
        ("<html>proxy</html>", BodyFault::NotJson),
        ("{\"choices\": [", BodyFault::NotJson),
        ("[1]", BodyFault::NotObject),
        ("upstream connect error", BodyFault::Unfinished),
        (" \n", BodyFault::Unfinished),
    ];
    for (body, fault) in rows {
        let excerpt = Excerpt::new(body.trim());
        let expected = ModelError::UpstreamInvalidResponse { fault, excerpt };
        assert_eq!(fed(Provider::Openai, &[body.as_bytes()]), Err(expected));
    }
}

#[test]
fn what_came_before_an_error_is_shown_however_the_bytes_are_cut() {
    let stream = b"data: {\"choices\": [{\"delta\": {\"content\": \"hi\"}}]}\n\ndata: {\"error\": \"died\"}\n\n";
    for at in 0..=stream.len() {
        let mut decoder = StreamDecoder::new(Provider::Openai, info(Provider::Openai), [], None);
        let watcher = Watcher::default();
        let (before, after) = stream.split_at(at);
        let fed = decoder
            .feed(before, &watcher)
            .and_then(|()| decoder.feed(after, &watcher));
        assert_eq!(fed.unwrap_err().code(), "model.upstream_invalid_response");
        assert_eq!(watcher.seen(), [LiveDelta::Text("hi".into())], "{at}");
    }
}

/// Pieces of streams of all formats, whole and broken.
fn scraps() -> Vec<&'static str> {
    let events = STREAMS.iter().flat_map(|(_, stream)| stream.split_inclusive("\n\n"));
    events
        .chain([
            "data: ",
            "\n",
            "{",
            "[DONE]",
            "\u{FEFF}",
            "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":3}]}}]}\n\n",
        ])
        .collect()
}

proptest! {
    #[test]
    fn no_bytes_break_a_decoder(bytes in prop::collection::vec(any::<u8>(), 0..200), cut in any::<prop::sample::Index>()) {
        let (before, after) = bytes.split_at(cut.index(bytes.len() + 1));
        for provider in Provider::ALL {
            prop_assert_eq!(fed(provider, &[before, after]), fed(provider, &[&bytes]));
        }
    }

    #[test]
    fn no_order_of_events_breaks_a_decoder_or_depends_on_the_cut(
        pieces in prop::collection::vec(prop::sample::select(scraps()), 0..12),
        cut in any::<prop::sample::Index>(),
    ) {
        let stream = pieces.concat().into_bytes();
        let (before, after) = stream.split_at(cut.index(stream.len() + 1));
        for provider in Provider::ALL {
            prop_assert_eq!(fed(provider, &[before, after]), fed(provider, &[&stream]));
        }
    }
}
