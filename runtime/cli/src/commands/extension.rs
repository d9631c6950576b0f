//! `extension check`: what a component or a package asks for, what it holds, and whether this host would load it.
//!
//! Nothing is installed or granted.

use std::path::Path;

use innkeeper::{Innkeeper, PackageInput};
use serde_json::{Value, json};

use super::component::{ComponentFile, refused};
use super::host;
use crate::args::CheckArgs;
use crate::console::Console;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::place::{DataRoot, quoted};
use crate::render::{component_text, offer_text};

/// Codes of components that are one and that this host would not load.
const WOULD_NOT_LOAD: [&str; 5] = [
    "extension.import_refused",
    "extension.invalid_component",
    "extension.compile_limit",
    "extension.too_large",
    "tool.unknown_placeholder",
];

/// Looks at one component file, or at a package.
pub(super) async fn check(args: &CheckArgs, data: Option<&DataRoot>, console: &mut Console) -> Result<Exit, Failure> {
    if args.file.is_dir() {
        return check_package(&args.file, data, console).await;
    }
    let file = ComponentFile::read(&args.file)?;
    let host = host::tools_only(data).await?;
    let report = host.inspect_component(&file.id, &file.bytes).await;
    let report = report.map_err(|error| unusable(&args.file, refused(error)))?;
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

async fn check_package(folder: &Path, data: Option<&DataRoot>, console: &mut Console) -> Result<Exit, Failure> {
    let host: Innkeeper = host::tools_only(data).await?;
    let plan = host.plan_extension(PackageInput::Folder(folder.to_owned())).await;
    let plan = plan.map_err(|error| {
        let failure = unusable(folder, refused(error));
        let exit = match WOULD_NOT_LOAD.contains(&failure.code.as_str()) {
            true => Exit::Failed,
            false => failure.exit,
        };
        Failure { exit, ..failure }
    })?;
    if console.json {
        let report = host.inspect_component(plan.offer.id.as_str(), plan.component()).await?;
        let mut report = json!(report);
        if let Value::Object(members) = &mut report {
            members.insert("package".to_owned(), json!(plan.offer));
        }
        console.json_value(&report)?;
        return Ok(Exit::Done);
    }
    console.line(&offer_text(&plan.offer, console.paint, console.wrap_columns()))?;
    let (sign, command) = (
        console.paint.good("\u{2713} usable"),
        format!(
            "innkeeper extension install {}{}",
            quoted(folder),
            data.map(DataRoot::as_flag).unwrap_or_default()
        ),
    );
    console.line(&format!("{sign}\n  {}", console.paint.name(&command)))?;
    Ok(Exit::Done)
}

fn unusable(path: &Path, failure: Failure) -> Failure {
    let message = format!("{} cannot be used: {}", path.display(), failure.message);
    Failure { message, ..failure }
}
