//! Reads: headings, continuation, structured form, codes.

use innkeeper_tool::{Failure, Reply, arguments};
use serde_json::{Value, json};

use super::read_file;
use crate::fake::{Fake, code, digest, message, structured};
use crate::port::PathError;

fn read(fake: &mut Fake, json: Value) -> Result<Reply, Failure> {
    let arguments = arguments(&json.to_string())?;
    fake.call(|fake| read_file(&arguments, fake))
}

const BEATS: &str = "open on the pier\nthe lamp is out\nc d\ne f\ng";

#[test]
fn a_line_read_has_a_heading_numbers_and_the_next_arguments() {
    let mut fake = Fake::with(&[("plan/beats.md", BEATS)]);
    let reply = read(&mut fake, json!({"path": "./plan//beats.md", "line_count": 2})).unwrap();
    let expected = "plan/beats.md lines 1-2 of 5, chars 32 of 42, words 8 of 13 (preview)\n\
        1 | open on the pier\n2 | the lamp is out\n\n(more: workspace_read_file path=\"plan/beats.md\" start_line=3 line_count=2)";
    assert_eq!(reply.text, expected);
    assert_eq!(reply.resource_refs, ["plan/beats.md"]);
    let expected = json!({
        "path": "plan/beats.md", "sha256": digest(BEATS),
        "chars": 32, "words": 8, "totalChars": 42, "totalWords": 13,
        "totalLines": 5, "startLine": 1, "endLine": 2, "nextStartLine": 3,
        "lineTruncated": false, "truncated": true, "fullRead": false,
    });
    assert_eq!(structured(&reply), expected);
}

#[test]
fn a_read_from_the_middle_to_the_end_is_a_preview_without_continuation() {
    let mut fake = Fake::with(&[("plan/beats.md", BEATS)]);
    let reply = read(&mut fake, json!({"path": "plan/beats.md", "start_line": 5})).unwrap();
    assert_eq!(
        reply.text,
        "plan/beats.md lines 5-5 of 5, chars 1 of 42, words 1 of 13 (preview)\n5 | g"
    );
    let form = structured(&reply);
    assert_eq!((&form["truncated"], form.get("nextStartLine")), (&json!(true), None));
}

#[test]
fn a_char_read_shows_the_raw_slice_and_its_place() {
    let mut fake = Fake::with(&[("plan/beats.md", BEATS)]);
    let reply = read(
        &mut fake,
        json!({"path": "plan/beats.md", "start_char": 10, "max_chars": 10}),
    )
    .unwrap();
    let expected = "plan/beats.md chars 10..20 of 42, words 3 of 13 (preview)\ne pier\nthe\n\n\
        (more: workspace_read_file path=\"plan/beats.md\" start_char=20 max_chars=10)";
    assert_eq!(reply.text, expected);
    assert_eq!(reply.resource_refs, ["plan/beats.md:chars=10..20"]);
    let expected = json!({
        "path": "plan/beats.md", "sha256": digest(BEATS),
        "chars": 10, "words": 3, "totalChars": 42, "totalWords": 13,
        "startChar": 10, "endChar": 20, "truncated": true, "fullRead": false,
    });
    assert_eq!(structured(&reply), expected);
}

#[test]
fn an_empty_file_is_fully_read_at_once() {
    let mut fake = Fake::with(&[("plan/e.md", "")]);
    let reply = read(&mut fake, json!({"path": "plan/e.md", "start_line": 1})).unwrap();
    assert_eq!(reply.text, "plan/e.md is empty, chars 0 of 0, words 0 of 0");
    assert_eq!(structured(&reply)["fullRead"], json!(true));
    assert!(read(&mut fake, json!({"path": "plan/e.md", "start_char": 0})).is_ok());
    let second = read(&mut fake, json!({"path": "plan/e.md", "start_line": 2}));
    assert_eq!(code(&second), "workspace.invalid_line_range");
    let second = read(&mut fake, json!({"path": "plan/e.md", "start_char": 1}));
    assert_eq!(code(&second), "workspace.invalid_char_range");
}

#[test]
fn a_long_file_is_read_in_three_pages() {
    let mut fake = Fake::with(&[("plan/long.md", &vec!["l"; 2_500].join("\n"))]);
    let pages: Vec<(Value, Value)> = [1, 1_201, 2_401]
        .map(|start| read(&mut fake, json!({"path": "plan/long.md", "start_line": start})).unwrap())
        .iter()
        .map(structured)
        .map(|form| (form["nextStartLine"].clone(), form["fullRead"].clone()))
        .collect();
    let expected = [
        (json!(1_201), json!(false)),
        (json!(2_401), json!(false)),
        (Value::Null, json!(true)),
    ];
    assert_eq!(pages, expected);
}

