//! The interpreter beside native code: every built-in tool answers the same through both, case for case.
//!
//! What the answer should be, `cases` says. This is a feature of its own because the engine has to be built anew for it.

use innkeeper::{GuestCode, Innkeeper, ToolBench};
use innkeeper_cases::{Case, Ground, Printed, Stage, StageFault, files_in, play, read, setup};
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::host;

static INTERPRETING: OnceCell<Innkeeper> = OnceCell::const_new();

async fn interpreting() -> &'static Innkeeper {
    let build = async || host::builder().code(GuestCode::Pulley).build().await;
    INTERPRETING.get_or_init(async || build().await.unwrap()).await
}

/// A bench, and all that it has answered.
struct Noted {
    bench: ToolBench,
    answers: Vec<Value>,
}

impl Stage for Noted {
    async fn call(&mut self, tool: &str, arguments: &Value) -> Result<Printed, StageFault> {
        let result = self.bench.call(tool, arguments).await.map_err(|error| StageFault {
            code: error.code,
            message: error.message,
        })?;
        let mut answer = json!(result);
        // Time is the one thing in which they may differ.
        answer["usage"]["wallMicros"] = Value::Null;
        self.answers.push(answer);
        Printed::of(&result).map_err(|message| StageFault {
            code: "cli.output_failed".to_owned(),
            message,
        })
    }
}

/// How a case ends on this host, and every answer on the way.
async fn played(host: &Innkeeper, case: &Case) -> (Result<(), String>, Vec<Value>) {
    let ground = Ground::of(case).unwrap();
    let bench = match host.tool_bench(setup(case, &ground).unwrap()).await {
        Ok(bench) => bench,
        Err(error) => return (Err(error.code), Vec::new()),
    };
    let mut stage = Noted {
        bench,
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

macro_rules! tools {
    ($($test:ident = $tool:literal),* $(,)?) => {
        const TOOLS: &[&str] = &[$($tool),*];
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() {
                answers_alike($tool).await;
            }
        )*
    };
}

tools! {
    chat_read_messages = "chat.read_messages",
    chat_search = "chat.search",
    dice_roll = "dice.roll",
    skill_list = "skill.list",
    skill_read = "skill.read",
    skill_search = "skill.search",
    workspace_apply_patch = "workspace.apply_patch",
    workspace_commit = "workspace.commit",
    workspace_finish = "workspace.finish",
    workspace_list_files = "workspace.list_files",
    workspace_read_file = "workspace.read_file",
    workspace_search_files = "workspace.search_files",
    workspace_write_file = "workspace.write_file",
    worldinfo_read_activated = "worldinfo.read_activated",
}

#[tokio::test]
async fn every_built_in_tool_is_compared() {
    let catalogue = interpreting().await.tools();
    let mut tools: Vec<&str> = catalogue
        .tools()
        .iter()
        .map(|tool| tool.spec.native_name.as_str())
        .collect();
    tools.sort_unstable();
    assert_eq!(tools, TOOLS);
}
