//! What a warm call costs beside bare wasmtime: the same component, the same engine, a fresh instance each, in one run.
//!
//! It prints medians and their ratio and asserts nothing: a machine's mood is no test.

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a bench may stop where it stands, and prints its result"
)]
#![allow(clippy::disallowed_methods, reason = "time is what is measured")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use innkeeper_capabilities::{ControlRules, Invocation, InvocationSetup, Roots};
use innkeeper_protocol::limits::Limits;
use innkeeper_protocol::path::{RootName, WorkspacePath};
use innkeeper_protocol::port::{
    ApplyError, Clock, FileChange, FileError, FileProblem, FileText, Listing, Randomness, WorkspaceFiles,
};
use innkeeper_sandbox::{Sandbox, SandboxConfig, bindings, wire};
use innkeeper_tools::{CallEnvironment, Catalogue, Tool};
use serde_json::{Value, json};
use wasmtime::Store;
use wasmtime::component::{Component, Linker};

/// Calls of each kind; taken in turns, so that both meet the same machine.
const CALLS: usize = 20_000;
const WARM_UP: usize = 2_000;

struct StdClock(Instant);

impl Clock for StdClock {
    fn wall_ms(&self) -> u64 {
        0
    }

    fn monotonic_micros(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}

/// Always the same number: drawing is not what is measured.
struct Constant;

impl Randomness for Constant {
    fn below(&mut self, bound: u64) -> u64 {
        3 % bound
    }
}

struct NoFiles;

#[async_trait]
impl WorkspaceFiles for NoFiles {
    async fn list(&self, _: &WorkspacePath, _: u32, _: u32) -> Result<Listing, FileError> {
        Ok(Listing::default())
    }

    async fn read(&self, _: &WorkspacePath) -> Result<FileText, FileError> {
        Err(FileProblem::NotFound.into())
    }

    async fn apply(&self, _: Vec<FileChange>) -> Result<(), ApplyError> {
        Ok(())
    }
}

fn invocation() -> Arc<Invocation> {
    let message_path = WorkspacePath::parse("output/main.md").expect("a plain path");
    let control = ControlRules {
        message_path,
        message_required: true,
        foreground: true,
        child: false,
    };
    let roots = Roots::new(RootName::universe().to_vec(), Vec::new());
    Arc::new(Invocation::new(InvocationSetup {
        roots,
        files: Arc::new(NoFiles),
        chat: None,
        activation: None,
        skills: None,
        control,
    }))
}

/// The least that a host can do: link two functions, make an instance, call it, drop it.
struct Bare {
    pre: bindings::ComponentPre<()>,
    engine: wasmtime::Engine,
}

impl Bare {
    fn new(sandbox: &Sandbox, bytes: &[u8]) -> Self {
        let engine = sandbox.engine().clone();
        let mut linker: Linker<()> = Linker::new(&engine);
        let mut random = linker
            .instance("innkeeper:random/random@0.1.0")
            .expect("a new instance");
        random
            .func_wrap_async("below", |_, (bound,): (u64,)| Box::new(async move { Ok((3 % bound,)) }))
            .expect("a new function");
        let component = Component::from_binary(&engine, bytes).expect("the committed component");
        let linked = linker.instantiate_pre(&component).expect("all imports are there");
        Self {
            pre: bindings::ComponentPre::new(linked).expect("the tool interface"),
            engine,
        }
    }

    async fn call(&self, request: &wire::Request) -> wire::Reply {
        let mut store = Store::new(&self.engine, ());
        store.set_epoch_deadline(1);
        store.epoch_deadline_async_yield_and_update(1);
        let instance = self.pre.instantiate_async(&mut store).await.expect("an instance");
        let answer = instance.innkeeper_tool_tool().call_call(&mut store, request).await;
        answer.expect("no trap").expect("a good formula")
    }
}

async fn ours(tool: &Tool, sandbox: &Sandbox, invocation: &Arc<Invocation>, arguments: &Value) {
    let environment = CallEnvironment {
        invocation: invocation.clone(),
        randomness: Box::new(Constant),
        limits: Limits::default(),
    };
    black_box(tool.call(sandbox, arguments, environment).await.outcome);
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

#[tokio::main]
async fn main() {
    let sandbox = Sandbox::new(SandboxConfig::default(), Arc::new(StdClock(Instant::now()))).expect("an engine");
    let catalogue = Catalogue::builtins(&sandbox, &Limits::default())
        .await
        .expect("the committed components");
    let tool = catalogue
        .tools()
        .iter()
        .find(|tool| tool.spec.native_name.as_str() == "dice.roll")
        .expect("dice");
    let builtin = innkeeper_builtins::all()
        .iter()
        .find(|builtin| builtin.family == "dice")
        .expect("dice");
    let bare = Bare::new(&sandbox, builtin.bytes);
    let arguments = json!({ "formula": "3d6+4" });
    let request = wire::Request {
        name: "dice.roll".to_owned(),
        arguments: arguments.to_string(),
    };
    let invocation = invocation();
    let (mut bare_times, mut our_times) = (Vec::new(), Vec::new());
    for round in 0..WARM_UP + CALLS {
        let start = Instant::now();
        black_box(bare.call(&request).await);
        let bare_time = start.elapsed();
        let start = Instant::now();
        ours(tool, &sandbox, &invocation, &arguments).await;
        let our_time = start.elapsed();
        if round >= WARM_UP {
            bare_times.push(bare_time);
            our_times.push(our_time);
        }
    }
    let (bare_time, our_time) = (median(bare_times), median(our_times));
    println!(
        "bare wasmtime  {:>8.1} µs (p50 of {CALLS})",
        bare_time.as_secs_f64() * 1e6
    );
    println!(
        "innkeeper      {:>8.1} µs (p50 of {CALLS})",
        our_time.as_secs_f64() * 1e6
    );
    println!(
        "ratio          {:>8.2}",
        our_time.as_secs_f64() / bare_time.as_secs_f64()
    );
}
