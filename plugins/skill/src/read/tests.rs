//! Reads: words, structured form, budgets, order of checks, codes.

use innkeeper_tool::arguments;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::read;
use crate::LibraryError;
use crate::fake::{Fake, code, digest, message, structured};
use innkeeper_tool::{Failure, Reply};

fn call(fake: &mut Fake, json: Value) -> Result<Reply, Failure> {
    let arguments = arguments(&json.to_string())?;
    fake.call(|fake| read(&arguments, fake))
}

fn part(fake: &mut Fake, json: Value) -> Value {
    structured(&call(fake, json).expect("a reply"))
}

#[test]
fn without_a_path_the_instructions_are_shown() {
    let mut fake = Fake::lore(&[("SKILL.md", "# Lore\nKeep to the facts.")]);
    let reply = call(&mut fake, json!({"name": " lore ", "path": " "})).expect("a reply");
    assert_eq!(
        reply.text,
        "skill lore file SKILL.md lines 1-2 of 2, 25 of 25 chars, 5 of 5 words ref skills/lore/SKILL.md\n\
         1 | # Lore\n2 | Keep to the facts.\n(left of the read budget for skills: 79975 characters)"
    );
    assert_eq!(reply.resource_refs, ["skills/lore/SKILL.md"]);
    assert_eq!(fake.left, 79_975);
    assert_eq!(
        call(&mut fake, json!({"name": "lore", "path": null}))
            .expect("a reply")
            .resource_refs,
        reply.resource_refs
    );
}

#[test]
fn a_line_range_for_programs() {
    let text = "one\ntwo\nthree";
    let mut fake = Fake::lore(&[("references/a.md", text)]);
    let reply = call(
        &mut fake,
        json!({"name": "lore", "path": ".//references/a.md", "start_line": 2, "line_count": 1}),
    )
    .expect("a reply");
    let expected = json!({
        "name": "lore", "path": "references/a.md", "sha256": digest(text), "chars": 3, "words": 1,
        "totalChars": 13, "totalWords": 3, "totalLines": 3, "startLine": 2, "endLine": 2, "nextStartLine": 3,
        "lineTruncated": false, "truncated": true, "resourceRef": "skills/lore/references/a.md",
    });
    assert_eq!(structured(&reply), expected);
    assert_eq!(
        reply.text,
        "skill lore file references/a.md lines 2-2 of 3, 3 of 13 chars, 1 of 3 words ref skills/lore/references/a.md \
         (preview)\n2 | two\n\
         [More: call skill_read with {\"name\": \"lore\", \"path\": \"references/a.md\", \"start_line\": 3, \"line_count\": 1}]\n\
         (left of the read budget for skills: 79997 characters)"
    );
    assert_eq!(reply.resource_refs, ["skills/lore/references/a.md"]);
}

#[test]
fn a_character_range_is_raw_and_in_the_ref() {
    let mut fake = Fake::lore(&[("SKILL.md", "0123456789abcdefghijklmnopqrstuvwxyz")]);
    let reply = call(&mut fake, json!({"name": "lore", "start_char": 10, "max_chars": 10})).expect("a reply");
    assert_eq!(
        reply.text,
        "skill lore file SKILL.md characters 10..20, 10 of 36 chars, 1 of 1 words ref skills/lore/SKILL.md:chars=10..20 \
         (preview)\nabcdefghij\n\
         [More: call skill_read with {\"name\": \"lore\", \"path\": \"SKILL.md\", \"start_char\": 20, \"max_chars\": 10}]\n\
         (left of the read budget for skills: 79990 characters)"
    );
    assert_eq!(reply.resource_refs, ["skills/lore/SKILL.md:chars=10..20"]);
    let form = structured(&reply);
    assert_eq!(
        (
            &form["resourceRef"],
            &form["startChar"],
            &form["endChar"],
            &form["totalLines"]
        ),
        (&json!("skills/lore/SKILL.md"), &json!(10), &json!(20), &Value::Null)
    );
}

