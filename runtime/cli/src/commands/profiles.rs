//! `profiles`: looking at profiles and checking their files.
//!
//! What a profile may say is decided in the library.

use std::path::Path;

use innkeeper::profile::{Profile, ProfileError, migrate, resolve};
use innkeeper::protocol::id::ProfileId;
use innkeeper::{ChosenProfile, HostError, Innkeeper, ProfileChoice};
use serde_json::json;

use super::{host, profile};
use crate::args::ProfilesCommand;
use crate::console::Console;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::{MAX_PROFILE_BYTES, read_file};
use crate::place::{DataRoot, quoted};
use crate::render::{plain, profile_check, profile_details, profile_list};

/// Carries out one of the commands.
pub(super) async fn run(command: ProfilesCommand, data: &DataRoot, console: &mut Console) -> Result<Exit, Failure> {
    let host = host::build(Innkeeper::builder().data_root(&data.path)).await?;
    match command {
        ProfilesCommand::List => list(&host, data, console),
        ProfilesCommand::Show { id } => show(&host, &id, data, console),
        ProfilesCommand::Check { file } => check(&host, &file, console),
        ProfilesCommand::Migrate { file } => migrate_file(&file, console),
    }
}

fn list(host: &Innkeeper, data: &DataRoot, console: &mut Console) -> Result<Exit, Failure> {
    let list = host.list_agent_profiles()?;
    if console.json {
        console.json_value(&list)?;
        return Ok(Exit::Done);
    }
    // What is wrong inside a profile that can be loaded is no issue of its file, but people want to know.
    let flaw = |id: &str| {
        let profile = profile::load(id, host, Some(data)).ok()?;
        resolve(&profile, &host.tools().specs())
            .err()
            .map(|error| error.to_string())
    };
    console.line(&profile_list(&list, flaw, console.paint, console.columns))?;
    Ok(Exit::Done)
}

fn show(host: &Innkeeper, id: &str, data: &DataRoot, console: &mut Console) -> Result<Exit, Failure> {
    let choice = ProfileChoice::of_id(Some(id))?;
    let ChosenProfile { profile, source } = host.chosen_profile(&choice, &data.path)?;
    let resolved = resolve(&profile, &host.tools().specs()).map_err(|error| flawed(id, &error))?;
    if console.json {
        console.json_value(&json!({ "profile": profile, "resolved": resolved, "source": source }))?;
    } else {
        let columns = console.wrap_columns();
        console.line(&profile_details(&resolved, &source, console.paint, columns))?;
    }
    Ok(Exit::Done)
}

fn flawed(id: &str, error: &ProfileError) -> Failure {
    Failure::usage(error.code(), format!("the profile {id} cannot be used: {error}"))
        .hint("`innkeeper profiles check FILE` names every problem in it.")
}

fn check(host: &Innkeeper, file: &Path, console: &mut Console) -> Result<Exit, Failure> {
    let bytes = read_file("the profile", file, MAX_PROFILE_BYTES)?;
    let stem = stem_that_counts(host, file)?;
    let checked = host.check_agent_profile(&bytes, stem.as_ref());
    if console.json {
        console.json_value(&checked)?;
    } else {
        let shown = plain(&file.to_string_lossy());
        let mut text = profile_check(&checked, &shown, console.paint, console.wrap_columns());
        if checked.valid && matches!(migrate(&bytes), Ok(Some(_))) {
            text.push_str(&format!(
                "\nIt has an older version; `innkeeper profiles migrate {}` writes it as version 3.",
                plain(&quoted(file))
            ));
        }
        console.line(&text)?;
    }
    Ok(if checked.valid { Exit::Done } else { Exit::Usage })
}

/// The id that the file must have: in the folder of profiles that of its name, elsewhere any.
fn stem_that_counts(host: &Innkeeper, file: &Path) -> Result<Option<ProfileId>, Failure> {
    let whole = |path: &Path| std::fs::canonicalize(path).ok();
    let lies_in = file.parent().map(|folder| {
        if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        }
    });
    let is_ours = match (lies_in.and_then(whole), whole(&host.agent_profile_folder()?)) {
        (Some(folder), Some(ours)) => folder == ours,
        _ => false,
    };
    if !is_ours {
        return Ok(None);
    }
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    Ok(Some(innkeeper::parse_profile_id(&stem)?))
}

fn migrate_file(file: &Path, console: &mut Console) -> Result<Exit, Failure> {
    let bytes = read_file("the profile", file, MAX_PROFILE_BYTES)?;
    let refused = |error: ProfileError| profile::refused(file, &error);
    let migrated = migrate(&bytes).map_err(refused)?;
    // A file that would not be readable afterwards is left to its author.
    Profile::parse(migrated.as_deref().unwrap_or(&bytes)).map_err(refused)?;
    if let Some(new) = &migrated {
        replace(file, new)?;
    }
    if console.json {
        console.json_value(&json!({ "file": file.to_string_lossy(), "migrated": migrated.is_some() }))?;
    } else {
        let shown = plain(&file.to_string_lossy());
        console.line(&match migrated {
            Some(_) => format!("{shown} is of version 3 now."),
            None => format!("{shown} is of version 3 already."),
        })?;
    }
    Ok(Exit::Done)
}

/// Replaces the file that a path leads to, whole.
fn replace(file: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let target = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    innkeeper::replace_profile_file(&target, bytes).map_err(|error: HostError| error.into())
}
