//! Patches: words, structured form, order of checks, read-state.

use innkeeper_tool::{Failure, Reply, arguments};
use serde_json::{Value, json};

use super::apply_patch;
use crate::fake::{Fake, code, digest, message, structured};
use crate::port::{PathError, WriteError};
use crate::{ReadArguments, read_file};

fn patch(fake: &mut Fake, json: Value) -> Result<Reply, Failure> {
    let arguments = arguments(&json.to_string())?;
    fake.call(|fake| apply_patch(&arguments, fake))
}

fn swap(fake: &mut Fake, old: &str, new: &str) -> Result<Reply, Failure> {
    patch(fake, json!({"path": "plan/a.md", "old_string": old, "new_string": new}))
}

/// A workspace with one file, wholly read.
fn read(text: &str) -> Fake {
    let mut fake = Fake::with(&[("plan/a.md", text)]);
    fake.read_whole("plan/a.md");
    fake
}

fn read_line(fake: &mut Fake, line: u64) {
    let json = json!({"path": "plan/a.md", "start_line": line, "line_count": 1}).to_string();
    let arguments: ReadArguments = arguments(&json).unwrap();
    fake.call(|fake| read_file(&arguments, fake)).unwrap();
}

#[test]
fn says_how_often_it_replaced_and_how_large_the_file_is_now() {
    let mut fake = read("a b a");
    let reply = patch(
        &mut fake,
        json!({"path": "plan/a.md", "old_string": "a", "new_string": "cd", "replace_all": true}),
    );
    let reply = reply.unwrap();
    assert_eq!(
        reply.text,
        "Patched plan/a.md: 2 replacements; the file now has 7 chars, 3 words."
    );
    assert_eq!(reply.resource_refs, ["plan/a.md"]);
    let expected = json!({
        "path": "plan/a.md", "chars": 7, "words": 3, "replacements": 2,
        "oldSha256": digest("a b a"), "sha256": digest("cd b cd"),
    });
    assert_eq!(structured(&reply), expected);
    assert_eq!(fake.text("plan/a.md"), "cd b cd");
    assert_eq!(fake.asked, ["write plan/a.md Patch { replacements: 2 }"]);
}

#[test]
fn checks_the_strings_before_the_path_and_the_path_before_the_file() {
    let mut fake = read("a");
    let table = [
        (" ", "", "", "tool.invalid_arguments"),
        ("../x", "", "", "workspace.patch_empty_old_string"),
        ("../x", "a", "a", "workspace.patch_no_change"),
        ("../x", "a", "b", "workspace.invalid_path"),
        ("output", "a", "b", "workspace.path_not_writable"),
        ("tool-results/a", "a", "b", "workspace.path_not_writable"),
        ("plan/none", "a", "b", "workspace.patch_requires_read"),
        ("plan/a.md", "z", "b", "workspace.patch_old_string_not_found"),
    ];
    for (path, old, new, expected) in table {
        let refused = patch(&mut fake, json!({"path": path, "old_string": old, "new_string": new}));
        assert_eq!(code(&refused), expected, "{path} {old} {new}");
    }
}

#[test]
fn every_line_must_have_been_shown() {
    let mut fake = Fake::with(&[("plan/a.md", "one\ntwo\nthree")]);
    assert_eq!(code(&swap(&mut fake, "two", "2")), "workspace.patch_requires_read");
    read_line(&mut fake, 2);
    let refused = swap(&mut fake, "two", "2");
    assert_eq!(code(&refused), "workspace.patch_requires_full_read");
    assert!(
        message(&refused).contains("to their end: 1, 3. Next call"),
        "{}",
        message(&refused)
    );
    read_line(&mut fake, 1);
    read_line(&mut fake, 3);
    swap(&mut fake, "two", "2").unwrap();
    swap(&mut fake, "2\n", "II\n").unwrap();
    assert_eq!(fake.text("plan/a.md"), "one\nII\nthree");
}

#[test]
fn pages_of_different_versions_do_not_add_up() {
    let mut fake = Fake::with(&[("plan/a.md", "one\ntwo")]);
    read_line(&mut fake, 1);
    fake.files.insert("plan/a.md".into(), "one\n2".into());
    read_line(&mut fake, 2);
    assert_eq!(code(&swap(&mut fake, "one", "1")), "workspace.patch_requires_full_read");
}

