//! Finds the families: the members of the guests' workspace that hold a world and tool files.
//!
//! Cargo's own list of members is the only one; the SDK is a member without tools and is passed over.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context;
use serde::{Deserialize, de::DeserializeOwned};

/// A family of tools that becomes one component.
pub(crate) struct Family {
    /// The folder's name, as `dice`.
    pub(crate) name: String,
    /// Its cargo package, as `innkeeper-dice`.
    pub(crate) package: String,
    pub(crate) folder: PathBuf,
}

impl Family {
    /// The file name of cargo's output.
    pub(crate) fn module_file(&self) -> String {
        format!("{}.wasm", self.package.replace('-', "_"))
    }
}

#[derive(Deserialize)]
struct WorkspaceManifest {
    workspace: Workspace,
}

#[derive(Deserialize)]
struct Workspace {
    members: Vec<String>,
}

#[derive(Deserialize)]
struct Manifest {
    package: Package,
}

#[derive(Deserialize)]
struct Package {
    name: String,
}

/// All families below `plugins/`, by name.
pub(crate) fn find(root: &Path) -> anyhow::Result<Vec<Family>> {
    let plugins = root.join("plugins");
    let manifest: WorkspaceManifest = read_manifest(&plugins)?;
    let mut families = Vec::new();
    for member in &manifest.workspace.members {
        let folder = plugins.join(member);
        if folder.join("tool").is_dir() && folder.join("wit").is_dir() {
            families.push(read(folder)?);
        }
    }
    families.sort_by(|one, other| one.name.cmp(&other.name));
    anyhow::ensure!(!families.is_empty(), "no family in {}", plugins.display());
    Ok(families)
}

fn read(folder: PathBuf) -> anyhow::Result<Family> {
    let manifest: Manifest = read_manifest(&folder)?;
    let name = folder.file_name().unwrap_or_default();
    Ok(Family {
        name: name.to_string_lossy().into_owned(),
        package: manifest.package.name,
        folder,
    })
}

fn read_manifest<T: DeserializeOwned>(folder: &Path) -> anyhow::Result<T> {
    let path = folder.join("Cargo.toml");
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    toml::from_str(&text).with_context(|| path.display().to_string())
}
