//! `extension list|accept|remove|grant|revoke`: what is installed, and what it gets.
//!
//! Installing has a file of its own. What a change means is decided in the library.

use std::collections::BTreeSet;

use innkeeper::{GrantChange, Innkeeper, parse_extension_id};

use super::host;
use crate::args::{AcceptArgs, GrantArgs};
use crate::console::Console;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::place::DataRoot;
use crate::render::{extension_list, grant_text, removal_text};

/// Lists what is installed.
pub(super) async fn list(data: &DataRoot, console: &mut Console) -> Result<Exit, Failure> {
    let list = open(data).await?.list_extensions().await?;
    if console.json {
        console.json_value(&list)?;
    } else {
        console.line(&extension_list(
            &list,
            &data.as_flag(),
            console.paint,
            console.wrap_columns(),
        ))?;
    }
    Ok(Exit::Done)
}

/// Lets a waiting update count.
pub(super) async fn accept(args: AcceptArgs, data: &DataRoot, console: &mut Console) -> Result<Exit, Failure> {
    let grants: BTreeSet<String> = args.grant.into_iter().collect();
    let id = parse_extension_id(&args.id)?;
    let change = open(data).await?.accept_extension(&id, &grants).await?;
    tell(&change, data, console)
}

/// Grants a capability.
pub(super) async fn grant(args: GrantArgs, data: &DataRoot, console: &mut Console) -> Result<Exit, Failure> {
    let id = parse_extension_id(&args.id)?;
    let change = open(data).await?.grant_extension(&id, &args.capability).await?;
    tell(&change, data, console)
}

/// Takes a capability away.
pub(super) async fn revoke(args: GrantArgs, data: &DataRoot, console: &mut Console) -> Result<Exit, Failure> {
    let id = parse_extension_id(&args.id)?;
    let change = open(data).await?.revoke_extension(&id, &args.capability).await?;
    tell(&change, data, console)
}

/// Removes an extension.
pub(super) async fn remove(id: &str, data: &DataRoot, console: &mut Console) -> Result<Exit, Failure> {
    let id = parse_extension_id(id)?;
    let removed = open(data).await?.remove_extension(&id).await?;
    if console.json {
        console.json_value(&removed)?;
    } else {
        console.line(&removal_text(&removed))?;
    }
    Ok(Exit::Done)
}

async fn open(data: &DataRoot) -> Result<Innkeeper, Failure> {
    host::build(Innkeeper::builder().data_root(&data.path)).await
}

fn tell(change: &GrantChange, data: &DataRoot, console: &mut Console) -> Result<Exit, Failure> {
    if console.json {
        console.json_value(change)?;
    } else {
        console.line(&grant_text(
            change,
            &data.as_flag(),
            console.paint,
            console.wrap_columns(),
        ))?;
    }
    Ok(Exit::Done)
}
