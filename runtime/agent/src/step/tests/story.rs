//! What holds for every journal of a run, whatever happened in it: its beginning and end, and the order of rounds, calls and commits.

use innkeeper_protocol::event::{FailedOutcome, RunEvent};
use innkeeper_protocol::id::CallId;
use innkeeper_protocol::run::RunStatus;

/// Checks a whole journal.
pub(super) fn check(journal: &[RunEvent]) {
    beginning(journal);
    end(journal);
    statuses(journal);
    rounds(journal);
    calls(journal);
    commits(journal);
    promotion(journal);
}

pub(super) fn is_terminal(event: &RunEvent) -> bool {
    terminal_status(event).is_some()
}

const fn terminal_status(event: &RunEvent) -> Option<RunStatus> {
    match event {
        RunEvent::RunCompleted => Some(RunStatus::Completed),
        RunEvent::RunCancelled { .. } => Some(RunStatus::Cancelled),
        RunEvent::RunFailed { .. } => Some(RunStatus::Failed),
        RunEvent::RunPartialSuccess { .. } => Some(RunStatus::PartialSuccess),
        _ => None,
    }
}

fn beginning(journal: &[RunEvent]) {
    let kinds = |event: &RunEvent| {
        matches!(
            event,
            RunEvent::RunCreated { .. } | RunEvent::ProfileResolved { .. } | RunEvent::SkillScopesResolved { .. }
        )
    };
    assert!(
        matches!(journal.first(), Some(RunEvent::RunCreated { .. })),
        "{journal:#?}"
    );
    assert!(
        journal.len() > 3 && journal[..3].iter().all(kinds) && !journal[3..].iter().any(kinds),
        "{journal:#?}"
    );
}

/// One terminal event; after it only what becomes of the invocation, and only once.
fn end(journal: &[RunEvent]) {
    assert_eq!(
        journal.iter().filter(|event| is_terminal(event)).count(),
        1,
        "{journal:#?}"
    );
    let at = journal.iter().position(is_terminal).unwrap();
    let after = &journal[at + 1..];
    match journal[at] {
        RunEvent::RunCompleted => assert!(matches!(after, [RunEvent::AgentInvocationCompleted(_)]), "{after:#?}"),
        _ => assert!(after.is_empty(), "{after:#?}"),
    }
    let created = journal
        .iter()
        .filter(|event| matches!(event, RunEvent::AgentInvocationCreated(_)))
        .count();
    let closed = |event: &&RunEvent| {
        matches!(
            event,
            RunEvent::AgentInvocationCompleted(_)
                | RunEvent::AgentInvocationFailed(_)
                | RunEvent::AgentInvocationCancelled(_)
        )
    };
    assert_eq!(journal.iter().filter(closed).count(), created, "{journal:#?}");
}

fn statuses(journal: &[RunEvent]) {
    let mut now = RunStatus::Created;
    for event in journal {
        let next = match event {
            RunEvent::StatusChanged { status } => *status,
            event => match terminal_status(event) {
                Some(status) => status,
                None => continue,
            },
        };
        assert!(may_follow(now, next), "{now:?} -> {next:?} in {journal:#?}");
        now = next;
    }
}

fn may_follow(from: RunStatus, to: RunStatus) -> bool {
    use RunStatus::*;
    match to {
        Cancelling => !from.is_terminal() && from != Cancelling,
        Failed | PartialSuccess => !from.is_terminal() && from != Cancelling,
        Cancelled => from == Cancelling,
        Completed => from == Finishing,
        InitializingWorkspace => from == Created,
        AssemblingContext => from == InitializingWorkspace,
        CallingModel => {
            matches!(
                from,
                AssemblingContext | DispatchingTool | ApplyingWorkspacePatch | CreatingCheckpoint
            )
        }
        DispatchingTool => {
            matches!(
                from,
                CallingModel | ApplyingWorkspacePatch | CreatingCheckpoint | AwaitingHostCommit
            )
        }
        ApplyingWorkspacePatch => from == DispatchingTool,
        CreatingCheckpoint => matches!(from, CallingModel | DispatchingTool | ApplyingWorkspacePatch),
        AwaitingHostCommit => from == CreatingCheckpoint,
        Finishing => matches!(from, DispatchingTool | CreatingCheckpoint),
        Created => false,
    }
}