#[test]
fn a_refused_patch_leaves_file_and_read_state_alone() {
    let mut fake = read("key\nkey");
    let refused = swap(&mut fake, "key", "lock");
    assert_eq!(code(&refused), "workspace.patch_old_string_not_unique");
    assert!(message(&refused).contains("occurs 2 times in \"plan/a.md\", beginning in lines 1, 2."));
    assert_eq!(fake.text("plan/a.md"), "key\nkey");
    swap(&mut fake, "\nkey", "\nlock").unwrap();
    assert_eq!(fake.text("plan/a.md"), "key\nlock");
}

#[test]
fn a_changed_file_is_stale_also_when_it_changes_during_the_call() {
    let mut fake = read("old");
    fake.files.insert("plan/a.md".into(), "older".into());
    assert_eq!(code(&swap(&mut fake, "old", "new")), "workspace.patch_stale_file");
    let races = [
        WriteError::Stale,
        WriteError::Path(PathError::NotFound),
        WriteError::RequiresRead,
    ];
    for lost in races {
        let mut fake = Fake {
            lost: Some(lost),
            ..read("old")
        };
        assert_eq!(code(&swap(&mut fake, "old", "new")), "workspace.patch_stale_file");
        assert_eq!(fake.text("plan/a.md"), "old");
    }
}

#[test]
fn a_file_that_cannot_be_patched_keeps_its_code() {
    for (error, expected) in [
        (PathError::NotFound, "workspace.file_not_found"),
        (PathError::NotText, "workspace.file_not_text"),
        (PathError::TooLarge(17_000_000), "workspace.file_too_large"),
        (PathError::NameConflict("plan/A.md".into()), "workspace.name_conflict"),
    ] {
        let mut fake = read("old");
        fake.broken.insert("plan/a.md".into(), error);
        assert_eq!(code(&swap(&mut fake, "old", "new")), expected);
    }
}

#[test]
fn a_miss_names_the_nearest_line_and_the_character_that_differs() {
    let mut fake = read("one\nDon’t go  \nlast");
    let refused = swap(&mut fake, "Don't go", "Stay");
    let expected = "Nothing was changed: old_string does not occur in \"plan/a.md\"; spaces, quotes and line breaks must \
        match exactly. The nearest candidate begins in line 2. The first character that differs is in line 2, column 4: there \
        the file has U+2019 RIGHT SINGLE QUOTATION MARK, and old_string has U+0027 APOSTROPHE.\n\n2 | Don’t go  \n\nCall \
        workspace_apply_patch again with old_string copied exactly from the file.";
    assert_eq!(
        (code(&refused), message(&refused)),
        ("workspace.patch_old_string_not_found", expected)
    );
    assert_eq!(fake.text("plan/a.md"), "one\nDon’t go  \nlast");

    let spaces = swap(&mut fake, "t go\nlast", "");
    assert!(
        message(&spaces).contains("column 9: there the file has U+0020 SPACE, and old_string has U+000A LINE FEED")
    );
    let numbers = swap(&mut fake, " 3 | last", "");
    assert!(
        message(&numbers).contains("are not part of the file"),
        "{}",
        message(&numbers)
    );
    let nothing = swap(&mut fake, "xyzzy", "");
    assert!(message(&nothing).contains("Nothing in the file resembles it."));
}

#[test]
fn an_addition_after_context_that_is_not_there_is_refused() {
    let mut fake = read("first\nlast");
    let refused = swap(&mut fake, "middle\n", "middle\nadded\n");
    assert_eq!(
        (code(&refused), fake.text("plan/a.md")),
        ("workspace.patch_old_string_not_found", "first\nlast")
    );
    assert_eq!(
        code(&swap(&mut fake, "first\nlast\nand more", "x")),
        "workspace.patch_old_string_not_found"
    );
}

#[test]
fn line_ends_stay_those_of_the_file() {
    let mut fake = read("\u{FEFF}one\r\ntwo\r\nthree\r\n");
    swap(&mut fake, "one\ntwo", "1\n2\n2a").unwrap();
    assert_eq!(fake.text("plan/a.md"), "\u{FEFF}1\r\n2\r\n2a\r\nthree\r\n");
}
