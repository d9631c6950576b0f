//! What a turn costs beside the model's own time and the disk's syncs: the loop, the journal, the kept files, the call of a tool. Early in
//! a run and late, when its journal is long.
//!
//! Runs lie in memory where the machine has a file system for that, so that syncs cost nothing. Everything is printed and nothing
//! asserted: a machine's mood is no test.

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a bench may stop where it stands, and prints its result"
)]
#![allow(clippy::disallowed_methods, reason = "time is what is measured")]

#[path = "../../tools/benches/measure/mod.rs"]
#[allow(dead_code, reason = "turns are timed where the model is asked, not in batches")]
mod measure;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use innkeeper::gateway::scripted::ScriptedModel;
use innkeeper::protocol::model::{Model, ModelError, ModelInfo, ModelRequest, ModelResponse};
use innkeeper::{Innkeeper, ProfileChoice, StartRun};
use serde_json::{Value, json};

use measure::{Sample, heading, load, row};

/// Turns of a run.
const TURNS: usize = 600;
/// The turns that are compared: early ones, once everything is warm, and as many at the end.
const SPAN: usize = 50;
const WARM: usize = 10;
/// Runs.
const RUNS: usize = 5;
/// A file system in memory.
const IN_MEMORY: &str = "/dev/shm";
const CHAT: &str = "{\"user_name\":\"Mia\",\"character_name\":\"Rowan\"}\n{\"name\":\"Rowan\",\"is_user\":false,\"mes\":\"Then we climb.\"}\n";

/// A scripted model that notes when it is asked and when it has answered.
struct Noting {
    script: ScriptedModel,
    answered: Mutex<Option<Instant>>,
    between: Mutex<Vec<Duration>>,
}

#[async_trait]
impl Model for Noting {
    async fn complete(&self, request: &ModelRequest) -> Result<ModelResponse, ModelError> {
        if let Some(before) = lock(&self.answered).take() {
            lock(&self.between).push(before.elapsed());
        }
        let answer = self.script.complete(request).await;
        *lock(&self.answered) = Some(Instant::now());
        answer
    }

    fn describe(&self) -> ModelInfo {
        self.script.describe()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("threads");
    runtime.block_on(async {
        load("before");
        let folder = if Path::new(IN_MEMORY).is_dir() {
            tempfile::tempdir_in(IN_MEMORY)
        } else {
            println!("(no {IN_MEMORY} here: syncs are part of what follows)");
            tempfile::tempdir()
        };
        measure_turns(folder.expect("a temporary folder").path()).await;
        load("after");
    });
}

/// What a turn calls, and the arguments of the run's n-th call.
struct Call {
    title: &'static str,
    name: &'static str,
    arguments: fn(usize) -> Value,
}

const CALLS: [Call; 3] = [
    Call {
        title: "A turn that looks into an empty folder",
        name: "workspace_list_files",
        arguments: |_| json!({"path": "output"}),
    },
    Call {
        title: "A turn that writes a file which is no prose, with its checkpoint",
        name: "workspace_write_file",
        arguments: |turn| json!({"path": "scratch/notes.json", "content": format!("[{turn}]")}),
    },
    // Every call leaves a file, so the listing itself becomes longer: up to the 200 entries that it shows, and all that it passes over.
    Call {
        title: "A turn that lists everything, the stored results of all calls before it too",
        name: "workspace_list_files",
        arguments: |_| json!({}),
    },
];

async fn measure_turns(folder: &Path) {
    let host = Innkeeper::builder()
        .data_root(folder.join("data"))
        .build()
        .await
        .expect("a host");
    let chat = folder.join("chat.jsonl");
    std::fs::write(&chat, CHAT).expect("a chat");
    println!("\nFrom the model's answer to its next question; the ratio is late to early");
    for call in &CALLS {
        let (mut early, mut late) = (Sample::default(), Sample::default());
        for _ in 0..RUNS {
            let turns = play(&host, &chat, call).await;
            turns.iter().skip(WARM).take(SPAN).for_each(|time| early.push(*time));
            turns.iter().rev().take(SPAN).for_each(|time| late.push(*time));
        }
        heading(call.title, "early");
        row(&format!("turns {WARM} to {}", WARM + SPAN), &early, &early);
        row(&format!("turns {} to {TURNS}", TURNS - SPAN), &late, &early);
    }
}

/// Plays a run and gives what lay between an answer and the next question.
async fn play(host: &Innkeeper, chat: &Path, call: &Call) -> Vec<Duration> {
    let turn = |turn| json!({"calls": [{"name": call.name, "arguments": (call.arguments)(turn)}]});
    let mut turns: Vec<Value> = (0..TURNS).map(turn).collect();
    turns.push(json!({"text": "Enough."}));
    let model = Arc::new(Noting {
        script: ScriptedModel::from_json(json!({ "turns": turns }).to_string()).expect("a script"),
        answered: Mutex::default(),
        between: Mutex::default(),
    });
    let mut profile = host.default_profile();
    let most = i64::try_from(TURNS).unwrap_or(i64::MAX) * 2;
    (profile.tools.max_rounds, profile.tools.max_calls_per_run) = (most, most);
    profile.run.drift_recovery_max_attempts = 0;
    let start = StartRun {
        profile: ProfileChoice::Given(Box::new(profile)),
        ..StartRun::new(chat, model.clone())
    };
    let run = host.start_run(start).await.expect("a run");
    let report = run.wait().await.expect("an end");
    let turns = lock(&model.between).clone();
    assert_eq!(
        turns.len(),
        TURNS,
        "the run is as long as its script; it ended so: {:?}",
        report.error
    );
    turns
}