#[test]
fn the_budgets_cap_a_read_and_nothing_else_does() {
    let text = "x".repeat(90_000);
    let mut fake = Fake::lore(&[("SKILL.md", &text)]).with_budget(100_000, 100_000);
    assert_eq!(part(&mut fake, json!({"name": "lore"}))["chars"], 90_000);
    assert_eq!(fake.left, 10_000);
    assert_eq!(part(&mut fake, json!({"name": "lore"}))["chars"], 10_000);
    assert_eq!(
        code(&call(&mut fake, json!({"name": "lore"}))),
        "skill.read_budget_exhausted"
    );
    let lines = "\n".repeat(5_000);
    let mut fake = Fake::lore(&[("SKILL.md", &lines)]);
    assert_eq!(part(&mut fake, json!({"name": "lore"}))["endLine"], 5_001);
}

#[test]
fn a_preview_has_whole_lines_or_says_where_a_line_was_cut() {
    let mut fake = Fake::lore(&[("SKILL.md", "12345\n12345\n1234567890123456789")]).with_budget(12, 30);
    let reply = call(&mut fake, json!({"name": "lore"})).expect("a reply");
    let next = "[More: call skill_read with {\"name\": \"lore\", \"path\": \"SKILL.md\", \"start_line\": 3, \"line_count\": 2}]\n\
        (left of the read budget for skills: 19 characters)";
    assert!(reply.text.ends_with(next), "{}", reply.text);
    let reply = call(&mut fake, json!({"name": "lore", "start_line": 3})).expect("a reply");
    let next = "[Line 3 was cut: call skill_read with {\"name\": \"lore\", \"path\": \"SKILL.md\", \"start_char\": 24}]\n\
        (left of the read budget for skills: 7 characters)";
    assert!(reply.text.ends_with(next), "{}", reply.text);
    let reply = call(&mut fake, json!({"name": "lore", "start_char": 24, "max_chars": 99})).expect("a reply");
    let next = "\n3456789\n(the read budget for skills is now used up: no more can be read)";
    assert!(reply.text.ends_with(next), "{}", reply.text);
    assert_eq!(fake.left, 0);
}

#[test]
fn an_empty_file_can_be_read_and_costs_nothing() {
    let mut fake = Fake::lore(&[("SKILL.md", "")]);
    let reply = call(&mut fake, json!({"name": "lore"})).expect("a reply");
    assert_eq!(
        reply.text,
        "skill lore file SKILL.md is empty, 0 of 0 chars, 0 of 0 words ref skills/lore/SKILL.md\n\
         (left of the read budget for skills: 80000 characters)"
    );
    let chars = call(&mut fake, json!({"name": "lore", "start_char": 0})).expect("a reply");
    assert_eq!(chars.resource_refs, ["skills/lore/SKILL.md:chars=0..0"]);
}

#[test]
fn checks_name_policy_set_budget_path_mixing_file_range() {
    let mut fake = Fake::lore(&[("SKILL.md", "one\ntwo"), ("references/a.md", "x")]);
    let table = [
        (json!({"name": " ", "path": ".."}), "tool.invalid_arguments"),
        (json!({"name": "lore", "start_line": -1}), "tool.invalid_arguments"),
        (json!({"name": "Lore"}), "skill.invalid_request"),
        (json!({"name": "secret", "path": ".."}), "skill.policy_denied"),
        (json!({"name": "other", "path": ".."}), "skill.not_visible"),
        (json!({"name": "lore", "path": ".."}), "skill.invalid_request"),
        (json!({"name": "lore", "path": "."}), "skill.invalid_request"),
        (json!({"name": "lore", "path": ".git/config"}), "skill.invalid_request"),
        (
            json!({"name": "lore", "path": "no", "start_line": 1, "start_char": 0}),
            "skill.invalid_request",
        ),
        (
            json!({"name": "lore", "path": "no", "start_line": 0}),
            "skill.not_found",
        ),
        (json!({"name": "lore", "path": "references"}), "skill.invalid_request"),
    ];
    for (arguments, expected) in table {
        assert_eq!(code(&call(&mut fake, arguments.clone())), expected, "{arguments}");
        assert_eq!(fake.left, 80_000);
    }
    let mut spent = Fake::lore(&[]).with_budget(10, 0);
    assert_eq!(
        code(&call(&mut spent, json!({"name": "lore", "path": ".."}))),
        "skill.read_budget_exhausted"
    );
    assert_eq!(code(&call(&mut spent, json!({"name": "other"}))), "skill.not_visible");
}

