//! Searches: walk, order, words, structured form, codes.

use innkeeper_tool::{Failure, Reply, arguments};
use serde_json::{Value, json};

use super::search_files;
use crate::fake::{Fake, code, digest, structured};
use crate::port::PathError;

fn search(fake: &mut Fake, json: Value) -> Result<Reply, Failure> {
    let arguments = arguments(&json.to_string())?;
    fake.call(|fake| search_files(&arguments, fake))
}

#[test]
fn shows_numbered_places_with_score_and_ref() {
    let text = "nothing\na Silver door\nend";
    let mut fake = Fake::with(&[("plan/a.md", text)]);
    let reply = search(&mut fake, json!({"query": " silver key, door! ", "context_lines": 1})).unwrap();
    let expected = "1 place for \"silver key, door!\"; workspace_read_file with start_line and line_count shows more around a \
        place\n\nplan/a.md score 0.769 ref workspace:plan/a.md#L1-L3\n1 | nothing\n2 | a Silver door\n3 | end";
    assert_eq!(reply.text, expected);
    assert_eq!(reply.resource_refs, ["workspace:plan/a.md#L1-L3"]);
    let snippet = "1 | nothing\n2 | a Silver door\n3 | end";
    let mut form = structured(&reply);
    let score = form["hits"][0]["score"].take().as_f64().unwrap();
    assert!((score - 10.0 / 13.0).abs() < 1e-6, "{score}");
    let expected = json!({
        "query": "silver key, door!",
        "hits": [{
            "path": "plan/a.md", "score": null, "startLine": 1, "endLine": 3, "snippet": snippet,
            "chars": 37, "words": 8, "sha256": digest(text), "ref": "workspace:plan/a.md#L1-L3",
        }],
        "searchedFiles": 1, "skippedFiles": 0, "truncated": false,
    });
    assert_eq!(form, expected);
}

#[test]
fn hits_of_all_files_are_ordered_and_cut_to_the_limit() {
    let mut fake = Fake::with(&[
        ("plan/b.md", "key\n\nkey door"),
        ("output/c.md", "key door"),
        ("tool-results/d.txt", "key"),
    ]);
    let call = json!({"query": "key door", "context_lines": 0, "limit": 3});
    let reply = search(&mut fake, call).unwrap();
    let refs = [
        "workspace:output/c.md#L1-L1",
        "workspace:plan/b.md#L3-L3",
        "workspace:plan/b.md#L1-L1",
    ];
    assert_eq!(reply.resource_refs, refs);
    let form = structured(&reply);
    assert_eq!((&form["truncated"], &form["searchedFiles"]), (&json!(true), &json!(3)));
    let whole = search(&mut fake, json!({"query": "key door", "context_lines": 0, "limit": 4})).unwrap();
    assert_eq!(structured(&whole)["truncated"], json!(false));
}

#[test]
fn more_places_in_one_file_than_the_limit_are_truncated() {
    let mut fake = Fake::with(&[("plan/a.md", "key\nkey")]);
    let reply = search(
        &mut fake,
        json!({"query": "key", "context_lines": 0, "limit": 1, "path": "plan"}),
    )
    .unwrap();
    assert_eq!(structured(&reply)["truncated"], json!(true));
    assert!(
        reply
            .text
            .ends_with("(best 1; more match: raise limit, up to 50, or narrow the query or the path)"),
        "{}",
        reply.text
    );
}

#[test]
fn nothing_found_is_a_success() {
    let mut fake = Fake::with(&[("plan/a.md", "key")]);
    let table = [
        (
            json!({"query": "?!"}),
            "No hits: \"?!\" has no word, only signs, so there is nothing to look for. Call again with words.",
        ),
        (
            json!({"query": "door"}),
            "No hits: in the folders that you can see no line of the 1 file searched holds a word of \"door\".",
        ),
        (
            json!({"query": "door", "path": "plan"}),
            "No hits: in \"plan\" no line of the 1 file searched holds a word of \"door\".",
        ),
    ];
    for (query, words) in table {
        let reply = search(&mut fake, query).unwrap();
        assert_eq!((reply.text.as_str(), &structured(&reply)["hits"]), (words, &json!([])));
    }
    assert!(search(&mut Fake::default(), json!({"query": "x"})).is_ok());
}

#[test]
fn files_that_cannot_be_searched_are_counted() {
    let mut fake = Fake::with(&[("plan/a.md", "key"), ("plan/b", ""), ("plan/c", ""), ("plan/gone", "")]);
    fake.broken.insert("plan/b".into(), PathError::NotText);
    fake.broken.insert("plan/c".into(), PathError::TooLarge(17_000_000));
    fake.broken.insert("plan/gone".into(), PathError::NotFound);
    fake.skipped = 2;
    let reply = search(&mut fake, json!({"query": "key", "path": "plan"})).unwrap();
    let form = structured(&reply);
    assert_eq!((&form["searchedFiles"], &form["skippedFiles"]), (&json!(1), &json!(5)));
    assert!(
        reply
            .text
            .ends_with("(files and links skipped, because they cannot be searched: 5)"),
        "{}",
        reply.text
    );
}

#[test]
fn a_walk_ends_at_a_thousand_files() {
    let mut fake = Fake::default();
    fake.files
        .extend((0..1_000).map(|number| (format!("plan/{number:04}"), "x".to_owned())));
    let all = structured(&search(&mut fake, json!({"query": "key"})).unwrap());
    assert_eq!(
        (&all["searchedFiles"], &all["truncated"]),
        (&json!(1_000), &json!(false))
    );
    fake.files.insert("output/last".into(), "key".into());
    let cut = structured(&search(&mut fake, json!({"query": "key"})).unwrap());
    assert_eq!(
        (&cut["searchedFiles"], &cut["truncated"], &cut["hits"]),
        (&json!(1_000), &json!(true), &json!([]))
    );
}

#[test]
fn an_endless_line_does_not_fill_the_reply() {
    let mut fake = Fake::with(&[("plan/a.md", &format!("key{}", "x".repeat(100_000)))]);
    let reply = search(&mut fake, json!({"query": "key"})).unwrap();
    assert_eq!(structured(&reply)["hits"][0]["chars"], json!(8_007));
}

#[test]
fn checks_query_path_visibility_limit_context_storage() {
    let mut fake = Fake::with(&[("plan/a.md", "key")]);
    let table = [
        (json!({"query": " ", "path": ".."}), "tool.invalid_arguments"),
        (
            json!({"query": "a", "path": "..", "limit": 0}),
            "workspace.invalid_path",
        ),
        (
            json!({"query": "a", "path": "input", "limit": 0}),
            "workspace.path_not_visible",
        ),
        (
            json!({"query": "a", "path": "plan/none", "limit": 0, "context_lines": 6}),
            "workspace.search_limit_invalid",
        ),
        (
            json!({"query": "a", "limit": 51, "context_lines": 6}),
            "workspace.search_limit_too_large",
        ),
        (
            json!({"query": "a", "limit": u64::MAX}),
            "workspace.search_limit_too_large",
        ),
        (
            json!({"query": "a", "path": "plan/none", "context_lines": 6}),
            "workspace.search_context_too_large",
        ),
        (json!({"query": "?", "path": "plan/none"}), "workspace.path_not_found"),
    ];
    for (call, expected) in table {
        assert_eq!(code(&search(&mut fake, call.clone())), expected, "{call}");
    }
}
