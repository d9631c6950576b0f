//! A package that somebody wants to install: read once, checked whole, and told in plain words. Nothing is written.
//!
//! The component runs once, to list its tools, with nothing at hand.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use innkeeper_capabilities::{Grants, Interface};
use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::extension::ExtensionId;
use innkeeper_protocol::id::ToolName;
use innkeeper_protocol::path::WorkspacePath;
use innkeeper_protocol::tool::{Permission, ToolSpec};
use innkeeper_sandbox::{LoadError, Provenance};
use innkeeper_store::extensions::{
    Documents, Edition, Installed, MANIFEST, MAX_MANIFEST_BYTES, PackageFiles, PackageSource,
};
use innkeeper_tools::grants::{Agreed, Change, changes, pins};
use innkeeper_tools::{Catalogue, Manifest, ManifestError, Origin, bare_manifest, check_versions};
use schemars::JsonSchema;
use serde::Serialize;

use crate::builder::Innkeeper;
use crate::error::HostError;
use crate::ports::blocking;

/// Largest component, the sandbox's own limit.
const MAX_COMPONENT_BYTES: u64 = 64 * 1024 * 1024;

/// What is to be installed.
#[derive(Debug, Clone)]
pub enum PackageInput {
    /// A folder with `extension.toml`.
    Folder(PathBuf),
    /// A single component, which gets a manifest without reasons.
    Component {
        /// What it is to be called.
        id: ExtensionId,
        /// The component.
        bytes: Vec<u8>,
    },
}

/// A package that could be installed.
#[derive(Debug, Clone)]
pub struct ExtensionPlan {
    /// What to show to the person who decides.
    pub offer: ExtensionOffer,
    pub(super) id: ExtensionId,
    pub(super) files: PackageFiles,
    pub(super) edition: Edition,
    pub(super) found: Option<Installed>,
    pub(super) changes: Vec<Change>,
}

impl ExtensionPlan {
    /// The component.
    #[must_use]
    pub fn component(&self) -> &[u8] {
        self.files.get(&self.edition.component).unwrap_or_default()
    }
}

/// A package in plain words. Publisher, description and reasons are the author's.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExtensionOffer {
    /// The extension.
    pub id: ExtensionId,
    /// As its author counts.
    pub version: String,
    /// Who says that it is theirs. Nothing proves it.
    pub publisher: String,
    /// What it is for.
    pub description: String,
    /// Digest of the component.
    pub sha256: Sha256,
    /// Size of the component in bytes.
    pub bytes: u64,
    /// What it asks for.
    pub capabilities: Vec<AskedCapability>,
    /// Ceilings that its author suggests.
    pub limits: BTreeMap<&'static str, u64>,
    /// Permissions that its author suggests.
    pub permissions: BTreeMap<ToolName, Permission>,
    /// Its tools.
    pub tools: Vec<ToolSpec>,
    /// What lies beside the package and is not installed.
    pub left_out: Vec<String>,
    /// What it would take the place of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces: Option<ReplacedEdition>,
}

/// One capability that a package asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AskedCapability {
    /// The name by which it is granted.
    pub name: String,
    /// What it lets the extension do.
    pub words: String,
    /// Why, in the author's words.
    pub reason: String,
    /// Whether the extension was granted it before.
    pub granted: bool,
}

/// An installed edition beside the one that would take its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplacedEdition {
    /// Its version.
    pub version: String,
    /// What is different.
    pub changes: Vec<ExtensionChange>,
    /// Whether somebody has to accept that.
    pub needs_acceptance: bool,
}

/// One difference between two editions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExtensionChange {
    /// The difference in plain words.
    pub words: String,
    /// Whether somebody has to accept it.
    pub needs_acceptance: bool,
}

impl From<&Change> for ExtensionChange {
    fn from(change: &Change) -> Self {
        Self {
            words: change.to_string(),
            needs_acceptance: change.needs_acceptance(),
        }
    }
}

/// A package in memory, its manifest read.
struct Package {
    manifest: Manifest,
    text: Vec<u8>,
    component: Vec<u8>,
    documents: Documents,
}

impl Innkeeper {
    /// Reads a package and checks everything: names and sizes, manifest, digest, component, imports, tools. What is installed is compared
    /// with it.
    ///
    /// # Errors
    /// [`HostError`] naming what is wrong; nothing has been written. A component that imports `innkeeper:run/control` is refused.
    pub async fn plan_extension(&self, input: PackageInput) -> Result<ExtensionPlan, HostError> {
        let package = match input {
            PackageInput::Folder(path) => blocking(move || read_folder(&path)).await?,
            PackageInput::Component { id, bytes } => self.bare(&id, bytes).await?,
        };
        let manifest = &package.manifest;
        let tools = self.listed_tools(manifest, &package.component).await?;
        let mut files = PackageFiles::default();
        files.add(manifest_path()?, package.text.clone())?;
        files.add(manifest.component.clone(), package.component.clone())?;
        for (path, bytes) in package.documents.files {
            // A manifest may name a text as its component; it is one file then.
            if path != manifest.component {
                files.add(path, bytes)?;
            }
        }
        let id = manifest.id.clone();
        let edition = Edition {
            version: manifest.version.to_string(),
            publisher: manifest.publisher.clone(),
            package: files.digest(),
            manifest: Sha256::of(&package.text),
            component: manifest.component.clone(),
            sha256: Sha256::of(&package.component),
            bytes: package.component.len() as u64,
            asks: manifest.names().map(str::to_owned).collect(),
            specs: pins(&tools),
        };
        let found = self.found(&id).await?;
        let changes = found
            .as_ref()
            .map_or_else(Vec::new, |found| changes(agreed(&found.active), agreed(&edition)));
        let offer = offer(
            manifest,
            &edition,
            tools,
            found.as_ref(),
            &changes,
            package.documents.left_out,
        );
        Ok(ExtensionPlan {
            offer,
            id,
            files,
            edition,
            found,
            changes,
        })
    }

