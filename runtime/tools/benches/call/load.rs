//! From a component's bytes to something that can be called: out of the cache, and compiled; and what it keeps in memory while it waits.
//!
//! `INNKEEPER_BENCH_COMPONENT` names another component, for instance one in Python, to be loaded out of the cache too.

use std::path::PathBuf;
use std::time::Instant;

use innkeeper_protocol::digest::Sha256;
use innkeeper_sandbox::{Compiler, Provenance, Sandbox, SandboxConfig};

use crate::host::StdClock;
use crate::measure::{Sample, heading, row};

const LOADS: usize = 200;
const COMPILES: usize = 5;
/// Copies of one tool that are kept at once; one alone would drown in what an allocator rounds up.
const KEPT: usize = 64;

/// Measures and prints.
pub(crate) async fn report() {
    let builtins = innkeeper_builtins::all();
    let dice = builtins.iter().find(|builtin| builtin.family == "dice");
    let dice = dice.expect("a built-in family").bytes;
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let sandbox = sandbox(Some(scratch.path().join("cache")));
    heading("Loading a component whose digest is known", "dice");
    let cached = load(&sandbox, dice, LOADS).await;
    row("dice.roll out of the cache", &cached, &cached);
    let mut compiled = Sample::default();
    let forgetful = self::sandbox(None);
    compiled
        .batch(COMPILES, async || drop(compile(&forgetful, dice).await))
        .await;
    row("dice.roll compiled", &compiled, &cached);
    if let Some(path) = std::env::var_os("INNKEEPER_BENCH_COMPONENT").map(PathBuf::from) {
        let bytes = std::fs::read(&path).expect("the named component");
        let other = load(&sandbox, &bytes, LOADS / 10).await;
        row(&format!("{} out of the cache", path.display()), &other, &cached);
    }
    idle(&sandbox, dice).await;
}

fn sandbox(cache_dir: Option<PathBuf>) -> Sandbox {
    let config = SandboxConfig {
        cache_dir,
        // The bench trusts what it is pointed at.
        compiler: Compiler::InProcess,
        ..SandboxConfig::default()
    };
    Sandbox::new(config, std::sync::Arc::new(StdClock(Instant::now()))).expect("an engine")
}

async fn load(sandbox: &Sandbox, bytes: &[u8], loads: usize) -> Sample {
    let mut sample = Sample::default();
    drop(compile(sandbox, bytes).await);
    let sha256 = Sha256::of(bytes);
    let once = async || {
        let loaded = sandbox.compile_known(bytes, sha256.clone(), Provenance::Stranger).await;
        drop(loaded.expect("a good component"));
    };
    sample.batch(loads, once).await;
    sample
}

async fn compile(sandbox: &Sandbox, bytes: &[u8]) -> innkeeper_sandbox::Compiled {
    let compiled = sandbox.compile(bytes, Provenance::Stranger).await;
    compiled.expect("a good component")
}

/// What one more tool that nobody calls adds to the memory of the process.
async fn idle(sandbox: &Sandbox, bytes: &[u8]) {
    let Some(before) = resident_bytes() else {
        println!("  resident memory: not known on this system");
        return;
    };
    let mut kept = Vec::with_capacity(KEPT);
    for _ in 0..KEPT {
        kept.push(compile(sandbox, bytes).await);
    }
    let after = resident_bytes().unwrap_or(before);
    let each = after.saturating_sub(before) / KEPT as u64 / 1024;
    println!("  one idle dice.roll more                       {each} KiB resident ({KEPT} kept)");
}

fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kib * 1024)
}
