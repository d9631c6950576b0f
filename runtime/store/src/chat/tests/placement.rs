//! Where each kind of commit goes and what it leaves in the message.

use serde_json::{Value, json};

use innkeeper_protocol::call::CommitMode;
use innkeeper_protocol::id::CommitId;
use innkeeper_protocol::port::ChatRole;
use innkeeper_protocol::run::GenerationType;

use super::fixtures::*;
use crate::chat::*;

const ANSWER: &str = r#"{"name":"Alice","mes":"old","send_date":"d0","gen_started":"g0","extra":{"model":"m0","reasoning":"why","display_text":"alt","bookmark_link":"b"}}"#;

fn chat(lines: &[&str]) -> ChatFile {
    parse(&format!("{{\"chat_metadata\":{{}}}}\n{}", lines.join("\n")))
}

#[test]
fn a_new_message_is_complete() {
    let mut made = commit(GenerationType::Normal, "Hello\n\"you\"");
    made.asked.reasoning = Some("because".into());
    made.model = Some("m1".into());
    made.asked.planned.reason = Some("done".into());
    let (after, index) = write(&chat(&[USER]), &made);
    let message = value(&after, index);
    let measured = json!({"chars": 11, "words": 1, "sha256": digest("Hello\n\"you\"")});
    let mut commit =
        json!({"seq": 1, "commitId": "commit_1", "path": "output/main.md", "mode": "replace", "reason": "done"});
    let mut artifact = json!({"path": "output/main.md", "target": "message_body"});
    for entry in [&mut commit, &mut artifact] {
        entry
            .as_object_mut()
            .unwrap()
            .extend(measured.as_object().unwrap().clone());
    }
    let agent = json!({
        "version": 2, "runId": "run_1", "workspaceId": "chat_1", "stableChatId": "stable_1", "profileId": "default",
        "persistBaseStateId": null, "persistStateStatus": "not_committed", "checkpointId": "cp_1", "commitId": "commit_1",
        "commitSeq": 1, "commits": [commit], "rollback": {"strategy": "deleteMessage"}, "artifacts": [artifact],
    });
    let extra = json!({"api": "openai", "model": "m1", "reasoning": "because", "tauritavern": {"agent": agent}});
    let (date, started) = ("2026-10-05T07:00:05.000Z", "2026-10-05T07:00:00.000Z");
    let expected = json!({
        "name": "Alice", "is_user": false, "is_system": false, "send_date": date, "mes": "Hello\n\"you\"", "extra": extra,
        "gen_started": started, "gen_finished": date, "swipe_id": 0, "swipes": ["Hello\n\"you\""],
        "swipe_info": [{"send_date": date, "gen_started": started, "gen_finished": date, "extra": extra}],
    });
    assert_eq!((index, message), (1, expected));
}

#[test]
fn a_regeneration_replaces_text_and_what_described_it() {
    let (after, index) = write(&chat(&[USER, ANSWER]), &commit(GenerationType::Regenerate, "new"));
    let message = value(&after, index);
    let extra = message["extra"].as_object().unwrap();
    assert_eq!((index, after.total(), &message["mes"]), (1, 2, &json!("new")));
    assert_eq!(
        extra.keys().collect::<Vec<_>>(),
        ["model", "bookmark_link", "api", "tauritavern"]
    );
    assert_eq!(
        (&message["send_date"], &message["gen_started"]),
        (&json!("2026-10-05T07:00:05.000Z"), &json!("2026-10-05T07:00:00.000Z"))
    );
    assert_eq!(message.get("swipes"), None);
    assert_eq!(agent(&after, index)["rollback"], json!({"strategy": "deleteMessage"}));
}

