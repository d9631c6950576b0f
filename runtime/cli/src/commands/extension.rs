//! `extension check`: what a component asks for, what it holds, and whether this host would load it.
//!
//! Nothing is installed or granted.

use std::time::Duration;

use innkeeper::{ComponentReport, HostError, Innkeeper};

use super::component::{ComponentFile, refused};
use super::host;
use crate::args::CheckArgs;
use crate::console::Console;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::place::DataRoot;
use crate::render::component_text;

/// How long a check may take: the minute that compiling a component may take, and time for listing its tools.
const CHECK_LIMIT: Duration = Duration::from_secs(75);

/// Looks at one component file.
pub(super) async fn check(args: &CheckArgs, data: Option<&DataRoot>, console: &mut Console) -> Result<Exit, Failure> {
    if args.file.is_dir() {
        let message = format!(
            "{} is a folder; this version checks single components",
            args.file.display()
        );
        return Err(Failure::unsupported(message).hint("Give the component's file, which ends in .wasm."));
    }
    let file = ComponentFile::read(&args.file)?;
    let host = host::tools_only(data).await?;
    let report = within(CHECK_LIMIT, move |runtime| runtime.block_on(inspect(host, file)));
    let report = report.await?.map_err(|error| {
        let failure = refused(error);
        let message = format!("{} cannot be used: {}", args.file.display(), failure.message);
        Failure { message, ..failure }
    })?;
    if console.json {
        console.json_value(&report)?;
    } else {
        console.line(&component_text(
            &args.file,
            &report,
            console.paint,
            console.wrap_columns(),
        ))?;
    }
    Ok(match report.refusal {
        None => Exit::Done,
        Some(_) => Exit::Failed,
    })
}

async fn inspect(host: Innkeeper, file: ComponentFile) -> Result<ComponentReport, HostError> {
    host.inspect_component(&file.id, &file.bytes).await
}

/// Does work that blocks on a thread of its own, and waits for it no longer than the limit. The thread then ends with the program.
async fn within<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce(tokio::runtime::Handle) -> T + Send + 'static,
) -> Result<T, Failure> {
    let runtime = tokio::runtime::Handle::current();
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let thread = std::thread::Builder::new().name("innkeeper-check".to_owned());
    // Whoever waited may be gone; then nobody wants the result.
    let spawned = thread.spawn(move || drop(sender.send(work(runtime))));
    spawned.map_err(|error| Failure::machine("cli.no_threads", format!("a thread cannot start: {error}")))?;
    match tokio::time::timeout(limit, receiver).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(_)) => Err(Failure::machine(
            "agent.internal_error",
            "looking at the component broke down",
        )),
        Err(_) => Err(Failure::machine(
            "extension.compile_limit",
            format!(
                "the component was not compiled within {} s, which is the limit",
                limit.as_secs()
            ),
        )
        .hint("Build it smaller, or with smaller functions.")),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[tokio::test]
    async fn work_that_does_not_end_is_not_waited_for() {
        let (hold, held) = mpsc::channel::<()>();
        let failure = within(Duration::ZERO, move |_| held.recv()).await.unwrap_err();
        assert_eq!(
            (failure.code.as_str(), failure.exit),
            ("extension.compile_limit", Exit::Failed)
        );
        drop(hold);
    }

    #[tokio::test]
    async fn work_that_ends_gives_its_result() {
        assert_eq!(within(CHECK_LIMIT, |_| 7).await.unwrap(), 7);
    }
}
