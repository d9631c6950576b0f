//! What is installed, as faces show it.

use std::path::{Path, PathBuf};

use innkeeper_capabilities::Grant;
use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::extension::ExtensionId;
use innkeeper_protocol::id::ToolId;
use innkeeper_store::extensions::{Edition, ExtensionsFolder, Installed};
use innkeeper_tools::grants::{Change, changes};
use innkeeper_tools::{Ask, Catalogue, Manifest};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::load::Refusal;
use super::plan::{ExtensionChange, agreed};
use super::shelf::Stock;
use crate::builder::Innkeeper;
use crate::error::HostError;
use crate::ports::blocking;

/// Every installed extension.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExtensionList {
    /// In the order of their ids.
    pub extensions: Vec<ExtensionReport>,
}

/// One installed extension.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExtensionReport {
    /// The extension.
    pub id: ExtensionId,
    /// The version that runs use.
    pub version: String,
    /// Who says that it is theirs. Nothing proves it.
    pub publisher: String,
    /// What it is for; none where its manifest cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether its tools can be used.
    pub state: ExtensionState,
    /// Why it is not on, and what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<HostError>,
    /// What it asks for, and whether it was granted.
    pub capabilities: Vec<ExtensionCapability>,
    /// Its tools; none while it is not on.
    pub tools: Vec<ToolId>,
    /// Digest of its component.
    pub sha256: Sha256,
    /// Where its files lie.
    #[serde(serialize_with = "lossy")]
    #[schemars(with = "String")]
    pub folder: PathBuf,
    /// An update that waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update: Option<WaitingUpdate>,
}

/// Whether the tools of an extension can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExtensionState {
    /// They can, where policy and profile let them.
    On,
    /// Something is missing or has to be agreed to.
    Off,
    /// Its files are not those that were installed.
    Damaged,
}

/// One capability that an extension asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExtensionCapability {
    /// The name by which it is granted.
    pub name: String,
    /// What it lets the extension do.
    pub words: String,
    /// Why, in the author's words; none where the manifest cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether it was granted.
    pub granted: bool,
}

/// An update that counts once somebody accepts it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitingUpdate {
    /// Its version.
    pub version: String,
    /// What is different.
    pub changes: Vec<ExtensionChange>,
    /// What it asks for.
    pub capabilities: Vec<ExtensionCapability>,
}

impl Innkeeper {
    /// What is installed in the data root, on or not.
    ///
    /// # Errors
    /// [`HostError`] when the lock file cannot be used, or the host has no data root.
    pub async fn list_extensions(&self) -> Result<ExtensionList, HostError> {
        self.shelf.refresh(&self.sandbox, &self.limits).await;
        let (folder, stock) = (self.shelf.folder()?, self.shelf.stock());
        blocking(move || {
            let lock = folder.read()?;
            let report = |(id, installed): (&ExtensionId, &Installed)| report(&folder, &stock, id, installed);
            Ok(ExtensionList {
                extensions: lock.extensions.iter().map(report).collect(),
            })
        })
        .await
    }
}

/// One extension as it is now.
pub(super) fn report(
    folder: &ExtensionsFolder,
    stock: &Stock,
    id: &ExtensionId,
    installed: &Installed,
) -> ExtensionReport {
    let edition = &installed.active;
    let manifest = manifest(folder, id, edition);
    let refusal = stock.refusals.get(id);
    ExtensionReport {
        id: id.clone(),
        version: edition.version.clone(),
        publisher: edition.publisher.clone(),
        description: manifest.as_ref().map(|manifest| manifest.description.clone()),
        state: match refusal {
            None => ExtensionState::On,
            Some(Refusal::Off(_)) => ExtensionState::Off,
            Some(Refusal::Damaged(_)) => ExtensionState::Damaged,
        },
        problem: refusal.map(|refusal| refusal.error().clone()),
        capabilities: capabilities(edition, manifest.as_ref(), installed),
        tools: tools(&stock.catalogue, id),
        sha256: edition.sha256.clone(),
        folder: folder.package_path(id, edition),
        update: installed.update.as_ref().map(|update| WaitingUpdate {
            version: update.version.clone(),
            changes: differences(edition, update).iter().map(ExtensionChange::from).collect(),
            capabilities: capabilities(update, self::manifest(folder, id, update).as_ref(), installed),
        }),
    }
}

fn differences(old: &Edition, new: &Edition) -> Vec<Change> {
    changes(agreed(old), agreed(new))
}

/// The manifest, if it is the one that was installed.
fn manifest(folder: &ExtensionsFolder, id: &ExtensionId, edition: &Edition) -> Option<Manifest> {
    let bytes = folder.open(id, edition).ok()?.manifest;
    Manifest::parse(&bytes).ok()
}

fn capabilities(edition: &Edition, manifest: Option<&Manifest>, installed: &Installed) -> Vec<ExtensionCapability> {
    let reason = |name: &str| {
        let asks = manifest.map_or(&[][..], |manifest| &manifest.asks);
        asks.iter()
            .find(|ask: &&Ask| ask.name == name)
            .map(|ask| ask.reason.clone())
    };
    let capability = |name: &String| ExtensionCapability {
        name: name.clone(),
        words: Grant::parse(name).map_or_else(
            |_| "something that this host does not have".to_owned(),
            |grant| grant.words(),
        ),
        reason: reason(name),
        granted: installed.granted.contains(name),
    };
    edition.asks.iter().map(capability).collect()
}

/// The tools of one extension.
pub(super) fn tools(catalogue: &Catalogue, id: &ExtensionId) -> Vec<ToolId> {
    let prefix = format!("extension/{id}:");
    let ids = catalogue.tools().iter().map(|tool| &tool.spec.id);
    ids.filter(|tool| tool.as_str().starts_with(&prefix)).cloned().collect()
}

fn lossy<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}
