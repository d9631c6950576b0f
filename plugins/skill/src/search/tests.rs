//! Searches: words, structured form, what is charged, order of checks, codes.

use innkeeper_tool::{Failure, Reply, arguments};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::search;
use crate::LibraryError;
use crate::fake::{Fake, code, digest, message, structured};

fn call(fake: &mut Fake, json: Value) -> Result<Reply, Failure> {
    let arguments = arguments(&json.to_string())?;
    fake.call(|fake| search(&arguments, fake))
}

#[test]
fn shows_numbered_places_with_score_and_ref() {
    let text = "nothing\na Silver door\nend";
    let mut fake = Fake::lore(&[("references/a.md", text), ("SKILL.md", "# Lore")]);
    let arguments = json!({"name": " lore ", "query": " silver key, door! ", "context_lines": 1});
    let reply = call(&mut fake, arguments).expect("a reply");
    assert_eq!(
        reply.text,
        "1 place in skill lore for \"silver key, door!\"; skill_read with name, path, start_line and line_count shows \
         more around a place\n\nreferences/a.md score 0.769 ref skills/lore/references/a.md#L1-L3\n\
         1 | nothing\n2 | a Silver door\n3 | end\n\n(left of the read budget for skills: 79963 characters)"
    );
    assert_eq!(reply.resource_refs, ["skills/lore/references/a.md#L1-L3"]);
    let mut form = structured(&reply);
    let score = form["hits"][0]["score"].take().as_f64().expect("a score");
    assert!((score - 10.0 / 13.0).abs() < 1e-6, "{score}");
    let expected = json!({
        "name": "lore", "query": "silver key, door!",
        "hits": [{
            "path": "references/a.md", "score": null, "startLine": 1, "endLine": 3,
            "snippet": "1 | nothing\n2 | a Silver door\n3 | end", "chars": 37, "words": 8, "sha256": digest(text),
            "resourceRef": "skills/lore/references/a.md#L1-L3",
        }],
        "searchedFiles": 2, "skippedFiles": 0, "truncated": false, "returnedChars": 37, "returnedWords": 8,
    });
    assert_eq!(form, expected);
    assert_eq!(fake.left, 79_963);
}

#[test]
fn nothing_found_is_a_success_that_costs_nothing() {
    let mut fake = Fake::lore(&[("SKILL.md", "key")]);
    for (query, words) in [
        (
            "door",
            "No hits: in skill lore no line of the 1 file searched holds a word of \"door\".",
        ),
        (
            "?!",
            "No hits: \"?!\" has no word, only signs, so there is nothing to look for. Call again with words.",
        ),
    ] {
        let reply = call(&mut fake, json!({"name": "lore", "query": query})).expect("a reply");
        assert_eq!(
            reply.text,
            format!("{words}\n\n(left of the read budget for skills: 80000 characters)")
        );
        assert_eq!(structured(&reply)["returnedChars"], 0);
    }
}

#[test]
fn a_path_narrows_the_search() {
    let mut fake = Fake::lore(&[("SKILL.md", "key"), ("a/b.md", "key"), ("a.md", "key")]);
    for (path, searched) in [
        (json!("a/"), 1),
        (json!("a/b.md"), 1),
        (json!(null), 3),
        (json!(" "), 3),
        (json!("."), 3),
        (json!("./."), 3),
    ] {
        let reply = call(&mut fake, json!({"name": "lore", "query": "key", "path": path})).expect("a reply");
        assert_eq!(structured(&reply)["searchedFiles"], searched, "{path}");
    }
    let missing = call(&mut fake, json!({"name": "lore", "query": "key", "path": "b"}));
    assert_eq!(code(&missing), "skill.not_found");
}

