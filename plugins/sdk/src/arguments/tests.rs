//! Numbers at the edges, and pointers in error messages.

use serde::Deserialize;

use super::*;

#[derive(Debug, Deserialize, PartialEq)]
struct Sample {
    limit: Option<Whole>,
    #[serde(default)]
    items: Vec<Item>,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Item {
    index: Whole,
}

fn limit(json: &str) -> Result<Option<u64>, Failure> {
    arguments::<Sample>(&format!(r#"{{"limit":{json}}}"#)).map(|sample| sample.limit.map(|n| n.0))
}

#[test]
fn whole_numbers_and_whole_floats_are_taken() {
    assert_eq!(limit("null"), Ok(None));
    assert_eq!(limit("0"), Ok(Some(0)));
    assert_eq!(limit("2.0"), Ok(Some(2)));
    assert_eq!(limit("-0.0"), Ok(Some(0)));
    assert_eq!(limit("18446744073709551615"), Ok(Some(u64::MAX)));
}

#[test]
fn other_numbers_are_refused_by_pointer() {
    for bad in ["-1", "2.5", "1e30", "18446744073709551616", "\"2\""] {
        let refused = limit(bad).expect_err(bad);
        assert_eq!(refused.code, INVALID_ARGUMENTS, "{bad}");
        assert!(refused.message.contains("Argument /limit "), "{}", refused.message);
    }
}

#[test]
fn a_refusal_says_what_a_number_must_be_and_nothing_of_the_json_text() {
    for (bad, said) in [
        ("-1", "it must be a whole number, 0 or more, and is -1"),
        ("2.5", "it must be a whole number, 0 or more, and is 2.5"),
        (
            "1e30",
            "it must be a whole number, 0 or more, at most 18446744073709551615",
        ),
        (
            "\"2\"",
            "invalid type: string \"2\", expected a whole number, 0 or more",
        ),
    ] {
        let refused = limit(bad).expect_err(bad);
        assert_eq!(
            refused.message,
            format!("Argument /limit cannot be used: {said}. Correct it and call again.")
        );
    }
}

#[test]
fn a_pointer_reaches_into_items() {
    let refused = arguments::<Sample>(r#"{"items":[{"index":1},{"index":-4}]}"#).expect_err("-4");
    assert!(
        refused.message.contains("Argument /items/1/index "),
        "{}",
        refused.message
    );
}

#[test]
fn clamping_keeps_small_numbers_and_caps_large_ones() {
    assert_eq!(Whole(7).clamp_u32(), 7);
    assert_eq!(Whole(u64::MAX).clamp_u32(), u32::MAX);
}
