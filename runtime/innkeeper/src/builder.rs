//! Putting a host together: folders, sandbox, built-in tools.

use std::path::PathBuf;
use std::sync::Arc;

use innkeeper_protocol::limits::Limits;
use innkeeper_protocol::port::{Clock, Entropy};
use innkeeper_sandbox::{Sandbox, SandboxConfig};
use innkeeper_tools::Catalogue;

use crate::error::HostError;
use crate::system::{SystemClock, SystemEntropy};

/// How a host is to be set up. Made by [`Innkeeper::builder`].
pub struct Builder {
    data_root: Option<PathBuf>,
    cache_dir: Option<PathBuf>,
    pooled: bool,
    limits: Limits,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
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

    /// Reserves little address space: for platforms that have little. Calls take longer.
    #[must_use]
    pub fn small(mut self) -> Self {
        self.pooled = false;
        self
    }

    /// Lowers the ceilings of every call; a limit above the default counts as the default.
    #[must_use]
    pub fn limits(mut self, limits: &Limits) -> Self {
        self.limits = Limits::default().lowered_to(limits);
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

    /// Starts the sandbox, loads the built-in tools and closes runs that a dead process left open.
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
            ..SandboxConfig::default()
        };
        let sandbox = Arc::new(Sandbox::new(config, self.clock.clone())?);
        let catalogue = Arc::new(Catalogue::builtins(&sandbox, &self.limits).await?);
        let innkeeper = Innkeeper {
            data_root: self.data_root,
            sandbox,
            catalogue,
            limits: self.limits,
            clock: self.clock,
            entropy: self.entropy,
        };
        innkeeper.close_abandoned_runs().await?;
        Ok(innkeeper)
    }
}

/// A host for tools and runs. Cheap to share behind an [`Arc`].
pub struct Innkeeper {
    pub(crate) data_root: Option<PathBuf>,
    pub(crate) sandbox: Arc<Sandbox>,
    pub(crate) catalogue: Arc<Catalogue>,
    pub(crate) limits: Limits,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
}

impl Innkeeper {
    /// A host is put together step by step.
    #[must_use]
    pub fn builder() -> Builder {
        Builder {
            data_root: None,
            cache_dir: None,
            pooled: SandboxConfig::default().pooled,
            limits: Limits::default(),
            clock: Arc::new(SystemClock::default()),
            entropy: Arc::new(SystemEntropy),
        }
    }

    /// Every tool of this host, whether or not a profile offers it.
    #[must_use]
    pub fn tools(&self) -> &Catalogue {
        &self.catalogue
    }
}
