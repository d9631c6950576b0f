//! Every split of an object gives the same, and the same as a JSON parser that sees it whole.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;

const CHOSEN: Chosen = &[("path", LiveField::Path), ("content", LiveField::Content)];

/// What the pieces add up to, and whether the object came to its end.
fn scanned(pieces: &[&str]) -> Result<([String; 2], bool), GivenUp> {
    let mut scanner = Scanner::new(CHOSEN);
    let mut texts = [String::new(), String::new()];
    for piece in pieces {
        for (field, text) in scanner.feed(piece)? {
            texts[usize::from(field == LiveField::Content)].push_str(&text);
        }
    }
    Ok((texts, matches!(scanner.state, State::End)))
}

fn texts(path: &str, content: &str) -> [String; 2] {
    [path.to_owned(), content.to_owned()]
}

#[test]
fn chosen_texts_are_read_among_other_scalars() {
    let object = r#" { "mode" : "replace", "n": -1.5e3 ,"p\u0061th":"a/b.md", "x":null,"y":true , "content":"né\n\ud83c\udfb2" } "#;
    let expected = Ok((texts("a/b.md", "né\n🎲"), true));
    for at in (0..=object.len()).filter(|at| object.is_char_boundary(*at)) {
        assert_eq!(scanned(&[&object[..at], &object[at..]]), expected, "{at}");
    }
    assert_eq!(scanned(&[" {\n} "]), Ok((texts("", ""), true)));
}

#[test]
fn what_is_open_shows_what_is_sure() {
    assert_eq!(scanned(&["{\"path\": \"a"]), Ok((texts("a", ""), false)));
    assert_eq!(scanned(&["{\"content\": \"a\\ud83c"]), Ok((texts("", "a"), false)));
    assert_eq!(scanned(&[""]), Ok((texts("", ""), false)));
}

#[test]
fn what_cannot_be_followed_is_given_up() {
    let long = format!("{{\"n\": {}}}", "1".repeat(MAX_SCALAR_BYTES + 1));
    for object in [
        "[]",
        "x",
        "{x",
        "{,",
        "{\"a\" 1",
        "{\"a\":}",
        "{\"a\":1,}",
        "{\"a\":1 2",
        "{\"a\":tru}",
        "{\"a\":1e999}",
        "{\"a\":01}",
        "{\"a\":\"\n",
        "{\"a\":{",
        "{\"a\":[",
        "{\"path\":1",
        "{\"path\":null",
        "{\"path\":\"a\",\"path\"",
        "{} {",
        "{\"a\\x",
        &long,
    ] {
        assert_eq!(scanned(&[object]), Err(GivenUp), "{object}");
    }
}

/// A JSON string in which some characters are escaped that need not be.
fn written(text: &str, escaped: &[bool]) -> String {
    let mut string = String::from("\"");
    let mut escaped = escaped.iter().cycle();
    for c in text.chars() {
        let mut units = [0; 2];
        if escaped.next() == Some(&true) {
            let units = c.encode_utf16(&mut units).iter();
            string.extend(units.map(|unit| format!("\\u{unit:04X}")));
        } else {
            let quoted = json!(c.to_string()).to_string();
            string.push_str(&quoted[1..quoted.len() - 1]);
        }
    }
    string + "\""
}

/// An object of scalars with the chosen fields somewhere in it.
fn object() -> impl Strategy<Value = String> {
    let text = || (any::<String>(), prop::collection::vec(any::<bool>(), 1..4));
    let other = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|value| value.to_string()),
        any::<i64>().prop_map(|value| value.to_string()),
        text().prop_map(|(text, escaped)| written(&text, &escaped)),
    ];
    let blank = || prop::sample::select(vec!["", " ", "\r\n\t"]);
    let fields = prop::collection::vec((other, blank()), 0..4);
    (text(), text(), fields, blank()).prop_map(|((path, p), (content, c), fields, end)| {
        let mut rows = vec![
            format!("\"path\":{}", written(&path, &p)),
            format!("\"content\" : {}", written(&content, &c)),
        ];
        for (number, (value, blank)) in fields.into_iter().enumerate() {
            rows.insert(
                number % (rows.len() + 1),
                format!("{blank}\"k{number}\"{blank}:{blank}{value}{blank}"),
            );
        }
        format!("{{{}{end}}}", rows.join(","))
    })
}

/// The text in pieces that end where the numbers say.
fn split<'a>(text: &'a str, cuts: &[prop::sample::Index]) -> Vec<&'a str> {
    let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
    at.retain(|at| text.is_char_boundary(*at));
    at.extend([0, text.len()]);
    at.sort_unstable();
    at.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}

proptest! {
    #[test]
    fn any_split_gives_what_a_parser_reads(object in object(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12)) {
        let parsed: Map<String, Value> = serde_json::from_str(&object).unwrap();
        let expected = texts(parsed["path"].as_str().unwrap(), parsed["content"].as_str().unwrap());
        prop_assert_eq!(scanned(&split(&object, &cuts)), Ok((expected, true)));
    }

    #[test]
    fn no_text_breaks_it_and_what_ends_is_json(
        text in "[{}\"\\\\:,a-u0-9. \\n\u{1}é-]{0,40}",
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let whole = scanned(&[&text]);
        prop_assert_eq!(&scanned(&split(&text, &cuts)), &whole);
        if let Ok((_, true)) = whole {
            prop_assert!(serde_json::from_str::<Map<String, Value>>(&text).is_ok());
        }
    }
}
