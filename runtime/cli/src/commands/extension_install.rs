//! `extension install`: shows what a package asks for, asks the person at the terminal, installs it, and offers its tools to a profile.
//!
//! Without a terminal nobody is asked: then it gets what the command line grants, and what needs a word of a person waits.

use std::collections::BTreeSet;
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use innkeeper::protocol::id::{ProfileId, ToolId};
use innkeeper::{
    Consent, ExtensionOffer, ExtensionState, Innkeeper, InstallReport, PackageInput, parse_extension_id,
    parse_profile_id,
};
use serde_json::json;

use super::component::{ComponentFile, refused};
use super::host;
use crate::args::InstallArgs;
use crate::console::Console;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::place::DataRoot;
use crate::render::{install_text, offer_text};

/// Tools that a profile allows from now on.
struct Added {
    profile: ProfileId,
    tools: Vec<ToolId>,
}

/// Installs a package.
pub(super) async fn run(args: InstallArgs, data: &DataRoot, console: &mut Console) -> Result<Exit, Failure> {
    let host = host::build(Innkeeper::builder().data_root(&data.path)).await?;
    let is_attended = !console.json && io::stdin().is_terminal() && io::stderr().is_terminal();
    let profile = args.profile.as_deref().map(parse_profile_id).transpose()?;
    let plan = host.plan_extension(input(&args)?).await.map_err(|error| {
        let failure = refused(error);
        let message = format!("{} cannot be installed: {}", args.package.display(), failure.message);
        Failure { message, ..failure }
    })?;
    if !console.json && !console.quiet {
        console.line(&offer_text(&plan.offer, console.paint, console.wrap_columns()))?;
    }
    let mut consent = Consent {
        grants: args.grant.into_iter().collect(),
        accepts_changes: false,
    };
    if is_attended {
        consent = asked(&plan.offer, consent)?;
    }
    let report = host.install_extension(plan, &consent).await?;
    let profile = match profile {
        None if is_attended && report.extension.state == ExtensionState::On => wanted_profile()?,
        profile => profile,
    };
    let added = profile.map(|profile| {
        let tools = host.add_extension_to_profile(&report.extension.id, &profile)?;
        Ok::<_, Failure>(Added { profile, tools })
    });
    tell(&report, added.transpose()?, data, console)
}

/// A folder is a package; anything else must be a component.
fn input(args: &InstallArgs) -> Result<PackageInput, Failure> {
    let id = args.id.as_deref().map(parse_extension_id).transpose()?;
    if args.package.is_dir() {
        return match id {
            None => Ok(PackageInput::Folder(args.package.clone())),
            Some(_) => Err(Failure::usage("cli.usage", "a package has its id in extension.toml")
                .hint("Leave out --id; it is for single components.")),
        };
    }
    let file = ComponentFile::read(&args.package)?;
    let id = id.map_or_else(|| parse_extension_id(&file.id), Ok)?;
    Ok(PackageInput::Component { id, bytes: file.bytes })
}

/// What the person at the terminal agrees to. Whoever named grants agrees to those, and else to all that it asks for.
fn asked(offer: &ExtensionOffer, consent: Consent) -> Result<Consent, Failure> {
    let grants: BTreeSet<String> = match consent.grants.is_empty() {
        true => offer.capabilities.iter().map(|asked| asked.name.to_owned()).collect(),
        false => consent.grants,
    };
    let named: Vec<&str> = grants.iter().map(String::as_str).collect();
    let question = match named.is_empty() {
        true => "Install it?".to_owned(),
        false => format!("Install it and grant {}?", named.join(", ")),
    };
    match answer(&format!("{question} [y/N] "))?.to_ascii_lowercase().as_str() {
        "y" | "yes" => Ok(Consent {
            grants,
            accepts_changes: true,
        }),
        _ => Err(Failure {
            exit: Exit::Cancelled,
            ..Failure::usage("cli.cancelled", "nothing was installed")
        }),
    }
}

fn wanted_profile() -> Result<Option<ProfileId>, Failure> {
    let id = answer("Add its tools to a profile? The profile's id, or nothing: ")?;
    match id.as_str() {
        "" => Ok(None),
        id => Ok(Some(parse_profile_id(id)?)),
    }
}

/// The next line; nothing at the end of the input.
fn answer(question: &str) -> Result<String, Failure> {
    let unasked = |error: io::Error| Failure::machine("cli.output_failed", format!("nobody can be asked: {error}"));
    let mut stderr = io::stderr().lock();
    write!(stderr, "{question}")
        .and_then(|()| stderr.flush())
        .map_err(unasked)?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).map_err(unasked)?;
    Ok(line.trim().to_owned())
}

fn tell(report: &InstallReport, added: Option<Added>, data: &DataRoot, console: &mut Console) -> Result<Exit, Failure> {
    if console.json {
        let added = added.map(|added| json!({ "id": added.profile, "added": added.tools }));
        console.json_value(&json!({
            "outcome": report.outcome,
            "extension": report.extension,
            "profile": added,
        }))?;
        return Ok(Exit::Done);
    }
    let added = added.map(|added| (added.profile, added.tools.len()));
    let added = added.as_ref().map(|(profile, count)| (profile, *count));
    let text = install_text(report, added, &data.as_flag(), console.paint, console.wrap_columns());
    console.line(&text)?;
    Ok(Exit::Done)
}