/// Each round asks, tries until it is answered, and says what it got.
fn rounds(journal: &[RunEvent]) {
    let mut stories: Vec<String> = Vec::new();
    for event in journal {
        let (round, letter) = match event {
            RunEvent::ModelRequestCreated { round, .. } => {
                stories.push(String::new());
                (*round, 'C')
            }
            RunEvent::ModelCallAttemptStarted { round, .. } => (*round, 'A'),
            RunEvent::ModelCallAttemptFailed { round, .. } => (*round, 'F'),
            RunEvent::ModelCallRetryScheduled { round, .. } => (*round, 'R'),
            RunEvent::ModelResponseStored { round, .. } => (*round, 'S'),
            RunEvent::ProviderStateUpdated { round, .. } => (*round, 'P'),
            RunEvent::ModelCompleted { round, .. } => (*round, 'M'),
            _ => continue,
        };
        assert_eq!(
            stories.len(),
            usize::try_from(round).unwrap(),
            "rounds count from 1: {journal:#?}"
        );
        stories.last_mut().unwrap().push(letter);
    }
    let answered = stories.len().saturating_sub(1);
    for (at, story) in stories.iter().enumerate() {
        let mut rest = story.strip_prefix('C').unwrap();
        while let Some(later) = rest.strip_prefix("AFR") {
            rest = later;
        }
        let is_last = at == answered;
        assert!(
            rest == "ASPM" || (is_last && ["", "A", "AF"].contains(&rest)),
            "round {}: {story}",
            at + 1
        );
    }
}

/// How a call can go well, and how a commit can be refused on the way, a letter for each event (see [`letter`]).
const STORIES: [&str; 6] = ["RST", "RSWKT", "RSCKQDLT", "RSWKCKQDLT", "RSCKQFT", "RSWKCKQFT"];

fn letter(event: &RunEvent) -> Option<char> {
    Some(match event {
        RunEvent::ToolCallRequested { .. } => 'R',
        RunEvent::ToolCallAwaitingApproval(_) => '?',
        RunEvent::ToolCallApproved(_) => 'Y',
        RunEvent::ToolCallDenied(_) => 'N',
        RunEvent::ToolCallStarted { .. } => 'S',
        RunEvent::WorkspaceFileWritten { .. }
        | RunEvent::WorkspacePatchApplied { .. }
        | RunEvent::WorkspaceFileDeleted { .. } => 'W',
        RunEvent::CheckpointCreated { .. } => 'K',
        RunEvent::ChatCommitStarted { .. } => 'C',
        RunEvent::ChatCommitRequested { .. } => 'Q',
        RunEvent::ChatCommitCompleted { .. } => 'D',
        RunEvent::ChatCommitRecorded { .. } => 'L',
        RunEvent::ChatCommitFailed { .. } => 'F',
        RunEvent::ToolResultStored { .. } => 'T',
        RunEvent::ToolCallCompleted { .. } => 'O',
        RunEvent::ToolCallFailed { .. } => 'X',
        _ => return None,
    })
}

/// Calls come one after the other, each is told in order, and each ends exactly once.
fn calls(journal: &[RunEvent]) {
    let mut open: Option<(CallId, String)> = None;
    for event in journal {
        if let RunEvent::ToolCallRequested { call, .. } = event {
            assert!(open.is_none(), "{} while {open:?} is open", call.call_id);
            open = Some((call.call_id.clone(), String::new()));
        }
        let Some(letter) = letter(event) else { continue };
        let Some((id, story)) = &mut open else {
            assert!("KCQDLF".contains(letter), "{event:?} belongs to no call");
            continue;
        };
        // One call may change several files.
        if letter != 'W' || !story.ends_with('W') {
            story.push(letter);
        }
        match event {
            RunEvent::ToolCallCompleted { call, .. } => {
                assert_eq!(call.call_id, *id);
                assert!(
                    story
                        .strip_suffix('O')
                        .is_some_and(|s| STORIES[..4].contains(&unasked(s).as_str())),
                    "{id}: {story}"
                );
                open = None;
            }
            RunEvent::ToolCallFailed { call, outcome, .. } => {
                assert_eq!(call.call_id, *id);
                assert!(may_fail(story, *outcome), "{id}: {story} {outcome:?}");
                open = None;
            }
            _ => {}
        }
    }
    assert_eq!(open, None, "a call without an end in {journal:#?}");
}

