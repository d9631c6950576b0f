//! Calling tools without a run: for people who try a tool and for tests that state what it does.
//!
//! Calls of one bench share an invocation, so what one has read another may patch. Writes are applied to the given folder; commits
//! and finishes are listed and not carried out.

use std::path::PathBuf;
use std::sync::Arc;

use innkeeper_capabilities::{ControlRules, Grants, HostName, Invocation, InvocationSetup, Roots, SkillRules};
use innkeeper_protocol::call::{Block, CallOutcome, PlannedEffect, ToolError, ToolResult};
use innkeeper_protocol::id::{CallId, ToolId};
use innkeeper_protocol::limits::{Limits, Usage};
use innkeeper_protocol::path::{RootName, WorkspacePath};
use innkeeper_protocol::port::{ApplyError, ChatHistory, Clock, WorkspaceFiles};
use innkeeper_protocol::run::GenerationType;
use innkeeper_protocol::worldinfo::Activation;
use innkeeper_store::chat::{ChatPath, HistoryView, freeze, read_chat};
use innkeeper_store::skills::EffectiveSkills;
use innkeeper_store::tree::Tree;
use innkeeper_tools::{CallEnvironment, Catalogue, Dispatched, Origin, Tool};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::builder::Innkeeper;
use crate::error::HostError;
use crate::network::{BenchNetwork, FrozenClock, NetworkPorts};
use crate::ports::RunFiles;
use crate::system::SeededRandomness;
use crate::words;

/// A component that is tried instead of the built-in ones.
#[derive(Debug, Clone)]
pub struct ForeignComponent {
    /// What its tools are called after: `extension/<id>:<name>`.
    pub id: String,
    /// The component.
    pub bytes: Vec<u8>,
    /// What it is granted.
    pub granted: Grants,
}

/// What a bench is made of.
#[derive(Debug, Clone, Default)]
pub struct BenchSetup {
    /// A run workspace with the roots in it.
    pub workspace: PathBuf,
    /// A chat file.
    pub chat: Option<PathBuf>,
    /// Messages that the tools may see; none for all.
    pub boundary: Option<u32>,
    /// World info that counts as activated: a snapshot's `worldInfoActivation`.
    pub activation: Option<Value>,
    /// A folder of skills, or one skill.
    pub skills: Option<PathBuf>,
    /// Which skills may be seen, and how much of them; all, within the built-in profile's budgets, where none is given.
    pub skill_policy: Option<SkillPolicy>,
    /// Seed of the random numbers; none for a fresh one.
    pub seed: Option<u64>,
    /// Roots that may be read; none for all.
    pub visible: Option<Vec<String>>,
    /// Roots that may be written; none for all visible ones.
    pub writable: Option<Vec<String>>,
    /// Ceilings; the host's own where not lowered.
    pub limits: Limits,
    /// What the tools are told of the time, in milliseconds since 1970; none for the host's own clock.
    pub now_ms: Option<u64>,
    /// How the tools reach the network.
    pub network: BenchNetwork,
    /// Hosts that no request goes to, whatever was granted.
    pub denied_hosts: Vec<HostName>,
    /// A component to use instead of the built-in ones.
    pub component: Option<ForeignComponent>,
}

/// Which skills may be seen on a bench, and how much of them: what a profile says of skills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillPolicy {
    /// Names, or `*`.
    pub visible: Vec<String>,
    /// Names, or `*`; a deny wins.
    pub deny: Vec<String>,
    /// Characters of one read.
    pub max_chars_per_call: u32,
    /// Characters of all reads of the bench.
    pub max_chars_per_run: u32,
}

impl Default for SkillPolicy {
    fn default() -> Self {
        Self {
            visible: vec!["*".to_owned()],
            deny: Vec::new(),
            max_chars_per_call: 20_000,
            max_chars_per_run: 80_000,
        }
    }
}

/// A call's result as the command line shows it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BenchResult {
    /// The call.
    pub call_id: CallId,
    /// The tool.
    pub tool_id: ToolId,
    /// Whether it is an error that a model could act on.
    pub is_error: bool,
    /// Its code.
    pub error_code: Option<String>,
    /// What a model would read.
    pub model_text: String,
    /// Typed blocks.
    pub content: Vec<Block>,
    /// For programs.
    pub structured: Option<Value>,
    /// What the result refers to.
    pub resource_refs: Vec<String>,
    /// What the call did, or in a run would do.
    pub effects: Vec<PlannedEffect>,
    /// Limits used.
    pub usage: Usage,
}

