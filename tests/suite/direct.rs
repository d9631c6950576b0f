//! Calls below the bench: one sandbox, one component, files that a test supplies, and everything that a call leaves behind.
//!
//! For what a bench does not show: logs, plans, and what a call that was cancelled has done.

use std::sync::Arc;

use async_trait::async_trait;
use innkeeper::SystemClock;
use innkeeper::protocol::limits::Limits;
use innkeeper::protocol::path::{RootName, WorkspacePath};
use innkeeper::protocol::port::{ApplyError, FileChange, FileError, FileText, Listing, Randomness, WorkspaceFiles};
use innkeeper_capabilities::{Capability, ControlRules, Invocation, InvocationSetup, Roots};
use innkeeper_sandbox::{Sandbox, SandboxConfig};
use innkeeper_tools::{CallEnvironment, Catalogue, Dispatched, Origin};
use serde_json::{Value, json};

use crate::guests::component;
use crate::host;

/// A sandbox of its own with one hostile component and the built-in ones.
pub struct Direct {
    sandbox: Sandbox,
    hostile: Catalogue,
    builtins: Catalogue,
    files: Arc<dyn WorkspaceFiles>,
}

/// Numbers that are all 0.
struct Zero;

impl Randomness for Zero {
    fn below(&mut self, _: u64) -> u64 {
        0
    }
}

/// No files, and none can be made.
pub struct NoFiles;

#[async_trait]
impl WorkspaceFiles for NoFiles {
    async fn list(&self, _: &WorkspacePath, _: u32, _: u32) -> Result<Listing, FileError> {
        Ok(Listing::default())
    }

    async fn read(&self, _: &WorkspacePath) -> Result<FileText, FileError> {
        Err(innkeeper::protocol::port::FileProblem::NotFound.into())
    }

    async fn apply(&self, changes: Vec<FileChange>) -> Result<(), ApplyError> {
        panic!("a test that has no files must not change any: {changes:?}")
    }
}

impl Direct {
    /// A sandbox in which one call runs at a time, so that a call that has not let go of its place shows.
    pub async fn new(guest: &str, granted: &[Capability], files: Arc<dyn WorkspaceFiles>) -> Self {
        Self::of(&component(guest), granted, files).await
    }

    /// The same for a component that has no file.
    pub async fn of(bytes: &[u8], granted: &[Capability], files: Arc<dyn WorkspaceFiles>) -> Self {
        let config = SandboxConfig {
            cache_dir: Some(host::cache()),
            max_concurrent: 1,
            compiler: host::compiler(),
            ..SandboxConfig::default()
        };
        let sandbox = Sandbox::new(config, Arc::new(SystemClock::default())).unwrap();
        let builtins = Catalogue::builtins(&sandbox, &Limits::default()).await.unwrap();
        let mut hostile = Catalogue::default();
        let origin = Origin::Extension("hostile".to_owned());
        hostile
            .add(&sandbox, "hostile", &origin, bytes, &granted.into())
            .await
            .unwrap();
        Self {
            sandbox,
            hostile,
            builtins,
            files,
        }
    }

    /// Calls the hostile tool in an invocation of its own.
    pub async fn act(&self, arguments: Value, limits: Limits) -> Dispatched {
        self.call(&self.hostile, "hostile.act", arguments, limits).await
    }

    /// Whether a good guest can be called in the same sandbox.
    pub async fn lives(&self) {
        let rolled = self.call(
            &self.builtins,
            "dice.roll",
            json!({"formula": "2d1+1"}),
            Limits::default(),
        );
        let outcome = rolled.await.outcome;
        let innkeeper::protocol::call::CallOutcome::Reply(reply) = outcome else {
            panic!("{outcome:?}")
        };
        assert_eq!(reply.structured.unwrap()["total"], 3);
    }

    async fn call(&self, catalogue: &Catalogue, name: &str, arguments: Value, limits: Limits) -> Dispatched {
        let mut tools = catalogue.tools().iter();
        let tool = tools.find(|tool| tool.spec.native_name.as_str() == name).unwrap();
        let universe = RootName::universe().to_vec();
        let invocation = Invocation::new(InvocationSetup {
            roots: Roots::new(universe.clone(), universe),
            files: self.files.clone(),
            chat: None,
            activation: None,
            skills: None,
            control: ControlRules {
                message_path: WorkspacePath::parse("output/main.md").unwrap(),
                message_required: true,
                foreground: true,
                child: false,
            },
        });
        let environment = CallEnvironment {
            invocation: Arc::new(invocation),
            randomness: Box::new(Zero),
            clock: Arc::new(SystemClock::default()),
            network: None,
            limits,
        };
        tool.call(&self.sandbox, &arguments, environment).await
    }
}
