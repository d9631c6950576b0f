//! What the module `json` promises, tried; no other module is.

use super::*;

fn whole(text: &str) -> Result<Range<usize>, Fault> {
    Scanner::new(text).value()
}

#[test]
fn a_value_ends_where_it_ends() {
    for text in [
        "{}",
        "[]",
        "[1,2]",
        r#"{"a":[{"b":null}],"a":1}"#,
        "NaN",
        "-Infinity",
        "-0.5e+10",
        "1234567890123456789012345",
        r#""\u00e9\"""#,
        "[ 1 , { \"x\" : [ ] } ]",
    ] {
        assert_eq!(whole(text), Ok(0..text.len()), "{text}");
    }
}

#[test]
fn broken_text_is_a_fault_at_its_place() {
    for (text, offset) in [
        ("", 0),
        ("{", 1),
        (r#"{"a""#, 4),
        (r#"{"a":"#, 5),
        (r#"{"a":1"#, 6),
        ("[1,", 3),
        ("[1 2]", 3),
        ("\"x", 2),
        ("\"\\x\"", 2),
        ("\"\\u12g4\"", 5),
        ("\"\t\"", 1),
        ("1.", 2),
        ("-", 1),
        ("tru", 0),
        ("{,}", 1),
        ("[,]", 1),
        (r#"{"a":1,}"#, 7),
    ] {
        assert_eq!(whole(text).map_err(|fault| fault.offset), Err(offset), "{text:?}");
    }
}

#[test]
fn deep_nesting_does_not_use_the_stack() {
    let text = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
    assert_eq!(whole(&text), Ok(0..text.len()));
}

#[test]
fn strings_decode_as_javascript_reads_them() {
    assert_eq!(decode_string(r#""a\n\u00e9\ud83d\ude00b""#).as_deref(), Some("a\né😀b"));
    assert_eq!(decode_string(r#""cut \ud83d""#).as_deref(), Some("cut \u{fffd}"));
    assert_eq!(decode_string(r#""\ud83d\u0041""#).as_deref(), Some("\u{fffd}A"));
    assert_eq!(decode_string("12"), None);
}

#[test]
fn lengths_count_utf16_units_and_cut_the_raw_text() {
    let raw = r#""a\n😀\ud83dz""#;
    assert_eq!(utf16_len(raw), 6);
    assert_eq!(utf16_prefix(raw, 2).as_deref(), Some(r#""a\n""#));
    assert_eq!(utf16_prefix(raw, 5).as_deref(), Some(r#""a\n😀\ud83d""#));
    assert_eq!(utf16_prefix(raw, 3), None);
    assert_eq!(utf16_prefix(raw, 7), None);
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config { failure_persistence: None, ..proptest::test_runner::Config::default() })]

    #[test]
    fn encoding_then_decoding_gives_the_text_back(text in ".*") {
        let raw = encode_string(&text);
        proptest::prop_assert_eq!(whole(&raw), Ok(0..raw.len()));
        let decoded = decode_string(&raw);
        proptest::prop_assert_eq!(decoded.as_deref(), Some(text.as_str()));
        proptest::prop_assert_eq!(utf16_len(&raw), text.encode_utf16().count() as u64);
    }

    #[test]
    fn any_text_is_scanned_without_a_panic(text in "[\\[\\]{}\",:\\\\a-u0-9.eE+ -]*") {
        let _ = whole(&text);
        let _ = decode_string(&text);
    }
}
