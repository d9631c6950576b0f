//! The engine: how components are compiled, pooled and interrupted.
//!
//! One engine serves a process. Its ticker thread ends with it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use innkeeper_protocol::limits::Limits;
use innkeeper_protocol::port::Clock;
use tokio::sync::Semaphore;
use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig};

use crate::artefact::ArtefactCache;

/// How often a running guest yields, and so how late a deadline may be noticed.
const TICK: Duration = Duration::from_millis(10);
/// Bytes of a pooled memory that stay resident between calls: the guests' initial 512 KiB.
const KEEP_RESIDENT_BYTES: usize = 512 * 1024;
/// Room for the host's own frames above the guest's stack.
const HOST_STACK_BYTES: usize = 512 * 1024;
/// Address space that a memory outside the pool reserves.
const UNPOOLED_RESERVATION_BYTES: u64 = 64 << 20;

/// How a sandbox is set up.
#[derive(Debug, Clone)]
pub struct SandboxConfig {
    /// Where compiled components are kept between processes; none keeps them in memory only. The folder must be private to the user.
    pub cache_dir: Option<PathBuf>,
    /// Calls that may run at the same time; others wait their turn in order. At least 1.
    pub max_concurrent: usize,
    /// Whether instances come from a pool. Without it calls are slower and need little address space.
    pub pooled: bool,
}

impl Default for SandboxConfig {
    fn default() -> Self {
        Self {
            cache_dir: None,
            max_concurrent: 64,
            pooled: cfg!(target_pointer_width = "64"),
        }
    }
}

/// The sandbox could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The engine refused its settings; usually too little address space for the pool.
    #[error("the WebAssembly engine cannot start: {0}")]
    Engine(String),
    /// The ticker thread could not be started.
    #[error("the sandbox's ticker thread cannot start")]
    Ticker(#[source] std::io::Error),
}

impl SandboxError {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Engine(_) => "sandbox.engine_failed",
            Self::Ticker(_) => "sandbox.ticker_failed",
        }
    }
}

/// Compiles components and runs calls in them.
pub struct Sandbox {
    pub(crate) engine: Engine,
    pub(crate) cache: ArtefactCache,
    pub(crate) permits: Arc<Semaphore>,
    pub(crate) clock: Arc<dyn Clock>,
}

impl Sandbox {
    /// Starts an engine and its ticker.
    ///
    /// # Errors
    /// [`SandboxError`] when the machine cannot give what an engine needs, even without a pool.
    pub fn new(config: SandboxConfig, clock: Arc<dyn Clock>) -> Result<Self, SandboxError> {
        let max_concurrent = config.max_concurrent.max(1);
        let engine = pooled_or_not(&config, max_concurrent)?;
        start_ticker(&engine)?;
        Ok(Self {
            engine,
            cache: ArtefactCache::new(config.cache_dir),
            permits: Arc::new(Semaphore::new(max_concurrent)),
            clock,
        })
    }

    /// The engine, for whoever builds a linker.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }
}

/// A machine that cannot reserve the pool's address space still gets an engine, a slower one.
fn pooled_or_not(config: &SandboxConfig, max_concurrent: usize) -> Result<Engine, SandboxError> {
    match Engine::new(&engine_config(config, max_concurrent)) {
        Ok(engine) => Ok(engine),
        Err(reason) if config.pooled => {
            tracing::warn!("no pool of instances, calls will be slower: {reason:#}");
            let unpooled = SandboxConfig {
                pooled: false,
                ..config.clone()
            };
            Engine::new(&engine_config(&unpooled, max_concurrent)).map_err(|e| SandboxError::Engine(format!("{e:#}")))
        }
        Err(reason) => Err(SandboxError::Engine(format!("{reason:#}"))),
    }
}

/// The settings that every engine of ours has; a bench compares them with bare wasmtime.
fn engine_config(sandbox: &SandboxConfig, max_concurrent: usize) -> Config {
    let limits = Limits::default();
    let mut config = Config::new();
    config.wasm_component_model(true);
    config.epoch_interruption(true);
    config.concurrency_support(false);
    config.max_wasm_stack(limits.stack_bytes);
    config.async_stack_size(limits.stack_bytes + HOST_STACK_BYTES);
    config.memory_init_cow(true);
    if sandbox.pooled {
        config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool(&limits, max_concurrent)));
    } else {
        config.memory_reservation(UNPOOLED_RESERVATION_BYTES);
    }
    config
}

fn pool(limits: &Limits, max_concurrent: usize) -> PoolingAllocationConfig {
    // A call may hold several core instances and memories (JavaScript three, Python more); the pool is sized for a mix.
    let calls = u32::try_from(max_concurrent).unwrap_or(u32::MAX / 64).max(2);
    let memory_bytes = usize::try_from(limits.memory_bytes).unwrap_or(usize::MAX);
    let table_elements = usize::try_from(limits.table_elements).unwrap_or(usize::MAX);
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(calls)
        .total_core_instances(calls.saturating_mul(8))
        .total_memories(calls.saturating_mul(2))
        .total_tables(calls.saturating_mul(4))
        .total_stacks(calls)
        .max_core_instances_per_component(64)
        .max_memories_per_component(8)
        .max_tables_per_component(64)
        .max_tables_per_module(16)
        .max_memories_per_module(8)
        .max_memory_size(memory_bytes)
        .table_elements(table_elements)
        .linear_memory_keep_resident(KEEP_RESIDENT_BYTES)
        .table_keep_resident(64 * 1024)
        .pagemap_scan(Enabled::Auto);
    pool
}

fn start_ticker(engine: &Engine) -> Result<(), SandboxError> {
    let weak = engine.weak();
    let tick = move || {
        while let Some(engine) = weak.upgrade() {
            engine.increment_epoch();
            drop(engine);
            std::thread::sleep(TICK);
        }
    };
    std::thread::Builder::new()
        .name("innkeeper-epoch".to_owned())
        .spawn(tick)
        .map_err(SandboxError::Ticker)?;
    Ok(())
}