#[test]
fn a_line_that_is_too_long_is_cut_and_its_rest_named() {
    let mut fake = Fake::with(&[("plan/wide.md", &format!("{}\nend", "x".repeat(80_001)))]);
    let reply = read(&mut fake, json!({"path": "plan/wide.md"})).unwrap();
    let notes = "\n\n(line 1 was cut; its rest: workspace_read_file path=\"plan/wide.md\" start_char=80000)\n\
        (more: workspace_read_file path=\"plan/wide.md\" start_line=2 line_count=1)";
    assert!(reply.text.ends_with(notes), "{}", &reply.text[reply.text.len() - 200..]);
    let form = structured(&reply);
    assert_eq!(
        (&form["lineTruncated"], &form["fullRead"]),
        (&json!(true), &json!(false))
    );
    read(
        &mut fake,
        json!({"path": "plan/wide.md", "start_char": 80_000, "max_chars": 1}),
    )
    .unwrap();
    let last = read(&mut fake, json!({"path": "plan/wide.md", "start_line": 2})).unwrap();
    assert_eq!(structured(&last)["fullRead"], json!(true));
}

#[test]
fn the_largest_numbers_are_clamped() {
    let mut fake = Fake::with(&[("plan/a.md", "a\nb")]);
    for range in [
        json!({"line_count": u64::MAX}),
        json!({"max_chars": 100_000}),
        json!({"max_chars": u64::MAX}),
    ] {
        let mut call = range.clone();
        call["path"] = json!("plan/a.md");
        assert_eq!(
            structured(&read(&mut fake, call).unwrap())["truncated"],
            json!(false),
            "{range}"
        );
    }
}

#[test]
fn null_is_absent_and_a_whole_float_is_an_integer() {
    let mut fake = Fake::with(&[("plan/a.md", "a\nb\nc")]);
    let reply = read(
        &mut fake,
        json!({"path": "plan/a.md", "start_line": 2.0, "max_chars": null}),
    )
    .unwrap();
    assert!(reply.text.starts_with("plan/a.md lines 2-3 of 3"), "{}", reply.text);
    for bad in [json!(-1), json!(1e30)] {
        let refused = read(&mut fake, json!({"path": "plan/a.md", "start_line": bad}));
        assert_eq!(code(&refused), "tool.invalid_arguments");
        assert!(message(&refused).contains("/start_line"), "{}", message(&refused));
    }
}

#[test]
fn checks_in_order_path_mixing_storage_range() {
    let mut fake = Fake::with(&[("plan/a.md", "a\nb")]);
    fake.broken.insert("plan/bin".into(), PathError::NotText);
    fake.broken.insert("plan/big".into(), PathError::TooLarge(16_777_217));
    let mixed = json!({"start_line": 1, "max_chars": 1});
    let table = [
        (" ", mixed.clone(), "tool.invalid_arguments"),
        (".", mixed.clone(), "workspace.invalid_path"),
        ("events.jsonl", mixed.clone(), "workspace.path_not_visible"),
        ("plan/none", mixed, "workspace.mixed_read_range"),
        ("plan/none", json!({"start_line": 0}), "workspace.file_not_found"),
        ("plan", json!({}), "workspace.path_is_directory"),
        ("plan/bin", json!({"start_char": 9}), "workspace.file_not_text"),
        ("plan/big", json!({}), "workspace.file_too_large"),
        ("plan/a.md", json!({"start_line": 0}), "workspace.invalid_line_range"),
        ("plan/a.md", json!({"line_count": 0}), "workspace.invalid_line_range"),
        ("plan/a.md", json!({"start_line": 3}), "workspace.invalid_line_range"),
        ("plan/a.md", json!({"start_char": 3}), "workspace.invalid_char_range"),
        ("plan/a.md", json!({"max_chars": 0}), "workspace.invalid_char_range"),
    ];
    for (path, mut call, expected) in table {
        call["path"] = json!(path);
        assert_eq!(code(&read(&mut fake, call.clone())), expected, "{call}");
    }
    let directory = read(&mut fake, json!({"path": "plan"}));
    assert!(
        message(&directory).contains("\"plan\" is a directory"),
        "{}",
        message(&directory)
    );
}

#[test]
fn a_missing_file_may_be_created_only_where_files_may_be_written() {
    let mut fake = Fake::default();
    let refused = |fake: &mut Fake, path: &str| read(fake, json!({ "path": path })).expect_err("no file").message;
    assert_eq!(
        refused(&mut fake, "plan/none.md"),
        "There is no file \"plan/none.md\". Call workspace_list_files to see what there is, or workspace_write_file to create it."
    );
    assert_eq!(
        refused(&mut fake, "tool-results/none.txt"),
        "There is no file \"tool-results/none.txt\". Call workspace_list_files to see what there is."
    );
    assert_eq!(
        refused(&mut fake, "Plan/none.md"),
        "\"Plan/none.md\" is outside the folders that you can see; they are plan/, output/, tool-results/. Case counts: call \
         again with path \"plan/none.md\"."
    );
}
