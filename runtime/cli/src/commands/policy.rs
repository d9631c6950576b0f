//! `policy`: showing and changing what holds for tools.
//!
//! What a rule means is decided in the library.

use innkeeper::Innkeeper;
use innkeeper::protocol::tool::Permission;

use super::host;
use crate::args::PolicyCommand;
use crate::console::{Console, note};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::place::DataRoot;
use crate::render::{error_text, policy_change, policy_reset, policy_text};

/// Carries out one of the commands.
pub(super) async fn run(command: PolicyCommand, data: &DataRoot, console: &mut Console) -> Result<Exit, Failure> {
    let host = host::build(Innkeeper::builder().data_root(&data.path)).await?;
    match command {
        PolicyCommand::Show => show(&host, console),
        PolicyCommand::Allow(args) => set(&host, &args.target, Permission::Allow, console),
        PolicyCommand::Ask(args) => set(&host, &args.target, Permission::Ask, console),
        PolicyCommand::Deny(args) => set(&host, &args.target, Permission::Deny, console),
        PolicyCommand::Reset => reset(&host, console),
    }
}

/// A file that cannot be used is shown with what comes of that, and is unusable input all the same.
fn show(host: &Innkeeper, console: &mut Console) -> Result<Exit, Failure> {
    let report = host.policy()?;
    if console.json {
        console.json_value(&report)?;
    } else {
        console.line(&policy_text(&report, console.paint, console.columns))?;
    }
    let Some(problem) = report.problem else {
        return Ok(Exit::Done);
    };
    let failure = Failure::from(problem.error);
    note(&error_text(&failure, crate::render::Paint::new(false)));
    Ok(failure.exit)
}

fn set(host: &Innkeeper, target: &str, permission: Permission, console: &mut Console) -> Result<Exit, Failure> {
    let target = host.policy_target(target)?;
    let change = host.set_policy(&target, permission)?;
    if console.json {
        console.json_value(&change)?;
    } else {
        console.line(&policy_change(&change, console.paint))?;
    }
    Ok(Exit::Done)
}

fn reset(host: &Innkeeper, console: &mut Console) -> Result<Exit, Failure> {
    let reset = host.reset_policy()?;
    if console.json {
        console.json_value(&reset)?;
    } else {
        console.line(&policy_reset(&reset))?;
    }
    Ok(Exit::Done)
}