/// Tools on a bench.
pub struct ToolBench {
    catalogue: Arc<Catalogue>,
    sandbox: Arc<innkeeper_sandbox::Sandbox>,
    invocation: Arc<Invocation>,
    clock: Arc<dyn Clock>,
    network: NetworkPorts,
    limits: Limits,
    seed: u64,
    calls: u64,
}

impl Innkeeper {
    /// Sets tools up on a bench.
    ///
    /// # Errors
    /// [`HostError`] when the folder, the chat, the component or a root's name cannot be used.
    pub async fn tool_bench(&self, setup: BenchSetup) -> Result<ToolBench, HostError> {
        let limits = self.limits.lowered_to(&setup.limits);
        let catalogue = match &setup.component {
            None => self.tools(),
            Some(foreign) => {
                let mut catalogue = Catalogue::new(limits);
                let origin = Origin::Extension(foreign.id.clone());
                catalogue
                    .add(&self.sandbox, &foreign.id, &origin, &foreign.bytes, &foreign.granted)
                    .await?;
                Arc::new(catalogue)
            }
        };
        let setup = BenchSetup {
            component: None,
            ..setup
        };
        self.bench_over(catalogue, setup).await
    }

    /// The same over tools that are loaded already.
    pub(crate) async fn bench_over(
        &self,
        catalogue: Arc<Catalogue>,
        setup: BenchSetup,
    ) -> Result<ToolBench, HostError> {
        let limits = self.limits.lowered_to(&setup.limits);
        let files: Arc<dyn WorkspaceFiles> = Arc::new(RunFiles::new(Arc::new(Tree::open(&setup.workspace)?)));
        let chat = setup.chat.map(|path| history(path, setup.boundary)).transpose()?;
        let skills = match &setup.skills {
            Some(folder) => Some(bench_skills(
                crate::skills::of_folder(folder).await?,
                setup.skill_policy.unwrap_or_default(),
            )),
            None => None,
        };
        let activation = setup
            .activation
            .as_ref()
            .map(Activation::parse)
            .transpose()?
            .map(Arc::new);
        let control = ControlRules {
            message_path: message_path()?,
            message_required: true,
            foreground: true,
            child: false,
        };
        let roots = roots(setup.visible, setup.writable)?;
        let invocation = Arc::new(Invocation::new(InvocationSetup {
            roots,
            files,
            chat,
            activation,
            skills,
            control,
        }));
        let seed = setup.seed.unwrap_or_else(|| self.entropy.seed());
        Ok(ToolBench {
            catalogue,
            sandbox: self.sandbox.clone(),
            invocation,
            clock: match setup.now_ms {
                Some(now) => Arc::new(FrozenClock(now)),
                None => self.clock.clone(),
            },
            network: setup.network.ports(&self.network).without(setup.denied_hosts),
            limits,
            seed,
            calls: 0,
        })
    }
}

fn bench_skills(library: EffectiveSkills, policy: SkillPolicy) -> SkillRules {
    SkillRules {
        library: Arc::new(library),
        visible: policy.visible,
        deny: policy.deny,
        max_chars_per_call: policy.max_chars_per_call,
        max_chars_per_run: policy.max_chars_per_run,
    }
}

/// Where a message is drafted unless a profile says otherwise.
fn message_path() -> Result<WorkspacePath, HostError> {
    WorkspacePath::parse("output/main.md").map_err(|e| HostError::internal("agent.internal_error", e.to_string()))
}

fn roots(visible: Option<Vec<String>>, writable: Option<Vec<String>>) -> Result<Roots, HostError> {
    let declare = |names: Vec<String>| {
        let named = names.iter().map(|name| RootName::declare(name.trim()));
        named
            .collect::<Result<Vec<_>, _>>()
            .map_err(|e| HostError::new("agent.profile_workspace_root_invalid", e.to_string()))
    };
    let visible = match visible {
        Some(names) => declare(names)?,
        None => RootName::universe().to_vec(),
    };
    let writable = match writable {
        Some(names) => declare(names)?,
        None => visible.clone(),
    };
    Ok(Roots::new(visible, writable))
}

