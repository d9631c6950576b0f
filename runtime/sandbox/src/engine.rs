//! The engines: how components are pooled and interrupted.
//!
//! One serves nearly all components of a process, a second one the large ones. A ticker thread ends with its engine.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use innkeeper_protocol::limits::Limits;
use innkeeper_protocol::port::Clock;
use tokio::sync::Semaphore;
use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, OptLevel, PoolingAllocationConfig};

use crate::artefact::ArtefactCache;
use crate::compiler::{self, ChildCompiler, Compiler};
use crate::meter::{MAX_INSTANCES, MAX_MEMORIES, MAX_TABLES};
use crate::prescan::Share;

/// How often a running guest yields, and so how late a deadline may be noticed.
const TICK: Duration = Duration::from_millis(10);
/// Bytes of a pooled memory that stay resident between calls: the guests' initial 512 KiB.
const KEEP_RESIDENT_BYTES: usize = 512 * 1024;
/// Room for the host's own frames above the guest's stack.
const HOST_STACK_BYTES: usize = 512 * 1024;
/// Address space that a memory outside the pool reserves.
const UNPOOLED_RESERVATION_BYTES: u64 = 64 << 20;

/// The interpreter's machine, of this machine's word size.
#[cfg(all(feature = "pulley", target_pointer_width = "64"))]
const PULLEY: &str = "pulley64";
/// The interpreter's machine, of this machine's word size.
#[cfg(all(feature = "pulley", target_pointer_width = "32"))]
const PULLEY: &str = "pulley32";

/// Component files above this size never come from the pool: an instance of theirs is large and lives long enough not to gain by it.
const LARGE_COMPONENT_BYTES: usize = 4 * 1024 * 1024;
/// Core instances that the pool has for each call; a tool in Rust takes one.
const INSTANCES_PER_CALL: u32 = 8;
/// Memories that the pool has for each call.
const MEMORIES_PER_CALL: u32 = 2;
/// Tables that the pool has for each call.
const TABLES_PER_CALL: u32 = 4;

/// How a sandbox is set up.
#[derive(Debug, Clone)]
pub struct SandboxConfig {
    /// Where compiled components are kept between processes; none keeps them in memory only. The folder must be private to the user; the
    /// key to it is written beside it.
    pub cache_dir: Option<PathBuf>,
    /// Calls that may run at the same time; others wait their turn in order. At least 1.
    pub max_concurrent: usize,
    /// Whether instances come from a pool. Without it calls are slower and need little address space.
    pub pooled: bool,
    /// Who compiles components that are not the program's own.
    pub compiler: Compiler,
    /// What components are compiled to.
    pub code: GuestCode,
}

/// What components are compiled to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum GuestCode {
    /// The machine's own code.
    #[default]
    Native,
    /// Code for wasmtime's interpreter, several times slower: for systems on which no program may make machine code.
    #[cfg(feature = "pulley")]
    Pulley,
}

impl Default for SandboxConfig {
    fn default() -> Self {
        Self {
            cache_dir: None,
            max_concurrent: 64,
            pooled: cfg!(target_pointer_width = "64"),
            compiler: Compiler::default(),
            code: GuestCode::default(),
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
    pub(crate) engines: Arc<Engines>,
    pub(crate) cache: ArtefactCache,
    pub(crate) compiler: Compiler,
    pub(crate) children: ChildCompiler,
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
        Ok(Self {
            engines: Arc::new(Engines::new(config.pooled, config.code, max_concurrent)?),
            cache: ArtefactCache::new(config.cache_dir, clock.wall_ms()),
            compiler: config.compiler,
            children: ChildCompiler::new(compiler::WALL),
            permits: Arc::new(Semaphore::new(max_concurrent)),
            clock,
        })
    }

    /// The engine that most components run on, for whoever compares with it.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engines.main
    }
}

/// What code is made for; part of what the compiler's child process is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Flavour {
    pub(crate) memories: Memories,
    pub(crate) code: GuestCode,
}

/// How much address space the memories of an engine reserve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Memories {
    /// All that they could ever address, which makes checks needless.
    Ample,
    /// Little.
    Small,
}

impl Flavour {
    pub(crate) const ALL: &[Self] = &[
        Self::new(Memories::Ample, GuestCode::Native),
        Self::new(Memories::Small, GuestCode::Native),
        #[cfg(feature = "pulley")]
        Self::new(Memories::Ample, GuestCode::Pulley),
        #[cfg(feature = "pulley")]
        Self::new(Memories::Small, GuestCode::Pulley),
    ];

    pub(crate) const fn new(memories: Memories, code: GuestCode) -> Self {
        Self { memories, code }
    }

    pub(crate) const fn word(self) -> &'static str {
        match (self.memories, self.code) {
            (Memories::Ample, GuestCode::Native) => "ample",
            (Memories::Small, GuestCode::Native) => "small",
            #[cfg(feature = "pulley")]
            (Memories::Ample, GuestCode::Pulley) => "ample-pulley",
            #[cfg(feature = "pulley")]
            (Memories::Small, GuestCode::Pulley) => "small-pulley",
        }
    }

    pub(crate) fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|flavour| flavour.word() == word)
    }
}

