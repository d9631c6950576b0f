//! The least of a host around the tools: a clock, fixed numbers, no files, and a chat in memory.

use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use innkeeper_capabilities::{CallHost, Capability, ControlRules, Invocation, InvocationSetup, Roots, Supplies, link};
use innkeeper_protocol::limits::Limits;
use innkeeper_protocol::path::{RootName, WorkspacePath};
use innkeeper_protocol::port::{
    ApplyError, ChatHistory, ChatMessage, ChatRole, Clock, FileChange, FileError, FileProblem, FileText, HistoryError,
    Listing, Randomness, WorkspaceFiles,
};
use innkeeper_sandbox::{Compiled, Prepared, Provenance, Sandbox, SandboxConfig, wire};
use innkeeper_tools::{CallEnvironment, Catalogue, Tool};
use serde_json::Value;

/// Messages of the chat; a search through them runs for several ticks, and 64 at once end well before their deadline.
const MESSAGES: u32 = 8_000;
/// A message of the chat; about as long as people's are.
const MESSAGE: &str = "The ferry was late again, and the Keeper lit the brass lantern before anyone asked. ";

/// All interfaces that a component can be linked with.
const EVERY_IMPORT: [&str; 10] = [
    "innkeeper:chat/history",
    "innkeeper:worldinfo/activated",
    "innkeeper:skills/library",
    "innkeeper:workspace/reader",
    "innkeeper:workspace/writer",
    "innkeeper:run/control",
    "innkeeper:random/random",
    "innkeeper:clock/clock",
    "innkeeper:http/fetch",
    "innkeeper:log/log",
];

/// A sandbox with the built-in tools, and an invocation to call them in.
pub(crate) struct Host {
    pub(crate) sandbox: Sandbox,
    catalogue: Catalogue,
    invocation: Arc<Invocation>,
}

impl Host {
    pub(crate) async fn new(config: SandboxConfig) -> Self {
        let sandbox = Sandbox::new(config, Arc::new(StdClock(Instant::now()))).expect("an engine");
        let catalogue = Catalogue::builtins(&sandbox, &Limits::default())
            .await
            .expect("the committed components");
        Self {
            sandbox,
            catalogue,
            invocation: invocation(),
        }
    }

    /// The tool of this native name.
    pub(crate) fn tool(&self, name: &str) -> &Tool {
        let mut tools = self.catalogue.tools().iter();
        tools
            .find(|tool| tool.spec.native_name.as_str() == name)
            .expect("a built-in tool")
    }

    /// A whole call, as a run makes it; it must work.
    pub(crate) async fn call(&self, tool: &Tool, arguments: &Value) {
        let environment = CallEnvironment {
            invocation: self.invocation.clone(),
            randomness: Box::new(Constant),
            clock: Arc::new(StdClock(Instant::now())),
            network: None,
            limits: Limits::default(),
        };
        let outcome = tool.call(&self.sandbox, arguments, environment).await.outcome;
        assert!(
            matches!(outcome, innkeeper_protocol::call::CallOutcome::Reply(_)),
            "{outcome:?}"
        );
    }

    async fn compile(&self, bytes: &[u8]) -> Compiled {
        let compiled = self.sandbox.compile(bytes, Provenance::OurOwn).await;
        compiled.expect("the committed component")
    }

    /// A component as [`Self::sandbox_call`] takes it.
    pub(crate) async fn prepare(&self, bytes: &[u8]) -> Prepared<CallHost> {
        let compiled = Arc::new(self.compile(bytes).await);
        let linker = link(&compiled, &Capability::ALL).expect("all imports are there");
        self.sandbox.prepare(compiled, &linker).expect("the tool interface")
    }

    /// A linker of every interface, made for a call and dropped after it, as a host does that keeps none.
    pub(crate) async fn link_and_call(&self, compiled: &Compiled, tool: &Tool, request: wire::Request) {
        let linker = link(compiled, &Capability::ALL).expect("all imports are there");
        let prepared = self
            .sandbox
            .prepare(Arc::new(compiled.clone()), &linker)
            .expect("the tool interface");
        self.sandbox_call(&prepared, tool, request).await;
    }

    /// The component as it would be if it imported all that there is.
    pub(crate) async fn compile_with_every_import(&self, bytes: &[u8]) -> Compiled {
        let mut compiled = self.compile(bytes).await;
        compiled.imports = EVERY_IMPORT.map(|name| format!("{name}@0.1.0")).to_vec();
        compiled
    }

    /// The part of a call that happens in the sandbox: every limit, no argument gate and no reply to put together.
    pub(crate) async fn sandbox_call(&self, prepared: &Prepared<CallHost>, tool: &Tool, request: wire::Request) {
        let uses: Vec<_> = tool
            .spec
            .uses
            .iter()
            .filter_map(|name| innkeeper_capabilities::Interface::parse(name))
            .collect();
        let host = CallHost::armed(&uses, self.invocation.clone(), supplies());
        let report = self.sandbox.call(prepared, host, Limits::default(), request).await;
        std::hint::black_box(report.answer.expect("an answer"));
    }
}

fn supplies() -> Supplies {
    Supplies {
        randomness: Box::new(Constant),
        clock: Arc::new(StdClock(Instant::now())),
        network: None,
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
    Arc::new(Invocation::new(InvocationSetup {
        roots: Roots::new(RootName::universe().to_vec(), Vec::new()),
        files: Arc::new(NoFiles),
        chat: Some(Arc::new(Story)),
        activation: None,
        skills: None,
        control,
    }))
}

pub(crate) struct StdClock(pub(crate) Instant);

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

/// A chat that says the same again and again.
struct Story;

#[async_trait]
impl ChatHistory for Story {
    async fn count(&self) -> Result<u32, HistoryError> {
        Ok(MESSAGES)
    }

    async fn page(&self, start: u32, count: u32) -> Result<Vec<ChatMessage>, HistoryError> {
        let end = start.saturating_add(count).min(MESSAGES);
        Ok((start..end).map(message).collect())
    }
}

fn message(index: u32) -> ChatMessage {
    ChatMessage {
        index,
        role: ChatRole::Assistant,
        name: "Keeper".to_owned(),
        text: MESSAGE.repeat(6),
        send_date: None,
    }
}
