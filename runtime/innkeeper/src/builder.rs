//! Putting a host together: folders, sandbox, tools.

use std::path::PathBuf;
use std::sync::Arc;

use innkeeper_capabilities::HostName;
use innkeeper_protocol::limits::Limits;
use innkeeper_protocol::model::ModelSource;
use innkeeper_protocol::network::{HttpClient, Secrets};
use innkeeper_protocol::port::{ChatSource, Clock, Entropy, PresetSource};
use innkeeper_sandbox::{Compiler, GuestCode, Sandbox, SandboxConfig};
use innkeeper_tools::Catalogue;

use crate::control::{ActiveRuns, HostBridge};
use crate::error::HostError;
use crate::extensions::Shelf;
use crate::network::NetworkPorts;
use crate::recorder::EventStamps;
use crate::system::{SystemClock, SystemEntropy};

/// How a host is to be set up. Made by [`Innkeeper::builder`].
pub struct Builder {
    data_root: Option<PathBuf>,
    cache_dir: Option<PathBuf>,
    extensions_of: Option<PathBuf>,
    pooled: bool,
    compiler: Compiler,
    code: GuestCode,
    limits: Limits,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    chats: Option<Arc<dyn ChatSource>>,
    models: Option<Arc<dyn ModelSource>>,
    presets: Option<Arc<dyn PresetSource>>,
    network: NetworkPorts,
}

impl Builder {
    /// Where runs, profiles and registries lie. Made when missing. Without it a host can list and call tools and nothing else.
    #[must_use]
    pub fn data_root(mut self, path: impl Into<PathBuf>) -> Self {
        self.data_root = Some(path.into());
        self
    }

    /// Where compiled components are kept; by default `cache` in the data root. Must be private to the user.
    #[must_use]
    pub fn cache_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.cache_dir = Some(path.into());
        self
    }

    /// Offers the extensions that are installed in this data root, for a host that keeps nothing in it; by default those of the data root.
    #[must_use]
    pub fn extensions_of(mut self, data_root: impl Into<PathBuf>) -> Self {
        self.extensions_of = Some(data_root.into());
        self
    }

    /// Reserves little address space: for platforms that have little. Calls take longer.
    #[must_use]
    pub fn small(mut self) -> Self {
        self.pooled = false;
        self
    }

    /// Who compiles components that are not Innkeeper's own; by default nobody, and extensions are refused. What a stranger's component
    /// does to a compiler is no defect of the engine, so it belongs into a process that may die of it: name a program of yours that calls
    /// [`compile_in_child`](crate::compile_in_child), which may be the application itself. Its built-in tools an application compiles
    /// itself.
    #[must_use]
    pub fn compiler(mut self, compiler: Compiler) -> Self {
        self.compiler = compiler;
        self
    }

    /// What components are compiled to; by default the machine's own code. An interpreter is there with the feature `pulley`.
    #[must_use]
    pub fn code(mut self, code: GuestCode) -> Self {
        self.code = code;
        self
    }

    /// Lowers the ceilings of every call; a limit above the default counts as the default.
    #[must_use]
    pub fn limits(mut self, limits: &Limits) -> Self {
        self.limits = Limits::default().lowered_to(limits);
        self
    }

    /// The application's chats, for runs that a front end starts with [`start_agent_run`](Innkeeper::start_agent_run).
    #[must_use]
    pub fn chats(mut self, chats: Arc<dyn ChatSource>) -> Self {
        self.chats = Some(chats);
        self
    }

    /// The application's models, for the same.
    #[must_use]
    pub fn models(mut self, models: Arc<dyn ModelSource>) -> Self {
        self.models = Some(models);
        self
    }

    /// The application's presets, for profiles that name one.
    #[must_use]
    pub fn presets(mut self, presets: Arc<dyn PresetSource>) -> Self {
        self.presets = Some(presets);
        self
    }

    /// Sends the requests of tools here, which were granted and checked before; by default over the network, without a proxy.
    #[must_use]
    pub fn http_client(mut self, client: Arc<dyn HttpClient>) -> Self {
        self.network.client = client;
        self
    }

    /// Whoever keeps the credentials that extensions may be granted; by default nobody has any.
    #[must_use]
    pub fn secrets(mut self, secrets: Arc<dyn Secrets>) -> Self {
        self.network.secrets = secrets;
        self
    }

    /// Hosts that no tool's request goes to, whatever was granted.
    #[must_use]
    pub fn deny_hosts(mut self, hosts: impl IntoIterator<Item = HostName>) -> Self {
        self.network.denied.extend(hosts);
        self
    }

    /// Takes the time from here; for tests.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Takes ids and seeds from here; for tests.
    #[must_use]
    pub fn entropy(mut self, entropy: Arc<dyn Entropy>) -> Self {
        self.entropy = entropy;
        self
    }

    /// Starts the sandbox, loads the built-in tools and the installed extensions, and closes runs that a dead process left open.
    ///
    /// # Errors
    /// [`HostError`] when the machine cannot give the sandbox what it needs, or the data root cannot be used.
    pub async fn build(self) -> Result<Innkeeper, HostError> {
        let cache_dir = self
            .cache_dir
            .or_else(|| self.data_root.as_ref().map(|root| root.join("cache")));
        let config = SandboxConfig {
            cache_dir,
            pooled: self.pooled,
            compiler: self.compiler,
            code: self.code,
            ..SandboxConfig::default()
        };
        let sandbox = Arc::new(Sandbox::new(config, self.clock.clone())?);
        let extensions_of = self.extensions_of.or_else(|| self.data_root.clone());
        let shelf = Shelf::fill(&sandbox, &self.limits, extensions_of).await?;
        let innkeeper = Innkeeper {
            data_root: self.data_root,
            sandbox,
            shelf,
            limits: self.limits,
            clock: self.clock,
            entropy: self.entropy,
            active: Arc::default(),
            bridge: Arc::default(),
            chats: self.chats,
            models: self.models,
            presets: self.presets,
            network: self.network,
        };
        innkeeper.close_abandoned_runs().await?;
        Ok(innkeeper)
    }
}

