//! The child's side: limits on itself first, then scan and compile what comes in, and write the native code out.
//!
//! It opens no file and starts no program. The limits hold on Unix; elsewhere only the host's clock does.

use std::io::{Read as _, Write as _};
use std::process::ExitCode;

use wasmtime::Engine;

#[cfg(unix)]
use crate::compiler::PROCESSOR;
use crate::compiler::outcome::{EXIT_FAILED, EXIT_INVALID, EXIT_LARGE, EXIT_POOLED};
use crate::component::MAX_COMPONENT_BYTES;
use crate::engine::{self, Flavour};
use crate::load_error::LoadError;
use crate::prescan::prescan;

/// Threads that compile at most: each works on a function of its own, and all of them share the memory.
const MAX_THREADS: usize = 4;
/// Memory that the process may write to.
const MEMORY_BYTES: u64 = 1024 * 1024 * 1024;
/// Address space in all, the program itself included; holds where the system does not count what may be written to.
const ADDRESS_BYTES: u64 = 4 * MEMORY_BYTES;
/// Largest native code that is written.
const ARTEFACT_BYTES: u64 = 512 * 1024 * 1024;

/// Compiles the component on the standard input to native code on the standard output, and ends with what the host goes by. For
/// programs that a [`Compiler::Child`](crate::Compiler::Child) names; `argument` is the last one of their command line. Nothing else may
/// be written to the standard output.
#[must_use]
pub fn compile_in_child(argument: &str) -> ExitCode {
    let done = Flavour::parse(argument)
        .ok_or_else(|| failed("this is started by Innkeeper, not by people"))
        .and_then(work);
    let (code, said) = match done {
        Ok(true) => (EXIT_POOLED, None),
        Ok(false) => (EXIT_LARGE, None),
        Err(LoadError::CompilerFailed { reason }) => (EXIT_FAILED, Some(reason)),
        Err(LoadError::Invalid { reason }) => (EXIT_INVALID, Some(reason)),
        Err(LoadError::Excess(excess)) => (EXIT_INVALID, Some(excess.to_string())),
        Err(other) => (EXIT_INVALID, Some(other.to_string())),
    };
    if let Some(said) = said {
        // Nobody may be listening; the code says the most of it.
        let _ = writeln!(std::io::stderr(), "{said}");
    }
    ExitCode::from(code)
}

fn work(flavour: Flavour) -> Result<bool, LoadError> {
    confine().map_err(|e| failed(&format!("the limits of the compiler cannot be set: {e}")))?;
    let mut bytes = Vec::new();
    let mut input = std::io::stdin().lock().take(MAX_COMPONENT_BYTES as u64 + 1);
    input
        .read_to_end(&mut bytes)
        .map_err(|e| failed(&format!("the component cannot be read: {e}")))?;
    let share = prescan(&bytes)?;
    // An engine without a pool: it makes the same code and reserves nothing.
    let engine = engine::compiling_once(flavour, bytes.len()).and_then(|config| Engine::new(&config));
    let engine = engine.map_err(|e| failed(&format!("{e:#}")))?;
    let code = engine
        .precompile_component(&bytes)
        .map_err(|e| LoadError::invalid(&e))?;
    std::io::stdout()
        .lock()
        .write_all(&code)
        .map_err(|e| failed(&format!("the native code cannot be written: {e}")))?;
    Ok(engine::fits_pool(bytes.len(), share))
}

fn failed(reason: &str) -> LoadError {
    LoadError::CompilerFailed {
        reason: reason.to_owned(),
    }
}

/// Threads that compile on this machine.
pub(super) fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get().min(MAX_THREADS))
}

#[cfg(unix)]
fn confine() -> rustix::io::Result<()> {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let limit = |resource, most| {
        let both = Rlimit {
            current: Some(most),
            maximum: Some(most),
        };
        setrlimit(resource, both)
    };
    limit(Resource::Cpu, PROCESSOR.as_secs())?;
    limit(Resource::Core, 0)?;
    limit(Resource::Fsize, ARTEFACT_BYTES)?;
    limit(Resource::Data, MEMORY_BYTES)?;
    limit(Resource::As, ADDRESS_BYTES)?;
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
    Ok(())
}

#[cfg(not(unix))]
fn confine() -> std::io::Result<()> {
    Ok(())
}