fn history(path: PathBuf, boundary: Option<u32>) -> Result<Arc<dyn ChatHistory>, HostError> {
    let path = ChatPath::resolve(&path)?;
    let chat = read_chat(&path)?;
    let all = freeze(&chat, GenerationType::Normal)?.visible;
    Ok(Arc::new(HistoryView::new(Arc::new(chat), boundary.unwrap_or(all))?))
}

impl ToolBench {
    /// Performs one call. `name` is a native name, an alias or a whole id.
    ///
    /// # Errors
    /// [`HostError`] for an unknown tool, and for what would end a run.
    pub async fn call(&mut self, name: &str, arguments: &Value) -> Result<BenchResult, HostError> {
        let tool = self.find(name)?.clone();
        let dispatched = self.dispatch(&tool, arguments).await;
        let call_id = CallId::parse(&format!("call_{}", self.calls))
            .map_err(|e| HostError::internal("agent.internal_error", e.to_string()))?;
        let (result, effects) = self.carry_out(&tool, call_id, dispatched).await?;
        Ok(BenchResult {
            call_id: result.call_id,
            tool_id: result.tool_id,
            is_error: result.is_error,
            error_code: result.error_code,
            model_text: result.model_text,
            content: result.content,
            structured: result.structured,
            resource_refs: result.resource_refs,
            effects,
            usage: result.usage.unwrap_or_default(),
        })
    }

    /// The part of a call that the tool itself performs. Dropping it leaves nothing behind; what it plans is applied by nobody.
    pub(crate) async fn dispatch(&mut self, tool: &Tool, arguments: &Value) -> Dispatched {
        self.calls += 1;
        let environment = CallEnvironment {
            invocation: self.invocation.clone(),
            randomness: Box::new(SeededRandomness::of_call(self.seed, self.calls)),
            clock: self.clock.clone(),
            network: Some(self.network.network(None)),
            limits: self.limits.clone(),
        };
        tool.call(&self.sandbox, arguments, environment).await
    }

    async fn carry_out(
        &self,
        tool: &Tool,
        call_id: CallId,
        dispatched: Dispatched,
    ) -> Result<(ToolResult, Vec<PlannedEffect>), HostError> {
        let id = tool.spec.id.clone();
        let Dispatched {
            outcome, mut staged, ..
        } = dispatched;
        let mut reply = match outcome {
            CallOutcome::Fault(error) => return Err(error.into()),
            CallOutcome::Error(error) => return Ok((ToolResult::of_error(call_id, id, error), Vec::new())),
            CallOutcome::Reply(reply) => reply,
        };
        match self.invocation.files().apply(std::mem::take(&mut staged.changes)).await {
            Ok(()) => {}
            Err(ApplyError::Fault(error)) => return Err(error.into()),
            Err(error) => {
                let error = ToolError {
                    told: Box::new(reply.told),
                    usage: Some(reply.usage),
                    ..words::not_applied(&error, &reply.effects)
                };
                return Ok((ToolResult::of_error(call_id, id, error), Vec::new()));
            }
        }
        self.invocation.settle(&staged);
        if staged.commit().is_some() {
            self.invocation.explicit_commit_confirmed();
            innkeeper_agent::fill_commit(&mut reply, None);
        }
        let effects = std::mem::take(&mut reply.effects);
        Ok((ToolResult::of_reply(call_id, id, reply), effects))
    }

    fn find(&self, name: &str) -> Result<&Arc<Tool>, HostError> {
        let named = |tool: &&Arc<Tool>| {
            let native = tool.spec.native_name.as_str();
            tool.spec.id.as_str() == name || native == name || native.replace('.', "_") == name
        };
        self.catalogue.tools().iter().find(named).ok_or_else(|| {
            let known: Vec<&str> = self
                .catalogue
                .tools()
                .iter()
                .map(|tool| tool.spec.native_name.as_str())
                .collect();
            HostError::new("tool.not_found", format!("there is no tool {name:?}"))
                .with_hint(format!("Tools here: {}.", known.join(", ")))
        })
    }
}
