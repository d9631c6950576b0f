//! Listings: words, structured form, order of checks.

use innkeeper_tool::{Failure, Reply, Whole};
use serde_json::json;

use super::{ListArguments, list_files};
use crate::fake::{Fake, code, message, structured};

fn list(fake: &mut Fake, path: Option<&str>, depth: Option<u64>) -> Result<Reply, Failure> {
    let arguments = ListArguments {
        path: path.map(str::to_owned),
        depth: depth.map(Whole),
    };
    fake.call(|fake| list_files(&arguments, fake))
}

#[test]
fn lists_one_path_per_line_with_a_slash_after_folders() {
    let mut fake = Fake::with(&[("plan/beats.md", "x"), ("plan/a/b.md", "y")]);
    let reply = list(&mut fake, Some("plan"), None).unwrap();
    assert_eq!(reply.text, "plan/a/\nplan/a/b.md\nplan/beats.md");
    assert_eq!(reply.resource_refs, ["plan/a", "plan/a/b.md", "plan/beats.md"]);
    let expected = json!({
        "entries": [
            {"path": "plan/a", "kind": "directory"},
            {"path": "plan/a/b.md", "kind": "file"},
            {"path": "plan/beats.md", "kind": "file"},
        ],
        "truncated": false,
        "skippedEntries": 0,
    });
    assert_eq!(structured(&reply), expected);
}

#[test]
fn blank_and_dot_paths_mean_everything() {
    let mut fake = Fake::with(&[("plan/a.md", "x")]);
    for path in [None, Some(""), Some("  "), Some("."), Some("./."), Some(".//./")] {
        assert_eq!(
            list(&mut fake, path, None).unwrap().text,
            "plan/\nplan/a.md",
            "{path:?}"
        );
    }
}

#[test]
fn the_depth_counts_below_the_immediate_children() {
    let mut fake = Fake::with(&[("plan/1/2/3/4/5.md", "x")]);
    assert_eq!(list(&mut fake, Some("plan"), Some(0)).unwrap().text, "plan/1/");
    assert_eq!(
        list(&mut fake, Some("plan"), None).unwrap().text,
        "plan/1/\nplan/1/2/\nplan/1/2/3/"
    );
    let deepest = list(&mut fake, Some("plan"), Some(4)).unwrap();
    assert!(deepest.text.ends_with("plan/1/2/3/4/5.md"), "{}", deepest.text);
}

#[test]
fn a_file_lists_itself_and_nothing_is_a_success() {
    let mut fake = Fake::with(&[("plan/a.md", "x")]);
    assert_eq!(list(&mut fake, Some("plan/a.md"), None).unwrap().text, "plan/a.md");
    assert_eq!(
        list(&mut Fake::default(), None, None).unwrap().text,
        "There are no files yet."
    );
}

#[test]
fn more_than_two_hundred_entries_and_skipped_ones_are_said() {
    let paths: Vec<String> = (0..201).map(|number| format!("plan/{number:03}.md")).collect();
    let mut fake = Fake {
        skipped: 2,
        ..Fake::default()
    };
    fake.files
        .extend(paths.iter().take(200).map(|path| (path.clone(), String::new())));
    let full = list(&mut fake, Some("plan"), None).unwrap();
    assert_eq!(full.text.lines().count(), 201);
    assert_eq!(
        full.text.lines().last(),
        Some("(skipped, because they cannot be used here: 2)")
    );
    fake.files.insert(paths[200].clone(), String::new());
    let cut = list(&mut fake, Some("plan"), None).unwrap();
    assert_eq!(cut.text.lines().count(), 202);
    let form = structured(&cut);
    assert_eq!((&form["truncated"], &form["skippedEntries"]), (&json!(true), &json!(2)));
}

#[test]
fn checks_syntax_then_visibility_then_depth_then_storage() {
    let mut fake = Fake::default();
    let table = [
        ("../x", 9, "workspace.invalid_path"),
        ("input/x", 9, "workspace.path_not_visible"),
        ("output_extra/a", 9, "workspace.path_not_visible"),
        ("plan/none", 5, "workspace.list_depth_too_large"),
        ("plan/none", u64::MAX, "workspace.list_depth_too_large"),
        ("plan/none", 4, "workspace.path_not_found"),
    ];
    for (path, depth, expected) in table {
        assert_eq!(
            code(&list(&mut fake, Some(path), Some(depth))),
            expected,
            "{path} {depth}"
        );
    }
    let refused = list(&mut fake, Some("a\u{202E}\0"), None);
    assert!(message(&refused).contains("\"a\\u{202e}\\0\""), "{}", message(&refused));
}