#[test]
fn ranges_that_are_not_there_are_refused() {
    let mut fake = Fake::lore(&[("SKILL.md", "one\ntwo"), ("empty.md", "")]);
    for (path, range) in [
        ("SKILL.md", json!({"start_line": 0})),
        ("SKILL.md", json!({"line_count": 0})),
        ("SKILL.md", json!({"start_line": 3})),
        ("SKILL.md", json!({"max_chars": 0})),
        ("SKILL.md", json!({"start_char": 7})),
        ("empty.md", json!({"start_line": 2})),
        ("empty.md", json!({"start_char": 1})),
        ("SKILL.md", json!({"line_count": 1, "max_chars": 1})),
    ] {
        let mut arguments = range.clone();
        (arguments["name"], arguments["path"]) = (json!("lore"), json!(path));
        assert_eq!(code(&call(&mut fake, arguments)), "skill.invalid_request", "{range}");
    }
    let refused = call(&mut fake, json!({"name": "lore", "start_line": 3}));
    assert_eq!(
        message(&refused),
        "File \"SKILL.md\" of skill \"lore\" has no such part: start_line 3 was asked for, but it has 2 lines and 7 \
         characters. Nothing was read. Call again with start_line from 1 or start_char from 0 inside it, and counts \
         of at least 1."
    );
}

#[test]
fn a_bad_path_is_said_before_mixing_and_mixing_before_a_missing_file() {
    let mut fake = Fake::lore(&[("SKILL.md", "x")]);
    let mixed = |path: &str| json!({"name": "lore", "path": path, "start_line": 1, "max_chars": 1});
    let bad = call(&mut fake, mixed("a/../b"));
    assert_eq!(
        message(&bad),
        "\"a/../b\" cannot be read in a skill: it is no path of a skill. Call again with the path of a \
         text file from the skill's folder, as \"references/style.md\", or without path."
    );
    let missing = call(&mut fake, mixed("no.md"));
    assert_eq!(
        message(&missing),
        "File \"no.md\" of skill \"lore\" was asked for by lines and by characters at once. Nothing was read. Call again \
         with start_line and line_count, or with start_char and max_chars."
    );
}

#[test]
fn a_file_that_is_no_text_and_one_that_is_missing_say_so() {
    let mut fake = Fake::lore(&[]);
    fake.broken
        .insert("logo.png".into(), LibraryError::Invalid("it is not UTF-8 text".into()));
    let binary = call(&mut fake, json!({"name": "lore", "path": "logo.png"}));
    assert_eq!(code(&binary), "skill.invalid_request");
    assert!(message(&binary).starts_with("\"logo.png\" cannot be read in a skill: it is not UTF-8 text. Call again"));
    let missing = call(&mut fake, json!({"name": "lore", "path": "a.md"}));
    assert_eq!(
        message(&missing),
        "File \"a.md\" of skill \"lore\" does not exist. Call skill_read without path, because SKILL.md says which files \
         there are, or skill_search without path."
    );
    let instructions = call(&mut fake, json!({"name": "lore"}));
    assert_eq!(
        message(&instructions),
        "Skill \"lore\" has no file \"SKILL.md\". Call skill_search with its name and without path to find what else is \
         in it."
    );
}