#[test]
fn files_that_cannot_be_searched_are_counted() {
    let mut fake = Fake::lore(&[("SKILL.md", "key"), ("gone.md", ""), ("link.md", "")]);
    fake.broken.insert("gone.md".into(), LibraryError::NotFound);
    fake.broken
        .insert("link.md".into(), LibraryError::Invalid("it is a link".into()));
    fake.skipped = 2;
    let reply = call(&mut fake, json!({"name": "lore", "query": "key"})).expect("a reply");
    let form = structured(&reply);
    assert_eq!((&form["searchedFiles"], &form["skippedFiles"]), (&json!(1), &json!(4)));
    let note = "\n\n(files and links skipped, because they cannot be searched: 4)\n\n\
        (left of the read budget for skills: 79993 characters)";
    assert!(reply.text.ends_with(note), "{}", reply.text);
}

#[test]
fn a_path_with_nothing_but_binaries_is_searched_without_a_hit() {
    let mut fake = Fake::lore(&[("SKILL.md", "key")]);
    fake.skipped = 1;
    let reply = call(&mut fake, json!({"name": "lore", "query": "key", "path": "assets"})).expect("a reply");
    let form = structured(&reply);
    assert_eq!((&form["searchedFiles"], &form["skippedFiles"]), (&json!(0), &json!(1)));
}

#[test]
fn what_ends_a_search_is_not_counted_as_skipped() {
    let mut fake = Fake::lore(&[("SKILL.md", "key")]);
    fake.broken.insert("SKILL.md".into(), LibraryError::NotVisible);
    let refused = call(&mut fake, json!({"name": "lore", "query": "key"}));
    assert_eq!(code(&refused), "skill.not_visible");
}

#[test]
fn more_places_than_the_limit_are_truncated() {
    let mut fake = Fake::lore(&[("b.md", "key\nx\nkey"), ("a.md", "key")]);
    let arguments = json!({"name": "lore", "query": "key", "context_lines": 0, "limit": 2});
    let reply = call(&mut fake, arguments).expect("a reply");
    assert_eq!(
        reply.resource_refs,
        ["skills/lore/a.md#L1-L1", "skills/lore/b.md#L1-L1"]
    );
    assert_eq!(structured(&reply)["truncated"], true);
    assert!(
        reply
            .text
            .contains("\n\n(best 2; more match: raise limit, up to 50, or narrow the query or the path)\n\n")
    );
}

#[test]
fn a_search_ends_at_a_thousand_files() {
    let mut fake = Fake::lore(&[]);
    let names = (0..1_001).map(|number| (("lore".to_owned(), format!("{number:04}")), "x".to_owned()));
    fake.files = names.collect();
    let form = structured(&call(&mut fake, json!({"name": "lore", "query": "key"})).expect("a reply"));
    assert_eq!(
        (&form["searchedFiles"], &form["truncated"]),
        (&json!(1_000), &json!(true))
    );
    let last = ("lore".to_owned(), "1000".to_owned());
    fake.files.remove(&last);
    let form = structured(&call(&mut fake, json!({"name": "lore", "query": "key"})).expect("a reply"));
    assert_eq!(
        (&form["searchedFiles"], &form["truncated"]),
        (&json!(1_000), &json!(false))
    );
}

#[test]
fn snippets_beyond_the_budget_are_refused_uncharged_and_fewer_work() {
    let line = format!("key{}", "x".repeat(68));
    let mut fake = Fake::lore(&[("SKILL.md", &format!("{line}\n{line}"))]).with_budget(100, 100);
    let arguments = json!({"name": "lore", "query": "key", "context_lines": 0});
    let refused = call(&mut fake, arguments.clone());
    assert_eq!(code(&refused), "skill.read_budget_exhausted");
    assert_eq!(
        message(&refused),
        "Nothing was shown or charged: the places found have 150 characters, but the read budget for skills has 100 \
         left. Call skill_search again with a lower limit, with context_lines 0, or with a narrower path or query."
    );
    assert_eq!(fake.left, 100);
    let mut fewer = arguments;
    fewer["limit"] = json!(1);
    assert_eq!(
        structured(&call(&mut fake, fewer.clone()).expect("a reply"))["returnedChars"],
        75
    );
    assert_eq!(fake.left, 25);
}

