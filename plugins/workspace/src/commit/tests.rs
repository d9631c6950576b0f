//! Commits: defaults, words, refusals.

use innkeeper_tool::{Failure, Reply, arguments};
use serde_json::{Value, json};

use super::commit;
use crate::fake::{Fake, code, message, structured};
use crate::port::{ControlError, PathError};

fn ask(fake: &mut Fake, json: Value) -> Result<Reply, Failure> {
    let arguments = arguments(&json.to_string())?;
    fake.call(|fake| commit(&arguments, fake))
}

#[test]
fn the_message_file_is_the_default_and_blank_texts_are_absent() {
    for call in [
        json!({}),
        json!({"path": " ", "reason": ""}),
        json!({"path": null, "mode": null}),
    ] {
        let mut fake = Fake::with(&[("output/main.md", "Hi, old friend!")]);
        ask(&mut fake, call.clone()).unwrap();
        assert_eq!(fake.asked, ["commit output/main.md Replace None"], "{call}");
    }
}

#[test]
fn says_what_was_committed_and_what_comes_next() {
    let mut fake = Fake::with(&[("plan/a.md", "Hi, old friend!")]);
    let reply = ask(
        &mut fake,
        json!({"path": "plan/a.md", "mode": "append", "reason": "the end"}),
    )
    .unwrap();
    let expected = "Committed plan/a.md (mode append, 15 chars, 3 words): its text was added to the message (message \
        {commit.message-index} of the chat). You may commit again to revise it; workspace_finish ends the run.";
    assert_eq!(reply.text, expected);
    assert_eq!(fake.asked, ["commit plan/a.md Append Some(\"the end\")"]);
    assert_eq!(reply.resource_refs, ["plan/a.md"]);
    assert_eq!(
        structured(&reply),
        json!({"path": "plan/a.md", "mode": "append", "chars": 15, "words": 3})
    );
}

#[test]
fn refusals_have_their_codes() {
    let table = [
        (ControlError::Path(PathError::NotFound), "workspace.file_not_found"),
        (ControlError::Path(PathError::NotVisible), "workspace.path_not_visible"),
        (
            ControlError::Path(PathError::IsDirectory),
            "workspace.path_is_directory",
        ),
        (ControlError::RequiredArtifactEmpty, "workspace.required_artifact_empty"),
        (ControlError::ChildInvocation, "agent.child_finish_denied"),
        (ControlError::AlreadyRequested, "agent.chat_commit_rejected"),
    ];
    for (error, expected) in table {
        let mut fake = Fake {
            refused: Some(error),
            ..Fake::default()
        };
        assert_eq!(code(&ask(&mut fake, json!({}))), expected);
    }
    let mut fake = Fake {
        refused: Some(ControlError::RequiredArtifactEmpty),
        ..Fake::default()
    };
    assert!(message(&ask(&mut fake, json!({}))).contains("\"output/main.md\" is blank"));
    assert_eq!(
        code(&ask(&mut fake, json!({"mode": "Append"}))),
        "tool.invalid_arguments"
    );
}

#[test]
fn a_message_that_was_not_written_yet_may_be_written_first() {
    let missing = |path: &str| {
        let mut fake = Fake {
            refused: Some(ControlError::Path(PathError::NotFound)),
            ..Fake::default()
        };
        let refused = ask(&mut fake, json!({ "path": path }));
        message(&refused).to_owned()
    };
    assert!(missing("output/main.md").ends_with("or workspace_write_file to create it."));
    assert!(missing("tool-results/a.txt").ends_with("Call workspace_list_files to see what there is."));
}
