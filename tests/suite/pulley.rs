//! The interpreter beside native code: every built-in tool answers the same through both, case for case.
//!
//! What the answer should be, `cases` says. This is a feature of its own because the engine has to be built anew for it.

use innkeeper::{GuestCode, Innkeeper};
use innkeeper_cases::{Case, Ground, OnBench, Printed, Stage, StageFault, files_in, play, read, setup};
use serde_json::Value;
use tokio::sync::OnceCell;

use crate::cases::each_tool;
use crate::host;

static INTERPRETING: OnceCell<Innkeeper> = OnceCell::const_new();

async fn interpreting() -> &'static Innkeeper {
    let build = async || host::builder().code(GuestCode::Pulley).build().await;
    INTERPRETING.get_or_init(async || build().await.unwrap()).await
}

/// A bench, and all that it has answered.
struct Noted {
    bench: OnBench,
    answers: Vec<Printed>,
}

impl Stage for Noted {
    async fn call(&mut self, tool: &str, arguments: &Value) -> Result<Printed, StageFault> {
        let printed = self.bench.call(tool, arguments).await?;
        let mut noted = printed.clone();
        // Time is the one thing in which they may differ.
        noted.usage.wall_micros = 0;
        self.answers.push(noted);
        Ok(printed)
    }
}

/// How a case ends on this host, and every answer on the way.
async fn played(host: &Innkeeper, case: &Case) -> (Result<(), String>, Vec<Printed>) {
    let ground = Ground::of(case).unwrap();
    let bench = match host.tool_bench(setup(case, &ground).unwrap()).await {
        Ok(bench) => bench,
        Err(error) => return (Err(error.code), Vec::new()),
    };
    let mut stage = Noted {
        bench: OnBench(bench),
        answers: Vec::new(),
    };
    let ended = play(case, &ground, &mut stage).await;
    (ended, stage.answers)
}

async fn answers_alike(tool: &str) {
    let files = files_in(&host::package().join("cases").join(tool)).unwrap();
    assert!(!files.is_empty(), "{tool}");
    for file in files {
        let case = read(&file).unwrap();
        let native = played(host::shared().await, &case).await;
        let interpreted = played(interpreting().await, &case).await;
        assert_eq!(interpreted, native, "{}", file.display());
    }
}

each_tool!(answers_alike);

#[tokio::test]
async fn every_built_in_tool_is_compared() {
    let catalogue = interpreting().await.tools();
    let mut tools: Vec<&str> = catalogue
        .tools()
        .iter()
        .map(|tool| tool.spec.native_name.as_str())
        .collect();
    tools.sort_unstable();
    assert_eq!(tools, FOLDERS);
}