    /// What is installed under this id; nothing in a host that has no data root.
    async fn found(&self, id: &ExtensionId) -> Result<Option<Installed>, HostError> {
        let Ok(folder) = self.shelf.folder() else {
            return Ok(None);
        };
        let mut lock = blocking::<_, HostError>(move || Ok(folder.read()?)).await?;
        Ok(lock.extensions.remove(id))
    }

    /// The tools of a component that gets everything that its manifest asks for.
    async fn listed_tools(&self, manifest: &Manifest, component: &[u8]) -> Result<Vec<ToolSpec>, HostError> {
        let compiled = self.sandbox.compile(component, Provenance::Stranger).await?;
        let is_control = |name: &&String| Interface::parse(name) == Some(Interface::RunControl);
        if let Some(interface) = compiled.imports.iter().find(is_control) {
            return Err(LoadError::ImportRefused {
                interface: interface.clone(),
                why: "is for built-in tools only",
            }
            .into());
        }
        check_versions(manifest.id.as_str(), &compiled)?;
        // What no manifest could ask for is refused by its own name below.
        let asked: Grants = manifest.asks.iter().map(|ask| ask.grant.clone()).collect();
        manifest.check_imports(&compiled.imports)?;
        let mut catalogue = Catalogue::new(manifest.limits.lower(&self.limits));
        let origin = Origin::Extension(manifest.id.to_string());
        let added = catalogue.add_compiled(&self.sandbox, manifest.id.as_str(), &origin, Arc::new(compiled), &asked);
        added.await?;
        let tools = catalogue.specs();
        manifest.check_tools(tools.iter().map(|tool| &tool.native_name))?;
        if tools.is_empty() {
            let message = format!("{}: the component has no tools", manifest.id);
            return Err(HostError::new("extension.invalid_component", message).with_hint("Let it list at least one."));
        }
        Ok(tools)
    }

    async fn bare(&self, id: &ExtensionId, component: Vec<u8>) -> Result<Package, HostError> {
        let compiled = self.sandbox.compile(&component, Provenance::Stranger).await?;
        let text = bare_manifest(id, &component, &compiled.imports).into_bytes();
        Ok(Package {
            manifest: Manifest::parse(&text)?,
            text,
            component,
            documents: Documents::default(),
        })
    }
}

fn read_folder(path: &Path) -> Result<Package, HostError> {
    let source = PackageSource::open(path)?;
    let text = source.read(MANIFEST, MAX_MANIFEST_BYTES)?;
    let manifest = Manifest::parse(&text)?;
    let component = source.read(manifest.component.as_str(), MAX_COMPONENT_BYTES)?;
    let found = Sha256::of(&component);
    if found != manifest.sha256 {
        let named = manifest.sha256.clone();
        return Err(ManifestError::OtherComponent { named, found }.into());
    }
    let mut documents = source.documents()?;
    documents
        .left_out
        .retain(|name| name != MANIFEST && *name != *manifest.component.as_str());
    Ok(Package {
        manifest,
        text,
        component,
        documents,
    })
}

fn manifest_path() -> Result<WorkspacePath, HostError> {
    WorkspacePath::parse(MANIFEST).map_err(|e| HostError::internal("agent.internal_error", e.to_string()))
}

pub(super) fn agreed(edition: &Edition) -> Agreed<'_> {
    Agreed {
        publisher: &edition.publisher,
        asks: &edition.asks,
        specs: &edition.specs,
    }
}

fn offer(
    manifest: &Manifest,
    edition: &Edition,
    tools: Vec<ToolSpec>,
    found: Option<&Installed>,
    changes: &[Change],
    left_out: Vec<String>,
) -> ExtensionOffer {
    let nothing = BTreeSet::new();
    let granted = found.map_or(&nothing, |found| &found.granted);
    let capability = |ask: &innkeeper_tools::Ask| AskedCapability {
        name: ask.name.clone(),
        words: ask.grant.words(),
        reason: ask.reason.clone(),
        granted: granted.contains(&ask.name),
    };
    ExtensionOffer {
        id: manifest.id.clone(),
        version: edition.version.clone(),
        publisher: manifest.publisher.clone(),
        description: manifest.description.clone(),
        sha256: edition.sha256.clone(),
        bytes: edition.bytes,
        capabilities: manifest.asks.iter().map(capability).collect(),
        limits: manifest.limits.named().into_iter().collect(),
        permissions: manifest.permissions.clone(),
        tools,
        left_out,
        replaces: found.map(|found| ReplacedEdition {
            version: found.active.version.clone(),
            changes: changes.iter().map(ExtensionChange::from).collect(),
            needs_acceptance: changes.iter().any(Change::needs_acceptance),
        }),
    }
}