/// A host for tools and runs. Cheap to share behind an [`Arc`].
pub struct Innkeeper {
    pub(crate) data_root: Option<PathBuf>,
    pub(crate) sandbox: Arc<Sandbox>,
    pub(crate) shelf: Shelf,
    pub(crate) limits: Limits,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    /// The runs that are being executed here.
    pub(crate) active: Arc<ActiveRuns>,
    /// What they ask of a front end that owns their chats.
    pub(crate) bridge: Arc<HostBridge>,
    /// The application's chats.
    pub(crate) chats: Option<Arc<dyn ChatSource>>,
    /// The application's models.
    pub(crate) models: Option<Arc<dyn ModelSource>>,
    /// The application's presets.
    pub(crate) presets: Option<Arc<dyn PresetSource>>,
    /// How tools reach the network.
    pub(crate) network: NetworkPorts,
}

impl Innkeeper {
    /// A host is put together step by step.
    #[must_use]
    pub fn builder() -> Builder {
        Builder {
            data_root: None,
            cache_dir: None,
            extensions_of: None,
            pooled: SandboxConfig::default().pooled,
            compiler: Compiler::default(),
            code: GuestCode::default(),
            limits: Limits::default(),
            clock: Arc::new(SystemClock::default()),
            entropy: Arc::new(SystemEntropy),
            chats: None,
            models: None,
            presets: None,
            network: NetworkPorts::default(),
        }
    }

    /// Stamps for events that happen now.
    pub(crate) fn stamps(&self) -> EventStamps {
        EventStamps {
            clock: self.clock.clone(),
            entropy: self.entropy.clone(),
        }
    }

    /// Every tool that this host has now, whether or not a profile offers it.
    #[must_use]
    pub fn tools(&self) -> Arc<Catalogue> {
        self.shelf.catalogue()
    }
}
