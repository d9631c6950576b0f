//! Runs under bad circumstances: cancelled at any point, under a clock that jumps, with a model that repeats itself, on a chat that
//! moves away.
//!
//! What a killed program and a failing disk leave is tested with the real program, beside the command line.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use innkeeper::protocol::port::Clock;
use innkeeper::protocol::run::RunStatus;
use innkeeper::protocol::view::ReadRunEvents;
use innkeeper::{RunHandle, StartRun, SystemClock};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::host;
use crate::run::{CHAT, Outcome, Stage, happy_turns, journal, script, start_bridged};

/// Where runs are cancelled.
const CANCELS: usize = 50;

/// Ten times the second in which a cancelled run is to be over: what takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a run waits for when nobody answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Waits {
    /// For nothing.
    Never,
    /// For a person.
    ForApproval,
    /// For the front end whose chat it is.
    ForCommit,
}

impl Waits {
    /// The event after which nothing happens any more.
    fn last_event(self) -> &'static str {
        match self {
            Self::Never => "",
            Self::ForApproval => "tool_call_awaiting_approval",
            Self::ForCommit => "chat_commit_requested",
        }
    }

    async fn start(self, stage: &Stage) -> RunHandle {
        let model = Arc::new(script(happy_turns()));
        match self {
            Self::Never => stage.start(model, |_| {}).await,
            Self::ForApproval => stage.start_asking(model, &["builtin:workspace.write_file"]).await,
            Self::ForCommit => start_bridged(stage, happy_turns()).await,
        }
    }
}

/// Commits that the chat holds.
fn committed(outcome: &Outcome) -> usize {
    let commits = |message: &Value| {
        message["extra"]["tauritavern"]["agent"]["commits"]
            .as_array()
            .map_or(0, Vec::len)
    };
    outcome.messages().iter().map(commits).sum()
}

/// Cancels a run after so many events, or where it waits.
async fn cancelled(waits: Waits, events: usize) -> Outcome {
    let stage = Stage::new().await;
    let mut handle = waits.start(&stage).await;
    for _ in 0..events {
        match handle.next_event().await {
            Some(event) if event.kind != waits.last_event() => {}
            _ => break,
        }
    }
    handle.cancel_switch().cancel();
    tokio::time::timeout(PATIENCE, stage.finish(handle))
        .await
        .unwrap_or_else(|_| panic!("{waits:?}: not over long after the cancel at event {events}"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancel_at_any_point_ends_the_run_and_everything_it_had_begun() {
    let whole = Stage::new().await.play(happy_turns()).await.events.len();
    let mut statuses = Vec::new();
    for number in 0..CANCELS {
        let waits = [Waits::Never, Waits::ForApproval, Waits::Never, Waits::ForCommit][number % 4];
        // Spread over the run, in no order.
        let events = 1 + number * 37 % whole;
        let outcome = cancelled(waits, events).await;
        let told = outcome.all("chat_commit_completed").len();
        assert_eq!(
            told,
            committed(&outcome),
            "{waits:?}, event {events}\n{}",
            journal::listing(&outcome.events)
        );
        assert!(
            matches!(outcome.report.status, RunStatus::Cancelled | RunStatus::Completed),
            "{waits:?}, event {events}: {:?}",
            outcome.report
        );
        statuses.push(outcome.report.status);
    }
    let count = statuses
        .iter()
        .filter(|status| **status == RunStatus::Cancelled)
        .count();
    assert!(count > CANCELS / 2, "only {count} runs were cancelled");
}

/// A wall clock that goes back a day and on by ten years between any two looks at it.
#[derive(Default)]
struct Jumping {
    looks: AtomicUsize,
    real: SystemClock,
}

impl Clock for Jumping {
    fn wall_ms(&self) -> u64 {
        const DAY_MS: u64 = 86_400_000;
        let now = self.real.wall_ms();
        match self.looks.fetch_add(1, Ordering::Relaxed) % 4 {
            0 => now,
            1 => now - DAY_MS,
            2 => now + 3_650 * DAY_MS,
            // Before 1970 there is nothing, and that is where a broken clock begins.
            _ => 0,
        }
    }

    fn monotonic_micros(&self) -> u64 {
        self.real.monotonic_micros()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wall_clock_that_jumps_changes_dates_and_nothing_else() {
    let folder = TempDir::new().unwrap();
    let chat = folder.path().join("evening.jsonl");
    std::fs::write(&chat, CHAT).unwrap();
    let builder = host::builder().data_root(folder.path().join("data"));
    let host = builder.clock(Arc::new(Jumping::default())).build().await.unwrap();
    let start = StartRun::new(&chat, Arc::new(script(happy_turns())));
    let report = host.start_run(start).await.unwrap().wait().await.unwrap();
    assert_eq!(report.status, RunStatus::Completed, "{report:?}");
    let request = ReadRunEvents {
        limit: Some(500),
        ..ReadRunEvents::of(report.run_id.clone())
    };
    let events = host.runs().unwrap().read_agent_run_events(&request).unwrap().events;
    assert_eq!(journal::violations(&events), Vec::<String>::new());
    let dates: Vec<&String> = events.iter().map(|event| &event.timestamp).collect();
    assert!(!dates.is_sorted(), "the clock did not jump");
    for event in events.iter().filter(|event| event.kind == "tool_call_completed") {
        assert!(
            event.payload["elapsedMs"].as_u64().unwrap() < 600_000,
            "{}",
            event.payload
        );
    }
    let again = host.runs().unwrap().read_agent_run_events(&request).unwrap().events;
    assert_eq!(again, events);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_that_repeats_a_failing_call_is_stopped_with_a_reason() {
    let failing = json!({"name": "workspace_read_file", "arguments": {"path": "output/nowhere.md"}});
    let turns: Vec<Value> = (0..200).map(|_| json!({"calls": [failing]})).collect();
    let outcome = Stage::new().await.play(turns.into()).await;
    assert_eq!(
        (outcome.report.status, outcome.code()),
        (RunStatus::Failed, Some("agent.max_tool_rounds_exceeded"))
    );
    let rounds = outcome.all("model_request_created").len();
    assert!(rounds < 200, "{rounds}");
    let message = outcome.one("run_failed").text("message").unwrap().to_owned();
    assert!(message.contains(&rounds.to_string()), "{message}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failing_call_that_is_repeated_within_a_turn_runs_out_of_calls() {
    let failing = json!({"name": "workspace_read_file", "arguments": {"path": "output/nowhere.md"}});
    let turn = json!({"calls": vec![failing; 200]});
    let outcome = Stage::new()
        .await
        .play(json!([turn, {"text": "a"}, {"text": "b"}]))
        .await;
    let count = |code: &str| outcome.calls().iter().filter(|(_, ended)| ended == code).count();
    let (tried, refused) = (count("workspace.file_not_found"), count("agent.tool_budget_exhausted"));
    assert_eq!(tried + refused, 200);
    assert!(refused > 0, "{tried}");
}
