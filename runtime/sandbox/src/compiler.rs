//! Compiling components of others: in a process that may die of it.
//!
//! A component can be made to keep a compiler busy for hours, to eat all memory or to break it down, and none of that counts as a defect
//! of the engine. So the scan and the compiler run in a child process with limits, and the host reads of a stranger's component nothing
//! but its first bytes. What comes back is native code; it is taken because the child is this same program.

pub(crate) mod child;
mod outcome;

use std::fs::File;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, Command};
use tokio::sync::Semaphore;

use crate::compiler::outcome::Verdict;
use crate::engine::Flavour;
use crate::load_error::LoadError;

/// Processor time that one component may take; the compiler's threads share it.
pub(crate) const PROCESSOR: Duration = Duration::from_secs(60);
/// How long one component may take. That others keep the machine busy is not its fault: where the system counts processor time, this is for
/// what waits without end.
pub(crate) const WALL: Duration = match cfg!(unix) {
    true => Duration::from_secs(240),
    false => PROCESSOR,
};
/// Compilers at the same time; each may take its whole memory.
const AT_ONCE: usize = 2;
/// Most of what a compiler says that is kept.
const SAID_BYTES: u64 = 16 * 1024;

/// Who compiles components of others.
#[derive(Debug, Clone, Default)]
pub enum Compiler {
    /// Nobody: they are refused.
    #[default]
    Refuse,
    /// A child process. The program must call [`compile_in_child`](crate::compile_in_child) with the argument that follows these ones;
    /// the application itself can be that program.
    Child {
        /// The program.
        program: PathBuf,
        /// What it is called with, before the sandbox's own argument.
        arguments: Vec<String>,
    },
    /// This process, without limits of time and memory. For platforms that have no child processes: a component that is made for it
    /// can hang or kill the application.
    InProcess,
}

/// The child processes of one sandbox.
pub(crate) struct ChildCompiler {
    places: Semaphore,
    wall: Duration,
}

impl ChildCompiler {
    pub(crate) fn new(wall: Duration) -> Self {
        Self {
            places: Semaphore::new(AT_ONCE),
            wall,
        }
    }

    /// Lets a child compile the component into a file, and says whether an instance fits into the pool. Giving up the future ends the
    /// child.
    ///
    /// # Errors
    /// [`LoadError::Invalid`] in the child's words, [`LoadError::CompileLimit`] when it did not get to the end,
    /// [`LoadError::CompilerFailed`] when it could not begin.
    pub(crate) async fn compile(
        &self,
        command: (&PathBuf, &[String]),
        flavour: Flavour,
        bytes: &[u8],
        into: &File,
    ) -> Result<bool, LoadError> {
        let _place = self.places.acquire().await;
        let mut child = start(command, flavour, into).map_err(|e| LoadError::CompilerFailed {
            reason: format!("{} cannot be started: {e}", command.0.display()),
        })?;
        let Ok(ended) = tokio::time::timeout(self.wall, attend(&mut child, bytes)).await else {
            // It is gone before anybody hears of it, so that a next one has the machine for itself.
            let _ = child.kill().await;
            return Err(LoadError::CompileLimit {
                how: format!("it was not done within {} ms", self.wall.as_millis()),
            });
        };
        ended?.fits_pool()
    }
}

fn start(command: (&PathBuf, &[String]), flavour: Flavour, into: &File) -> std::io::Result<Child> {
    let mut child = Command::new(command.0);
    child
        .args(command.1)
        .arg(flavour.word())
        .stdin(Stdio::piped())
        .stdout(Stdio::from(into.try_clone()?))
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    // It needs no secrets. Windows does not start programs without its own variables.
    #[cfg(unix)]
    child.env_clear();
    // Threads of the allocator and of the compiler each reserve memory that counts.
    let threads = child::threads().to_string();
    child
        .env("RAYON_NUM_THREADS", &threads)
        .env("MALLOC_ARENA_MAX", &threads);
    child.spawn()
}

/// Hands the component over, hears the child out and waits for its end.
async fn attend(child: &mut Child, bytes: &[u8]) -> Result<Verdict, LoadError> {
    let (mut input, said) = (child.stdin.take(), child.stderr.take());
    let feed = async {
        if let Some(input) = &mut input {
            // A child that refuses early does not read to the end; its verdict tells.
            let _ = input.write_all(bytes).await;
        }
        drop(input);
    };
    let ((), said, status) = tokio::join!(feed, hear(said), child.wait());
    let status = status.map_err(|e| LoadError::CompilerFailed {
        reason: format!("its end was missed: {e}"),
    })?;
    Ok(Verdict::new(status, said))
}

async fn hear(said: Option<impl AsyncRead + Unpin>) -> String {
    let mut kept = Vec::new();
    if let Some(mut said) = said {
        // What cannot be heard is only words; the exit code is what counts.
        let _ = (&mut said).take(SAID_BYTES).read_to_end(&mut kept).await;
        let _ = tokio::io::copy(&mut said, &mut tokio::io::sink()).await;
    }
    String::from_utf8_lossy(&kept).trim().to_owned()
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
