//! Every byte that a commit does not own is the same afterwards.

use innkeeper_protocol::run::GenerationType;

use super::fixtures::*;
use crate::chat::splice::{RawArray, RawObject};
use crate::chat::*;

const KINDS: [GenerationType; 4] = [
    GenerationType::Normal,
    GenerationType::Regenerate,
    GenerationType::Swipe,
    GenerationType::Continue,
];

#[test]
fn only_the_target_line_and_the_integrity_value_change() {
    for shape in Shape::all() {
        for kind in KINDS {
            let before = shape.text();
            let (after, index) = write(&parse(&before), &commit(kind, "new"));
            let restored = after.text().replacen(NEW_INTEGRITY, OLD_INTEGRITY, 1);
            let line = after.message_line(index).unwrap();
            let target = after.line_text(&line);
            let expected = match kind {
                GenerationType::Normal if shape.final_break => format!("{before}{target}{}", shape.ending),
                GenerationType::Normal => format!("{before}{}{target}", shape.ending),
                _ => before.replace(shape.lines().last().unwrap(), target),
            };
            assert_eq!(restored, expected, "{shape:?} {kind:?}");
            let changed = after.text().contains(NEW_INTEGRITY);
            assert_eq!(changed, shape.header == HeaderKind::Modern, "{shape:?}");
        }
    }
}

#[test]
fn the_target_line_keeps_what_it_does_not_own_and_its_swipes_in_step() {
    for shape in Shape::all() {
        for kind in KINDS {
            let (after, index) = write(&parse(&shape.text()), &commit(kind, "new"));
            let line = after.message_line(index).unwrap();
            let message = RawObject::of(Some(after.line_text(&line)));
            let swipes = RawArray::parse(message.get("swipes").unwrap()).unwrap();
            let infos = RawArray::parse(message.get("swipe_info").unwrap()).unwrap();
            let shown: usize = message.get("swipe_id").unwrap().parse().unwrap();
            assert_eq!(swipes.get(shown), message.get("mes"), "{shape:?} {kind:?}");
            assert_eq!(swipes.len(), infos.len(), "{shape:?} {kind:?}");
            let info = RawObject::of(infos.get(shown));
            for key in ["send_date", "gen_started", "gen_finished", "extra"] {
                assert_eq!(info.get(key), message.get(key), "{key} {shape:?} {kind:?}");
            }
            let odd = after.line_text(&line).contains(ODD);
            assert_eq!(odd, shape.odd && kind != GenerationType::Normal, "{shape:?} {kind:?}");
        }
    }
}

#[test]
fn a_header_without_a_value_stays_whole() {
    for header in [
        r#"{"chat_metadata":{}}"#,
        r#"{"chat_metadata":null,"x":1}"#,
        r#"{"chat_metadata":{"integrity":null}}"#,
        r#"{"chat_metadata":{"integrity":""}}"#,
        r#"{"integrity":"not this one","user_name":"u"}"#,
    ] {
        let (after, _) = write(
            &parse(&format!("{header}\n{USER}")),
            &commit(GenerationType::Normal, "new"),
        );
        assert!(after.text().starts_with(&format!("{header}\n{USER}\n")), "{header}");
    }
}

#[test]
fn of_repeated_values_the_one_that_counts_is_replaced() {
    let header = r#"{"chat_metadata":{"integrity":"a"},"chat_metadata": {"integrity":"b","integrity" : "c"}}"#;
    let (after, _) = write(
        &parse(&format!("{header}\n{USER}")),
        &commit(GenerationType::Normal, "new"),
    );
    let expected = header.replace("\"c\"", &format!("\"{NEW_INTEGRITY}\""));
    assert_eq!(after.text().lines().next(), Some(expected.as_str()));
}

#[test]
fn line_breaks_follow_the_file() {
    let after = |text: &str| {
        write(&parse(text), &commit(GenerationType::Normal, "new"))
            .0
            .text()
            .to_owned()
    };
    let line = after(USER).split_once('\n').unwrap().1.to_owned();
    for (before, expected) in [
        (USER.to_owned(), format!("{USER}\n{line}")),
        (format!("{USER}\r\n"), format!("{USER}\r\n{line}\r\n")),
        (format!("{USER}\r"), format!("{USER}\r\n{line}")),
        (format!("{USER}\n\n\n"), format!("{USER}\n\n\n{line}\n")),
        (format!("{USER}\n  "), format!("{USER}\n  \n{line}")),
        (
            format!("{USER}\r\n{USER}\n{USER}\r\n{USER}"),
            format!("{USER}\r\n{USER}\n{USER}\r\n{USER}\r\n{line}"),
        ),
    ] {
        assert_eq!(after(&before), expected, "{before:?}");
    }
}

