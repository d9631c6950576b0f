//! From the lock file to tools: every extension whose files are those that were pinned, with exactly what it was granted.
//!
//! One that cannot be used is told of and hides no other; nothing here is an error.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use innkeeper_protocol::extension::ExtensionId;
use innkeeper_protocol::limits::Limits;
use innkeeper_sandbox::{Provenance, Sandbox};
use innkeeper_store::extensions::{Edition, ExtensionsFolder, Installed};
use innkeeper_tools::grants::{effective, missing, pins, spec_changes};
use innkeeper_tools::{Catalogue, Diagnostic, Manifest, Origin, ToolsError};

use super::shelf::Stock;
use crate::error::HostError;
use crate::ports::blocking;

/// An update removes the files of the edition before it while somebody else may be reading them; then all is read again.
const ATTEMPTS: u32 = 3;

/// Why an extension has no tools here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refusal {
    /// Its files are not those that were installed.
    Damaged(HostError),
    /// They are, and it is off all the same.
    Off(HostError),
}

impl Refusal {
    pub(super) fn error(&self) -> &HostError {
        match self {
            Self::Damaged(error) | Self::Off(error) => error,
        }
    }
}

/// Everything that is installed, beside our own tools.
pub(super) async fn stock(
    sandbox: &Sandbox,
    limits: &Limits,
    builtins: &Catalogue,
    folder: &ExtensionsFolder,
) -> Stock {
    let mut attempts = ATTEMPTS;
    loop {
        attempts = attempts.saturating_sub(1);
        let stock = stock_once(sandbox, limits, builtins, folder).await;
        let is_damaged = |refusal: &Refusal| matches!(refusal, Refusal::Damaged(_));
        let is_stale = || stock.refusals.values().any(is_damaged) && !stock.is_of(folder.stamp().as_ref());
        if attempts == 0 || !is_stale() {
            return stock;
        }
    }
}

async fn stock_once(sandbox: &Sandbox, limits: &Limits, builtins: &Catalogue, folder: &ExtensionsFolder) -> Stock {
    let mut catalogue = builtins.clone();
    let mut refusals = BTreeMap::new();
    let stamp = folder.stamp();
    let reader = folder.clone();
    let lock = match blocking::<_, HostError>(move || Ok(reader.read()?)).await {
        Ok(lock) => lock,
        Err(error) => {
            catalogue.note(diagnostic(None, &error));
            return Stock {
                problem: Some(error),
                ..Stock::new(catalogue, stamp)
            };
        }
    };
    for (id, installed) in lock.extensions {
        let loaded = one(sandbox, limits, folder, &id, &installed).await;
        let taken = loaded.and_then(|(tools, manifest)| {
            let taken = catalogue.take_over(tools, &manifest);
            taken.map_err(|error| Refusal::Off(error.into()))
        });
        if let Err(refusal) = taken {
            catalogue.note(diagnostic(Some(&id), refusal.error()));
            refusals.insert(id.clone(), refusal);
        }
        if let Some(update) = &installed.update {
            catalogue.note(diagnostic(Some(&id), &waiting(&id, update)));
        }
    }
    Stock {
        refusals,
        ..Stock::new(catalogue, stamp)
    }
}

/// The tools of one extension.
async fn one(
    sandbox: &Sandbox,
    limits: &Limits,
    folder: &ExtensionsFolder,
    id: &ExtensionId,
    installed: &Installed,
) -> Result<(Catalogue, Manifest), Refusal> {
    let edition = &installed.active;
    let (reader, name, pinned) = (folder.clone(), id.clone(), edition.clone());
    let files = blocking::<_, HostError>(move || Ok(reader.open(&name, &pinned)?));
    let files = files.await.map_err(Refusal::Damaged)?;
    let manifest = Manifest::parse(&files.manifest).map_err(|error| Refusal::Off(error.into()))?;
    check_granted(id, edition, &installed.granted).map_err(Refusal::Off)?;
    let granted = effective(&edition.asks, &installed.granted);
    let mut tools = Catalogue::new(manifest.limits.lower(limits));
    let origin = Origin::Extension(id.to_string());
    // Its digest was compared with the pinned one when it was read.
    let compiled = sandbox.compile_known(&files.component, edition.sha256.clone(), Provenance::Stranger);
    let compiled = compiled.await.map_err(|source| {
        let component = id.to_string();
        Refusal::Off(ToolsError::Load { component, source }.into())
    })?;
    let added = tools
        .add_compiled(sandbox, id.as_str(), &origin, Arc::new(compiled), &granted)
        .await;
    added.map_err(|error| Refusal::Off(error.into()))?;
    let changes = spec_changes(&edition.specs, &pins(&tools.specs()));
    if changes.is_empty() {
        return Ok((tools, manifest));
    }
    let words: Vec<String> = changes.iter().map(ToString::to_string).collect();
    let message = format!(
        "the extension {id} says something else of its tools than when it was installed: {}",
        words.join("; ")
    );
    Err(Refusal::Off(HostError::new("extension.changed", message).with_hint(
        format!("It is off. Install it again if you trust it, or remove it with `innkeeper extension remove {id}`."),
    )))
}

/// A component cannot be linked in part, so it needs every capability that it asks for; of hosts it can do with some.
fn check_granted(id: &ExtensionId, edition: &Edition, granted: &BTreeSet<String>) -> Result<(), HostError> {
    let missing = missing(&edition.asks, granted);
    let Some(first) = missing.first() else { return Ok(()) };
    let message = format!(
        "the extension {id} is off: it asks for {} and was not granted it",
        missing.join(", ")
    );
    Err(HostError::new("extension.grant_missing", message).with_hint(format!(
        "`innkeeper extension grant {id} {first}` grants it; `innkeeper extension list` tells why it asks."
    )))
}

fn waiting(id: &ExtensionId, update: &Edition) -> HostError {
    let message = format!(
        "version {} of the extension {id} waits until somebody accepts what is different",
        update.version
    );
    HostError::new("extension.update_waits", message).with_hint(format!(
        "`innkeeper extension list` tells what is different; `innkeeper extension accept {id}` accepts it."
    ))
}

fn diagnostic(id: Option<&ExtensionId>, error: &HostError) -> Diagnostic {
    Diagnostic {
        tool_id: None,
        extension_id: id.cloned(),
        code: error.code.clone(),
        message: error.message.clone(),
        hint: error.hint.clone(),
    }
}