#[test]
fn a_regeneration_keeps_the_other_swipes() {
    let line = format!(r#"{{"name":"Alice","mes":"two",{}}}"#, SWIPES[0]);
    let (after, index) = write(&chat(&[USER, &line]), &commit(GenerationType::Regenerate, "new"));
    let message = value(&after, index);
    assert_eq!(
        (&message["swipes"], &message["swipe_id"]),
        (&json!(["one", "new"]), &json!(1))
    );
    assert_eq!(message["swipe_info"][0], json!({"send_date": "d1", "extra": {}}));
    assert_eq!(
        agent(&after, index)["rollback"],
        json!({"strategy": "deleteSwipe", "swipeId": 1})
    );
}

#[test]
fn regenerating_and_continuing_stay_with_the_last_answer() {
    let note = r#"{"is_system":true,"mes":"note"}"#;
    for (lines, index, total) in [
        (vec![USER, ANSWER, note], 1, 3),
        (vec![USER, ANSWER, USER], 3, 4),
        (vec![USER, note], 2, 3),
        (vec![], 0, 1),
    ] {
        for kind in [GenerationType::Regenerate, GenerationType::Continue] {
            let (after, found) = write(&chat(&lines), &commit(kind, "new"));
            assert_eq!((found, after.total()), (index, total), "{lines:?} {kind:?}");
        }
    }
}

#[test]
fn a_swipe_is_added_beside_everything_there_was() {
    let (after, index) = write(&chat(&[USER, ANSWER]), &commit(GenerationType::Swipe, "new"));
    let message = value(&after, index);
    let old: Value = serde_json::from_str(ANSWER).unwrap();
    assert_eq!(
        (&message["swipes"], &message["swipe_id"], &message["mes"]),
        (&json!(["old", "new"]), &json!(1), &json!("new"))
    );
    assert_eq!(
        message["swipe_info"][0],
        json!({"send_date": "d0", "gen_started": "g0", "extra": old["extra"]})
    );
    assert_eq!(
        message["extra"].as_object().unwrap().keys().collect::<Vec<_>>(),
        ["api", "tauritavern"]
    );
    assert_eq!(
        agent(&after, index)["rollback"],
        json!({"strategy": "deleteSwipe", "swipeId": 1})
    );
}

#[test]
fn a_swipe_never_loses_a_text_that_was_out_of_step() {
    for (swipes, expected) in [
        (r#""swipes":["a","b"],"swipe_id":0"#, json!(["a", "b", "old", "new"])),
        (r#""swipes":["a","old"],"swipe_id":9"#, json!(["a", "old", "new"])),
        (r#""swipes":["a"]"#, json!(["a", "old", "new"])),
        (r#""swipes":null,"swipe_id":-1"#, json!(["old", "new"])),
        (
            r#""swipes":[{"message":"x"},5],"swipe_id":0"#,
            json!([{"message": "x"}, 5, "old", "new"]),
        ),
        (
            r#""swipes":["old"],"swipe_id":0,"swipe_info":[null,{"extra":{"lost":1}}]"#,
            json!(["old", "new"]),
        ),
    ] {
        let (after, index) = write(
            &chat(&[&format!(r#"{{"mes":"old","send_date":"d",{swipes}}}"#)]),
            &commit(GenerationType::Swipe, "new"),
        );
        let message = value(&after, index);
        assert_eq!(message["swipes"], expected, "{swipes}");
        let count = expected.as_array().unwrap().len();
        assert_eq!(
            (
                message["swipe_id"].as_u64(),
                message["swipe_info"].as_array().unwrap().len()
            ),
            (Some(count as u64 - 1), count),
            "{swipes}"
        );
        assert!(
            message["swipe_info"]
                .as_array()
                .unwrap()
                .iter()
                .any(|info| info["send_date"] == "d"),
            "{swipes}"
        );
    }
}

#[test]
fn a_swipe_needs_an_assistant_message_at_the_end() {
    let swipe = commit(GenerationType::Swipe, "new");
    assert_eq!(
        refusal(&chat(&[ANSWER, USER]), &swipe),
        Refusal::NotAnAssistant {
            found: Some(ChatRole::User)
        }
    );
    assert_eq!(refusal(&chat(&[]), &swipe), Refusal::NotAnAssistant { found: None });
}

#[test]
fn continuing_adds_to_the_raw_text() {
    let line = r#"{"name":"Alice","mes":"caf\u00e9 \ud83d","send_date":"d0","gen_started":"g0","extra":{"reasoning":"why","token_count":3}}"#;
    let (after, index) = write(&chat(&[USER, line]), &commit(GenerationType::Continue, " é\n"));
    assert_eq!(raw(&after, index, "mes"), r#""caf\u00e9 \ud83d é\n""#);
    assert_eq!(
        (raw(&after, index, "send_date"), raw(&after, index, "gen_started")),
        ("\"d0\"".into(), "\"g0\"".into())
    );
    assert!(raw(&after, index, "extra").starts_with(r#"{"reasoning":"why","api":"openai","tauritavern""#));
    assert!(raw(&after, index, "extra").contains(r#""continuation":{"baseUtf16":6}"#));
}

#[test]
fn later_commits_replace_or_extend_the_runs_own_text() {
    let line = format!(r#"{{"name":"Alice","mes":"two",{}}}"#, SWIPES[0]);
    for (kind, base, swipes) in [
        (GenerationType::Normal, "", json!(["?"])),
        (GenerationType::Regenerate, "", json!(["one", "?"])),
        (GenerationType::Swipe, "", json!(["one", "two", "?"])),
        (GenerationType::Continue, "two", json!(["one", "?"])),
    ] {
        let first = commit(kind, "A");
        let (mut now, index) = write(&chat(&[USER, &line]), &first);
        let mut number = 1;
        for (mode, text, whole) in [
            (CommitMode::Append, "B", "AB"),
            (CommitMode::Append, "C", "ABC"),
            (CommitMode::Replace, "D", "D"),
            (CommitMode::Append, "E", "DE"),
        ] {
            number += 1;
            let (after, same) = write(&now, &later(&first, number, mode, text));
            let message = value(&after, same);
            let expected = format!("{base}{whole}");
            let mut slots = swipes.clone();
            *slots.as_array_mut().unwrap().last_mut().unwrap() = json!(expected);
            assert_eq!(
                (same, message["mes"].as_str(), &message["swipes"]),
                (index, Some(expected.as_str()), &slots),
                "{kind:?}"
            );
            now = after;
        }
        let agent = agent(&now, index);
        assert_eq!(
            (&agent["commitId"], &agent["commitSeq"]),
            (&json!("commit_5"), &json!(5))
        );
        let modes: Vec<_> = agent["commits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|commit| commit["mode"].as_str().unwrap())
            .collect();
        assert_eq!(modes, ["replace", "append", "append", "replace", "append"]);
    }
}

#[test]
fn the_first_append_creates_the_message() {
    let mut first = commit(GenerationType::Normal, "A");
    first.asked.planned.mode = CommitMode::Append;
    let (after, index) = write(&chat(&[USER]), &first);
    assert_eq!((index, value(&after, index)["mes"].as_str()), (1, Some("A")));
}

#[test]
fn a_commit_id_is_applied_once() {
    let first = commit(GenerationType::Normal, "A");
    let (one, index) = write(&chat(&[USER]), &first);
    let (two, _) = write(&one, &later(&first, 2, CommitMode::Append, "B"));
    for repeated in [first.clone(), later(&first, 2, CommitMode::Append, "B")] {
        assert_eq!(
            plan(&two, &repeated).unwrap(),
            CommitPlan::AlreadyApplied { message_index: index }
        );
        assert_eq!(find_commit(&two, &repeated.asked.commit_id), Some(index));
    }
    assert_eq!(find_commit(&two, &CommitId::parse("commit_3").unwrap()), None);
}

#[test]
fn a_commit_is_found_when_another_swipe_is_shown() {
    let first = commit(GenerationType::Swipe, "new");
    let (after, index) = write(&chat(&[USER, ANSWER]), &first);
    // The person goes back to the first alternative.
    let mut message = value(&after, index);
    message["swipe_id"] = json!(0);
    message["mes"] = json!("old");
    message["extra"] = message["swipe_info"][0]["extra"].clone();
    let back = chat(&[USER, &message.to_string()]);
    assert_eq!(find_commit(&back, &first.asked.commit_id), Some(index));
    assert_eq!(
        refusal(&back, &later(&first, 2, CommitMode::Append, "B")),
        Refusal::OtherSwipeActive { index }
    );

    let CommitPlan::Write { bytes, message_index } = plan_state_update(&back, &note()).unwrap() else {
        panic!("nothing written")
    };
    let noted = value(&ChatFile::parse(back.path(), bytes).unwrap(), message_index);
    assert_eq!(noted["extra"], message["extra"]);
    assert_eq!(
        noted["swipe_info"][1]["extra"]["tauritavern"]["agent"]["persistStateId"],
        json!("run_1")
    );
}

#[test]
fn changed_content_and_a_shortened_base_are_refused() {
    let mut wrong = commit(GenerationType::Normal, "A");
    wrong.asked.planned.sha256 = digest("B");
    assert_eq!(
        refusal(&chat(&[USER]), &wrong),
        Refusal::ContentChanged {
            expected: digest("B"),
            found: digest("A")
        }
    );

    let first = commit(GenerationType::Continue, "A");
    let (after, index) = write(&chat(&[USER, ANSWER]), &first);
    let shortened = parse(&after.text().replace("\"mes\":\"oldA\"", "\"mes\":\"o\""));
    assert_eq!(
        refusal(&shortened, &later(&first, 2, CommitMode::Replace, "B")),
        Refusal::BaseTextGone { index }
    );
}

#[test]
fn a_kept_state_is_noted_once_and_nothing_else_changes() {
    let (after, index) = write(&chat(&[USER]), &commit(GenerationType::Normal, "A"));
    let CommitPlan::Write { bytes, message_index } = plan_state_update(&after, &note()).unwrap() else {
        panic!("nothing written")
    };
    let noted = ChatFile::parse(after.path(), bytes).unwrap();
    let mut expected = value(&after, index);
    for extra in ["/extra", "/swipe_info/0/extra"] {
        let agent = expected
            .pointer_mut(extra)
            .unwrap()
            .pointer_mut("/tauritavern/agent")
            .unwrap()
            .as_object_mut()
            .unwrap();
        agent.insert("persistStateId".into(), json!("run_1"));
        agent.insert("persistBaseStateId".into(), json!("run_0"));
        agent.insert("persistStateStatus".into(), json!("committed"));
        agent.insert("persistChangeCount".into(), json!(2));
    }
    assert_eq!((message_index, value(&noted, index)), (index, expected));
    assert_eq!(
        plan_state_update(&noted, &note()).unwrap(),
        CommitPlan::AlreadyApplied { message_index }
    );
    assert_eq!(
        plan_state_update(&chat(&[USER]), &note()).unwrap_err().code(),
        "agent.chat_commit_rejected"
    );
}

#[test]
fn unknown_keys_of_the_runs_metadata_stay() {
    let first = commit(GenerationType::Normal, "A");
    let (after, index) = write(&chat(&[USER]), &first);
    let marked = parse(
        &after
            .text()
            .replace("\"version\":2,", "\"version\":2,\"theirs\":{ \"x\":1e400},"),
    );
    let (next, _) = write(&marked, &later(&first, 2, CommitMode::Replace, "B"));
    assert_eq!(
        raw(&next, index, "extra").matches("\"theirs\":{ \"x\":1e400}").count(),
        1
    );
}

#[test]
fn the_speaker_is_the_last_one_who_answered() {
    let note = r#"{"name":"Note","is_system":true,"mes":"n"}"#;
    let nameless = r#"{"name":" ","mes":"x"}"#;
    assert_eq!(
        speaker_name(&chat(&[ANSWER, USER, note, nameless]), Some("Card")).unwrap(),
        "Alice"
    );
    assert_eq!(speaker_name(&chat(&[USER, note]), Some(" Card ")).unwrap(), "Card");
    assert_eq!(
        speaker_name(&chat(&[USER]), Some(" ")).unwrap_err().code(),
        "store.chat_speaker_unknown"
    );
}

#[test]
fn a_group_member_keeps_avatar_keys() {
    let alice = r#"{"name":"Alice","mes":"a","original_avatar":"alice.png","force_avatar":"/thumb?x=1"}"#;
    let bob = r#"{"name":"Bob","mes":"b","original_avatar":"bob.png"}"#;
    let (after, index) = write(
        &parse(&[bob, USER, alice, USER].join("\n")),
        &commit(GenerationType::Normal, "A"),
    );
    let message = value(&after, index);
    assert_eq!(
        (&message["original_avatar"], &message["force_avatar"]),
        (&json!("alice.png"), &json!("/thumb?x=1"))
    );

    let (after, index) = write(&parse(&[alice, bob].join("\n")), &commit(GenerationType::Normal, "A"));
    assert_eq!(
        value(&after, index).get("original_avatar"),
        None,
        "the last speaker is someone else"
    );
}
