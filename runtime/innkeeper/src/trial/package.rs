//! A package on its author's disk: manifest and component as they are now, whether or not the one names the other.
//!
//! Whoever installs a package insists on the digest; an author has built the component a moment ago and wants to try it.

use std::path::Path;

use innkeeper_protocol::digest::Sha256;
use innkeeper_store::extensions::{MANIFEST, MAX_MANIFEST_BYTES, PackageSource};
use innkeeper_tools::Manifest;

use crate::error::HostError;

/// Largest component, the sandbox's own limit.
const MAX_COMPONENT_BYTES: u64 = 64 * 1024 * 1024;

/// A package that is tried.
#[derive(Debug, Clone)]
pub struct TrialPackage {
    /// What it says of itself.
    pub manifest: Manifest,
    /// Its manifest as it is written.
    pub manifest_text: String,
    /// The component.
    pub component: Vec<u8>,
    /// Digest of the component.
    pub sha256: Sha256,
}

impl TrialPackage {
    /// Reads manifest and component.
    ///
    /// # Errors
    /// [`HostError`] when a file is missing, is too large or is not what it should be. A component that is missing has most likely not
    /// been built yet, and the hint says so.
    pub fn read(folder: &Path) -> Result<Self, HostError> {
        let source = PackageSource::open(folder)?;
        let text = source.read(MANIFEST, MAX_MANIFEST_BYTES)?;
        let manifest = Manifest::parse(&text)?;
        let component = source.read(manifest.component.as_str(), MAX_COMPONENT_BYTES);
        let component = component.map_err(|error| {
            HostError::from(error).with_hint("Build the component first; the package's README.md says how.")
        })?;
        Ok(Self {
            sha256: Sha256::of(&component),
            manifest,
            // Parsed above, so it is UTF-8.
            manifest_text: String::from_utf8_lossy(&text).into_owned(),
            component,
        })
    }

    /// Whether the manifest names this component.
    #[must_use]
    pub fn is_sealed(&self) -> bool {
        self.manifest.sha256 == self.sha256
    }

    /// The manifest with the digest of this component in the place of the one that it names; all else stays as it is written.
    #[must_use]
    pub fn sealed_manifest(&self) -> String {
        // A digest of 64 digits stands nowhere else in a manifest, whatever quotes it is written with.
        self.manifest_text
            .replacen(self.manifest.sha256.as_str(), self.sha256.as_str(), 1)
    }
}
