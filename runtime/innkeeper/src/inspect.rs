//! Looking at a component before anybody trusts it: what it imports, in words; which tools it has; whether this host would load it.
//!
//! Nothing of it is installed or granted, and none of its tools is called. Listing its tools runs its code with nothing at hand.

use std::sync::Arc;

use innkeeper_capabilities::{Capability, Grants, Interface, is_linked_empty};
use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::tool::ToolSpec;
use innkeeper_sandbox::Provenance;
use innkeeper_tools::{Catalogue, Origin};
use schemars::JsonSchema;
use serde::Serialize;

use crate::builder::Innkeeper;
use crate::error::HostError;

/// One import of a component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportReport {
    /// The interface with its version.
    pub interface: String,
    /// The name by which it is granted; none where nothing needs granting or nothing can be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capability: Option<&'static str>,
    /// What it lets the component do.
    pub words: String,
    /// Whether this host could give it to an extension.
    pub is_served: bool,
}

/// What was found in a component file.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComponentReport {
    /// Digest of the file.
    pub sha256: Sha256,
    /// Size in bytes.
    pub bytes: usize,
    /// What it imports.
    pub imports: Vec<ImportReport>,
    /// What it exports.
    pub exports: Vec<String>,
    /// Its tools; empty when it cannot be loaded.
    pub tools: Vec<ToolSpec>,
    /// Why it cannot be loaded; none when it can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<HostError>,
}

impl Innkeeper {
    /// Looks at a component as a stranger's: everything that can be granted counts as granted.
    ///
    /// # Errors
    /// [`HostError`] when the bytes are no component at all. A component that this host would refuse is a report with a refusal.
    pub async fn inspect_component(&self, id: &str, bytes: &[u8]) -> Result<ComponentReport, HostError> {
        let compiled = Arc::new(self.sandbox.compile(bytes, Provenance::Stranger).await?);
        let mut report = ComponentReport {
            sha256: compiled.sha256.clone(),
            bytes: compiled.bytes,
            imports: compiled.imports.iter().map(|name| import(name)).collect(),
            exports: compiled.exports.clone(),
            tools: Vec::new(),
            refusal: None,
        };
        let grantable = Capability::ALL
            .into_iter()
            .filter(|capability| capability.name().is_some());
        let granted = Grants::from(grantable.collect::<Vec<_>>().as_slice());
        let mut catalogue = Catalogue::new(self.limits.clone());
        let origin = Origin::Extension(id.to_owned());
        let added = catalogue.add_compiled(&self.sandbox, id, &origin, compiled, &granted);
        match added.await {
            Ok(()) => report.tools = catalogue.specs(),
            Err(error) => report.refusal = Some(error.into()),
        }
        Ok(report)
    }
}

fn import(name: &str) -> ImportReport {
    let capability = Interface::parse(name).map(Interface::capability);
    let (capability, words, is_served) = match capability {
        None if is_linked_empty(name) => (None, "nothing: it is linked with nothing in it".to_owned(), true),
        None => (None, "something that this host does not have".to_owned(), false),
        Some(None) => (
            None,
            "nothing that needs granting: diagnostics and shapes".to_owned(),
            true,
        ),
        Some(Some(capability)) => (
            capability.name(),
            capability.words().to_owned(),
            capability.name().is_some(),
        ),
    };
    ImportReport {
        interface: name.to_owned(),
        capability,
        words,
        is_served,
    }
}
