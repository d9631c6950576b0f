//! Finishing: the reason is kept, refusals have their codes.

use serde_json::json;

use super::{FinishArguments, finish};
use crate::fake::{Fake, code, message, structured};
use crate::port::ControlError;

#[test]
fn the_reason_is_kept_as_it_is() {
    for (reason, asked) in [(Some(" done "), "finish Some(\" done \")"), (None, "finish None")] {
        let mut fake = Fake::default();
        let arguments = FinishArguments {
            reason: reason.map(str::to_owned),
        };
        let reply = fake.call(|fake| finish(&arguments, fake)).unwrap();
        assert_eq!(
            (structured(&reply), fake.asked),
            (json!({"reason": reason}), vec![asked.to_owned()])
        );
        assert_eq!(
            (reply.text.as_str(), reply.resource_refs.len()),
            ("The run is finished.", 0)
        );
    }
}

#[test]
fn a_run_without_a_commit_and_a_child_cannot_finish() {
    let table = [
        (
            ControlError::CommitRequired,
            "agent.foreground_commit_required",
            "workspace_commit",
        ),
        (
            ControlError::ChildInvocation,
            "agent.child_finish_denied",
            "task_return",
        ),
    ];
    for (error, expected, next) in table {
        let mut fake = Fake {
            refused: Some(error),
            ..Fake::default()
        };
        let refused = fake.call(|fake| finish(&FinishArguments { reason: None }, fake));
        assert_eq!(code(&refused), expected);
        assert!(message(&refused).contains(next), "{}", message(&refused));
    }
}