/// The engines of a sandbox. They take the same native code.
pub(crate) struct Engines {
    pub(crate) flavour: Flavour,
    pub(crate) main: Engine,
    /// For components that would take more of the pool than a call's share; made when the first one comes.
    on_demand: Mutex<Option<Engine>>,
}

impl Engines {
    /// A machine that cannot reserve the pool's address space still gets an engine, a slower one.
    fn new(pooled: bool, code: GuestCode, max_concurrent: usize) -> Result<Self, SandboxError> {
        if pooled {
            let ample = Flavour::new(Memories::Ample, code);
            match pooling(ample, max_concurrent).and_then(|config| Engine::new(&config)) {
                Ok(main) => return Self::of(ample, main),
                Err(reason) => tracing::warn!("no pool of instances, calls will be slower: {reason:#}"),
            }
        }
        let small = Flavour::new(Memories::Small, code);
        Self::of(small, unpooled(small)?)
    }

    fn of(flavour: Flavour, main: Engine) -> Result<Self, SandboxError> {
        start_ticker(&main)?;
        Ok(Self {
            flavour,
            main,
            on_demand: Mutex::new(None),
        })
    }

    /// The engine for components that fit into the pool, or for the others.
    ///
    /// # Errors
    /// [`SandboxError`] when the second engine cannot start.
    pub(crate) fn get(&self, fits_pool: bool) -> Result<Engine, SandboxError> {
        if fits_pool || self.flavour.memories == Memories::Small {
            return Ok(self.main.clone());
        }
        let mut on_demand = self.on_demand.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(engine) = &*on_demand {
            return Ok(engine.clone());
        }
        let engine = unpooled(self.flavour)?;
        start_ticker(&engine)?;
        Ok(on_demand.insert(engine).clone())
    }
}

/// An engine of this flavour that takes every instance from the system.
fn unpooled(flavour: Flavour) -> Result<Engine, SandboxError> {
    let engine = compiling(flavour).and_then(|config| Engine::new(&config));
    engine.map_err(|e| SandboxError::Engine(format!("{e:#}")))
}

/// Whether the pool has room for this component in every call at once.
pub(crate) fn fits_pool(bytes: usize, share: Share) -> bool {
    bytes <= LARGE_COMPONENT_BYTES
        && share.instances <= u64::from(INSTANCES_PER_CALL)
        && share.memories <= u64::from(MEMORIES_PER_CALL)
        && share.tables <= u64::from(TABLES_PER_CALL)
}

/// The settings of every engine of this flavour, without a pool: enough to compile, and to run what does not fit into one.
///
/// # Errors
/// When this build cannot make code of the flavour.
pub(crate) fn compiling(flavour: Flavour) -> wasmtime::Result<Config> {
    let limits = Limits::default();
    let mut config = Config::new();
    config.wasm_component_model(true);
    config.epoch_interruption(true);
    config.concurrency_support(false);
    config.max_wasm_stack(limits.stack_bytes);
    config.async_stack_size(limits.stack_bytes + HOST_STACK_BYTES);
    config.memory_init_cow(true);
    if flavour.memories == Memories::Small {
        config.memory_reservation(UNPOOLED_RESERVATION_BYTES);
    }
    #[cfg(feature = "pulley")]
    if flavour.code == GuestCode::Pulley {
        config.target(PULLEY)?;
    }
    Ok(config)
}

/// The same for a compiler that makes code of one component of this size. A large one is the interpreter of another language, optimised
/// when it was built: to do that again takes a fourth of the time and makes calls hardly faster.
///
/// # Errors
/// Likewise.
pub(crate) fn compiling_once(flavour: Flavour, bytes: usize) -> wasmtime::Result<Config> {
    let mut config = compiling(flavour)?;
    if bytes > LARGE_COMPONENT_BYTES {
        config.cranelift_opt_level(OptLevel::None);
    }
    Ok(config)
}

fn pooling(flavour: Flavour, max_concurrent: usize) -> wasmtime::Result<Config> {
    let mut config = compiling(flavour)?;
    let pool = pool(&Limits::default(), max_concurrent);
    config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    Ok(config)
}

fn pool(limits: &Limits, max_concurrent: usize) -> PoolingAllocationConfig {
    // A call may hold several core instances and memories; the pool is sized for a share each, and for one component that has all it may.
    let calls = u32::try_from(max_concurrent).unwrap_or(u32::MAX / 64).max(2);
    let memory_bytes = usize::try_from(limits.memory_bytes).unwrap_or(usize::MAX);
    let table_elements = usize::try_from(limits.table_elements).unwrap_or(usize::MAX);
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(calls)
        .total_core_instances(calls.saturating_mul(INSTANCES_PER_CALL).max(MAX_INSTANCES))
        .total_memories(calls.saturating_mul(MEMORIES_PER_CALL).max(MAX_MEMORIES))
        .total_tables(calls.saturating_mul(TABLES_PER_CALL).max(MAX_TABLES))
        .total_stacks(calls)
        .max_core_instances_per_component(MAX_INSTANCES)
        .max_memories_per_component(MAX_MEMORIES)
        .max_tables_per_component(MAX_TABLES)
        .max_tables_per_module(16)
        .max_memories_per_module(MAX_MEMORIES)
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
