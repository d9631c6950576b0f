//! The commands, one file each, and what they share.

mod bench;
pub(crate) mod compile;
mod component;
mod demo;
mod drive;
mod events;
mod extension;
mod extension_install;
mod extension_new;
mod extension_test;
mod extensions;
mod host;
mod policy;
mod profile;
mod profiles;
mod prompt;
mod reach;
mod rollback;
mod run;
mod runs;
mod tools;

use crate::args::{Cli, Command, ExtensionCommand, RunsCommand, ToolsCommand};
use crate::console::Console;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::place::DataRoot;

/// Runs the command.
pub(crate) async fn run(cli: Cli, console: &mut Console) -> Result<Exit, Failure> {
    let data = DataRoot::find(cli.global.data.as_deref());
    let data = data.and_then(|data| data.check().map(|()| data));
    match cli.command {
        Command::Demo(args) => demo::run(&args, data.ok().as_ref(), console).await,
        Command::Run(args) => run::run(*args, &data?, console).await,
        // Tools need no data root, except to start faster.
        Command::Tools(command) => tools(command, data.ok().as_ref(), console).await,
        Command::Extension(command) => extension(command, data, console).await,
        Command::Runs(command) => runs(command, &data?, console).await,
        Command::Policy(command) => policy::run(command, &data?, console).await,
        Command::Profiles(command) => profiles::run(command, &data?, console).await,
    }
}

async fn extension(
    command: ExtensionCommand,
    data: Result<DataRoot, Failure>,
    console: &mut Console,
) -> Result<Exit, Failure> {
    match command {
        // What is only looked at needs no data root, except to start faster.
        ExtensionCommand::New(args) => extension_new::run(args, console),
        ExtensionCommand::Check(args) => extension::check(&args, data.ok().as_ref(), console).await,
        ExtensionCommand::Test(args) => extension_test::run(&args, data.ok().as_ref(), console).await,
        ExtensionCommand::Install(args) => extension_install::run(args, &data?, console).await,
        ExtensionCommand::List => extensions::list(&data?, console).await,
        ExtensionCommand::Accept(args) => extensions::accept(args, &data?, console).await,
        ExtensionCommand::Remove { id } => extensions::remove(&id, &data?, console).await,
        ExtensionCommand::Grant(args) => extensions::grant(args, &data?, console).await,
        ExtensionCommand::Revoke(args) => extensions::revoke(args, &data?, console).await,
    }
}

async fn runs(command: RunsCommand, data: &DataRoot, console: &mut Console) -> Result<Exit, Failure> {
    match command {
        RunsCommand::List(args) => runs::list(args, data, console),
        RunsCommand::Show(args) => runs::show(&args, data, console),
        RunsCommand::Events(args) => events::run(args, data, console).await,
        RunsCommand::Diff(args) => runs::diff(args, data, console),
        RunsCommand::Rollback(args) => rollback::run(args, data, console).await,
        RunsCommand::Cancel(args) => reach::cancel(&args, data, console).await,
        RunsCommand::Approve(args) => reach::approve(args, data, console).await,
        RunsCommand::Deny(args) => reach::deny(args, data, console).await,
    }
}

async fn tools(command: ToolsCommand, data: Option<&DataRoot>, console: &mut Console) -> Result<Exit, Failure> {
    match command {
        ToolsCommand::List => tools::list(data, console).await,
        ToolsCommand::Show { name } => tools::show(&name, data, console).await,
        ToolsCommand::Call(args) => bench::call(*args, data, console).await,
        ToolsCommand::Script(args) => bench::script(*args, data, console).await,
    }
}
