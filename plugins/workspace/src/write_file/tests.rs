//! Writes: verbs, structured form, and what may be replaced.

use innkeeper_tool::{Failure, Reply, arguments};
use serde_json::{Value, json};

use super::write_file;
use crate::fake::{Fake, code, digest, message, structured};
use crate::port::{PathError, WriteError};

fn write(fake: &mut Fake, json: Value) -> Result<Reply, Failure> {
    let arguments = arguments(&json.to_string())?;
    fake.call(|fake| write_file(&arguments, fake))
}

fn replace(fake: &mut Fake, content: &str) -> Result<Reply, Failure> {
    write(fake, json!({"path": "plan/a.md", "content": content}))
}

fn append(fake: &mut Fake, content: &str) -> Result<Reply, Failure> {
    write(fake, json!({"path": "plan/a.md", "content": content, "mode": "append"}))
}

#[test]
fn says_what_it_did_and_how_large_the_file_is_now() {
    let mut fake = Fake::default();
    let created = replace(&mut fake, "one two").unwrap();
    assert_eq!(created.text, "Created plan/a.md: the file now has 7 chars, 2 words.");
    assert_eq!(created.resource_refs, ["plan/a.md"]);
    let expected = json!({"path": "plan/a.md", "mode": "replace", "chars": 7, "words": 2, "sha256": digest("one two")});
    assert_eq!(structured(&created), expected);
    assert_eq!(fake.asked, ["write plan/a.md Rewrite"]);

    let replaced = replace(&mut fake, "one").unwrap();
    assert_eq!(replaced.text, "Replaced plan/a.md: the file now has 3 chars, 1 word.");
    let appended = append(&mut fake, "two").unwrap();
    assert_eq!(
        appended.text,
        "Appended to plan/a.md: the file now has 6 chars, 1 word."
    );
    assert_eq!(
        (fake.text("plan/a.md"), &structured(&appended)["mode"]),
        ("onetwo", &json!("append"))
    );
}

#[test]
fn empty_content_is_content() {
    let mut fake = Fake::with(&[("plan/b.md", "b")]);
    assert_eq!(structured(&replace(&mut fake, "").unwrap())["chars"], json!(0));
    let unchanged = write(&mut fake, json!({"path": "plan/b.md", "content": "", "mode": "append"})).unwrap();
    assert_eq!(
        (fake.text("plan/b.md"), &structured(&unchanged)["chars"]),
        ("b", &json!(1))
    );
}

#[test]
fn an_existing_file_is_replaced_only_after_it_was_read() {
    let mut fake = Fake::with(&[("plan/a.md", "old")]);
    let refused = replace(&mut fake, "new");
    assert_eq!(
        (code(&refused), fake.text("plan/a.md")),
        ("workspace.write_requires_read", "old")
    );
    append(&mut fake, "er").unwrap();
    assert_eq!(code(&replace(&mut fake, "new")), "workspace.write_requires_read");
    fake.read_whole("plan/a.md");
    assert!(replace(&mut fake, "new").is_ok());
}

#[test]
fn a_half_read_file_names_the_missing_lines() {
    let mut fake = Fake::with(&[("plan/a.md", "a\nb\nc")]);
    fake.lost = Some(WriteError::RequiresFullRead(vec![(2, 3)]));
    let refused = replace(&mut fake, "new");
    assert_eq!(code(&refused), "workspace.write_requires_read");
    assert!(
        message(&refused).contains("to their end: 2-3. Next call"),
        "{}",
        message(&refused)
    );
}

#[test]
fn a_file_that_somebody_changed_is_stale_and_no_digest_is_shown() {
    let mut fake = Fake::with(&[("plan/a.md", "old")]);
    fake.read_whole("plan/a.md");
    fake.files.insert("plan/a.md".into(), "other".into());
    let refused = replace(&mut fake, "new");
    assert_eq!(code(&refused), "workspace.write_stale_file");
    assert!(!message(&refused).contains(&digest("other")) && !message(&refused).contains("sha"));

    fake.lost = Some(WriteError::Path(PathError::NotFound));
    let vanished = replace(&mut fake, "new");
    assert_eq!(code(&vanished), "workspace.write_stale_file");
    assert!(message(&vanished).contains("was removed"), "{}", message(&vanished));
}

#[test]
fn a_mode_is_exactly_one_of_two_and_checked_before_the_path() {
    for mode in [json!("merge"), json!(""), json!("Replace"), json!(3)] {
        let refused = write(
            &mut Fake::default(),
            json!({"path": "../x", "content": "", "mode": mode}),
        );
        assert_eq!(code(&refused), "tool.invalid_arguments", "{mode}");
    }
}

#[test]
fn refused_paths_and_budgets_have_their_codes() {
    let table = [
        (" ", None, "tool.invalid_arguments"),
        ("../x", None, "workspace.invalid_path"),
        ("output", None, "workspace.path_not_writable"),
        ("tool-results/x", None, "workspace.path_not_writable"),
        ("hidden/x", None, "workspace.path_not_writable"),
        (
            "plan/a",
            Some(WriteError::Path(PathError::ChildDenied("of another".into()))),
            "agent.child_workspace_write_denied",
        ),
        (
            "plan/a",
            Some(WriteError::Path(PathError::IsDirectory)),
            "workspace.path_is_directory",
        ),
        (
            "plan/a",
            Some(WriteError::Path(PathError::NotADirectory)),
            "workspace.invalid_path",
        ),
        (
            "plan/a",
            Some(WriteError::OverBudget("16 MiB a call".into())),
            "tool.write_limit",
        ),
    ];
    for (path, lost, expected) in table {
        let mut fake = Fake {
            lost,
            ..Fake::default()
        };
        assert_eq!(
            code(&write(&mut fake, json!({"path": path, "content": "x"}))),
            expected,
            "{path}"
        );
        assert!(fake.files.is_empty());
    }
    let mut fake = Fake::default();
    fake.broken.insert("plan/a.md".into(), PathError::NotText);
    assert_eq!(code(&append(&mut fake, "x")), "workspace.file_not_text");
}