#[test]
fn a_hidden_skill_is_refused_alike_whether_or_not_it_exists() {
    let mut fake = Fake::lore(&[("SKILL.md", "x")]);
    let refused = message(&call(&mut fake, json!({"name": "secret"}))).to_owned();
    fake.descriptions.insert("secret".into(), "Hidden.".into());
    assert_eq!(message(&call(&mut fake, json!({"name": "secret"}))), refused);
    fake.denied.insert("*".into());
    assert_eq!(code(&call(&mut fake, json!({"name": "lore"}))), "skill.policy_denied");
}

#[test]
fn a_path_of_the_workspace_kind_is_turned_into_one_of_the_skill() {
    let mut fake = Fake::lore(&[("a.md", "x")]);
    let rule = "`/a.md` is not a workspace path: it begins with `/`; paths are relative to the workspace, such as `b`";
    fake.broken.insert("a.md".into(), LibraryError::Invalid(rule.into()));
    let refused = call(&mut fake, json!({"name": "lore", "path": "a.md"}));
    assert_eq!(
        message(&refused),
        "\"a.md\" cannot be read in a skill: it begins with `/`. Call again with the path of a text file from the skill's \
         folder, as \"references/style.md\", or without path."
    );
    let slash = call(&mut fake, json!({"name": "lore", "path": "/b.md"}));
    assert!(
        message(&slash).ends_with("Call again with path \"b.md\", from the skill's folder, or without path."),
        "{}",
        message(&slash)
    );
}

#[test]
fn what_cannot_be_read_any_more_is_no_next_call() {
    let mut fake = Fake::lore(&[("SKILL.md", "0123456789")]).with_budget(20, 8);
    let reply = call(&mut fake, json!({"name": "lore"})).expect("a reply");
    assert!(
        reply.text.ends_with(
            "\n1 | 01234567\n[More follows from \"start_char\": 8, but it can no longer be read.]\n(the read budget for skills is \
             now used up: no more can be read)"
        ),
        "{}",
        reply.text
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Following what each reply says to call next shows the whole file and charges each character once.
    #[test]
    fn following_the_continuations_shows_everything(
        text in "[a-cß 雨🌧\\r\\n]{0,300}|[a雨]{0,300}",
        per_call in 1_u32..80,
    ) {
        let mut fake = Fake::lore(&[("SKILL.md", &text)]).with_budget(per_call, 80_000);
        let mut next = json!({"name": "lore"});
        let mut seen = String::new();
        let mut charged = 0;
        loop {
            let reply = call(&mut fake, next).expect("a reply");
            let form = structured(&reply);
            charged += form["chars"].as_u64().expect("chars");
            if form["startLine"].as_u64() > Some(1) {
                seen.push('\n');
            }
            seen.push_str(&raw(&reply, &form));
            let Some((_, more)) = reply.text.rsplit_once(": call skill_read with ") else { break };
            let (more, _) = more.rsplit_once("]\n").expect("an end");
            next = serde_json::from_str(more).expect("JSON");
        }
        prop_assert_eq!(seen, text);
        prop_assert_eq!(u64::from(80_000 - fake.left), charged);
    }
}

/// The text in a reply, without line numbers.
fn raw(reply: &Reply, form: &Value) -> String {
    let (_, rest) = reply.text.split_once('\n').expect("a body or a note");
    let end = ["[More: ", "[Line ", "(left of "]
        .iter()
        .filter_map(|note| rest.find(note))
        .min();
    let body = &rest[..end.expect("a note")];
    let body = body.strip_suffix('\n').unwrap_or(body);
    if form["startLine"].is_null() {
        return body.to_owned();
    }
    let lines = body
        .split('\n')
        .map(|line| line.split_once(" | ").map_or("", |(_, line)| line));
    lines.collect::<Vec<_>>().join("\n")
}