mod random {
    use proptest::prelude::*;

    use super::*;

    fn scalar() -> impl Strategy<Value = String> {
        prop_oneof![
            "[0-9]{1,30}".prop_map(|digits| format!("1{digits}")),
            Just("NaN".into()),
            Just("-Infinity".into()),
            Just("1.50e+3".into()),
            Just(r#""\u00e9\/\ud83d""#.into()),
            ".*".prop_map(|text| serde_json::Value::from(text).to_string()),
        ]
    }

    fn line() -> impl Strategy<Value = String> {
        let key = prop_oneof![
            Just("mes"),
            Just("is_user"),
            Just("extra"),
            Just("swipes"),
            Just("swipe_id"),
            Just("m\\u0065s"),
            Just("zz")
        ];
        let value = prop_oneof![
            4 => scalar(),
            1 => prop::collection::vec(scalar(), 0..3).prop_map(|items| format!("[ {}]", items.join(" ,"))),
            1 => scalar().prop_map(|value| format!("{{\"a\" :{value}, \"a\":1}}")),
            1 => Just("true".to_owned()),
        ];
        let blank = prop_oneof![Just(""), Just(" "), Just("\t")];
        let members = prop::collection::vec((key, blank.clone(), value, blank), 0..5);
        members.prop_map(|members| {
            let members: Vec<_> = members
                .iter()
                .map(|(key, before, value, after)| format!("{before}\"{key}\" :{after}{value}{after}"))
                .collect();
            format!("{{{}}}", members.join(","))
        })
    }

    fn text() -> impl Strategy<Value = String> {
        let ending = prop_oneof![Just("\n"), Just("\r\n"), Just("\n \n")];
        (
            any::<bool>(),
            prop::collection::vec((line(), ending), 1..8),
            any::<bool>(),
        )
            .prop_map(|(bom, lines, open)| {
                let mut text = String::from(if bom { "\u{feff}" } else { "" });
                for (line, ending) in &lines {
                    text.push_str(line);
                    text.push_str(ending);
                }
                if open {
                    text.push_str(&lines[0].0);
                }
                text
            })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: rounds(), failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn other_lines_survive(text in text(), kind in 0..4_usize, words in ".*") {
            let chat = parse(&text);
            let made = commit(KINDS[kind], &words);
            let Ok(CommitPlan::Write { bytes, message_index }) = plan(&chat, &made) else {
                prop_assert_eq!(KINDS[kind], GenerationType::Swipe);
                return Ok(());
            };
            let after = ChatFile::parse(chat.path(), bytes).unwrap();
            prop_assert_eq!(after.total(), chat.total().max(message_index + 1));
            let untouched = (0..chat.total()).filter(|index| *index != message_index);
            for index in untouched {
                let line = |file: &ChatFile| file.line_text(&file.message_line(index).unwrap()).to_owned();
                prop_assert_eq!(line(&after), line(&chat));
            }
            // Around the target line everything stays in its place, too.
            let line = after.message_line(message_index).unwrap();
            let old_end = chat.message_line(message_index).map_or(text.len(), |line| line.end);
            let (head, tail) = (&after.text()[..line.start], &after.text()[line.end..]);
            prop_assert!(text.starts_with(head) || head.trim_end() == text.trim_end());
            prop_assert!(tail == &text[old_end..] || tail.trim().is_empty());
            let again = plan(&after, &made).unwrap();
            prop_assert_eq!(again, CommitPlan::AlreadyApplied { message_index });
            prop_assert!(after.message(message_index).unwrap().text.ends_with(&words));
        }
    }

    fn rounds() -> u32 {
        std::env::var("INNKEEPER_ROUNDS")
            .ok()
            .and_then(|rounds| rounds.parse().ok())
            .unwrap_or(300)
    }
}