#[test]
fn a_budget_that_is_just_met_is_used_up() {
    let mut fake = Fake::lore(&[("SKILL.md", "key")]).with_budget(7, 7);
    let reply = call(&mut fake, json!({"name": "lore", "query": "key"})).expect("a reply");
    let note = "\n1 | key\n\n(the read budget for skills is now used up: no more can be read)";
    assert!(reply.text.ends_with(note), "{}", reply.text);
    let refused = call(&mut fake, json!({"name": "lore", "query": "key"}));
    assert_eq!(code(&refused), "skill.read_budget_exhausted");
}

#[test]
fn checks_name_query_policy_set_limit_context_budget_path() {
    let mut fake = Fake::lore(&[("SKILL.md", "key")]);
    let table = [
        (json!({"name": " ", "query": "a"}), "tool.invalid_arguments"),
        (json!({"name": "secret", "query": " "}), "tool.invalid_arguments"),
        (json!({"name": "lore"}), "tool.invalid_arguments"),
        (
            json!({"name": "Lore", "query": "a", "limit": 0}),
            "skill.invalid_request",
        ),
        (
            json!({"name": "secret", "query": "a", "limit": 0}),
            "skill.policy_denied",
        ),
        (json!({"name": "other", "query": "a", "limit": 0}), "skill.not_visible"),
        (
            json!({"name": "lore", "query": "a", "limit": 0, "context_lines": 6}),
            "skill.search_limit_invalid",
        ),
        (
            json!({"name": "lore", "query": "a", "limit": 51, "context_lines": 6}),
            "skill.search_limit_too_large",
        ),
        (
            json!({"name": "lore", "query": "a", "limit": u64::MAX}),
            "skill.search_limit_too_large",
        ),
        (
            json!({"name": "lore", "query": "a", "context_lines": 6, "path": ".."}),
            "skill.search_context_too_large",
        ),
        (
            json!({"name": "lore", "query": "a", "path": ".."}),
            "skill.invalid_request",
        ),
        (json!({"name": "lore", "query": "?", "path": "none"}), "skill.not_found"),
    ];
    for (arguments, expected) in table {
        assert_eq!(code(&call(&mut fake, arguments.clone())), expected, "{arguments}");
    }
    let mut spent = Fake::lore(&[]).with_budget(10, 0);
    for (arguments, expected) in [
        (
            json!({"name": "lore", "query": "a", "context_lines": 6}),
            "skill.search_context_too_large",
        ),
        (
            json!({"name": "lore", "query": "a", "path": ".."}),
            "skill.read_budget_exhausted",
        ),
    ] {
        assert_eq!(code(&call(&mut spent, arguments.clone())), expected, "{arguments}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// What is returned is what is charged, and never more than there was.
    #[test]
    fn any_search_charges_its_snippets_or_nothing(
        query in "[a-cß 雨!]{1,6}",
        texts in prop::collection::vec("[a-cß 雨\\n]{0,60}", 1..6),
        limit in 1_u64..=50,
        context in 0_u64..=5,
        left in 1_u32..200,
    ) {
        prop_assume!(!query.trim().is_empty());
        let mut fake = Fake::lore(&[]).with_budget(left, left);
        for (number, text) in texts.iter().enumerate() {
            fake.files.insert(("lore".into(), number.to_string()), text.clone());
        }
        let arguments = json!({"name": "lore", "query": query, "limit": limit, "context_lines": context});
        match call(&mut fake, arguments) {
            Ok(reply) => {
                let form = structured(&reply);
                let hits = form["hits"].as_array().expect("hits");
                let chars: usize = hits.iter().map(|hit| hit["snippet"].as_str().expect("text").chars().count()).sum();
                prop_assert_eq!(&form["returnedChars"], &json!(chars));
                prop_assert_eq!((left - fake.left) as usize, chars);
                prop_assert!(hits.len() as u64 <= limit);
            }
            Err(refused) => {
                prop_assert_eq!(refused.code.as_ref(), "skill.read_budget_exhausted");
                prop_assert_eq!(fake.left, left);
            }
        }
    }
}