/// A refused call never started; any other broke off somewhere on its way.
fn may_fail(story: &str, outcome: FailedOutcome) -> bool {
    let Some(before) = story.strip_suffix('X') else {
        return false;
    };
    match outcome {
        // Nobody was asked, a person said no, or the run ended before an answer came.
        FailedOutcome::Denied => ["RT", "R?NT", "R?N"].contains(&before),
        FailedOutcome::Error | FailedOutcome::OutcomeUnknown => {
            // A denial that could not be stored ends as any error does.
            let before = unasked(before).replacen("R?N", "R", 1);
            STORIES.iter().any(|whole| whole.starts_with(&before))
        }
    }
}

/// A story without the question that was answered with yes, or needed no asking.
fn unasked(story: &str) -> String {
    story.replacen("R?Y", "R", 1).replacen("RY", "R", 1)
}

/// The host is asked before it answers, and answers once; only a cancel leaves it unheard.
fn commits(journal: &[RunEvent]) {
    let mut open = None;
    let mut count = 0;
    for event in journal {
        match event {
            RunEvent::ChatCommitRequested {
                commit_id, is_explicit, ..
            } => {
                assert_eq!(open, None, "two commits at once in {journal:#?}");
                open = Some((commit_id, is_explicit));
            }
            RunEvent::ChatCommitCompleted {
                commit_id, is_explicit, ..
            }
            | RunEvent::ChatCommitFailed {
                commit_id, is_explicit, ..
            } => {
                assert_eq!(open.take(), Some((commit_id, is_explicit)), "{journal:#?}");
            }
            RunEvent::ChatCommitRecorded { commit_count, .. } => {
                count += 1;
                assert_eq!(*commit_count, count);
            }
            _ => {}
        }
    }
    let is_cancelled = journal
        .iter()
        .any(|event| matches!(event, RunEvent::RunCancelled { .. }));
    assert!(
        open.is_none() || is_cancelled,
        "{open:?} has no outcome in {journal:#?}"
    );
    let has_commits = count > 0;
    assert!(
        !journal
            .iter()
            .any(|event| matches!(event, RunEvent::RunFailed { .. }) && has_commits),
        "{journal:#?}"
    );
}

/// The state is promoted, then the message is told, then the run is complete.
fn promotion(journal: &[RunEvent]) {
    let at = |is: fn(&RunEvent) -> bool| journal.iter().position(is);
    let committed = at(|event| matches!(event, RunEvent::PersistentChangesCommitted { .. }));
    let asked = at(|event| matches!(event, RunEvent::PersistentStateMetadataUpdateRequested { .. }));
    let updated = at(|event| matches!(event, RunEvent::PersistentStateMetadataUpdated { .. }));
    let completed = at(|event| matches!(event, RunEvent::RunCompleted));
    let has_commits = at(|event| matches!(event, RunEvent::ChatCommitRecorded { .. })).is_some();
    assert!(asked.is_none() || committed < asked, "{journal:#?}");
    assert!(
        updated.is_none() || (asked.is_some() && asked < updated),
        "{journal:#?}"
    );
    if completed.is_some() {
        assert!(committed.is_some() && committed < completed, "{journal:#?}");
        assert_eq!(updated.is_some(), has_commits, "{journal:#?}");
        assert!(updated < completed, "{journal:#?}");
    }
    let cancelled = at(|event| matches!(event, RunEvent::RunCancelled { .. }));
    assert!(committed.is_none() || cancelled.is_none(), "{journal:#?}");
}
