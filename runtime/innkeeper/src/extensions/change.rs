//! Installing, accepting, granting, revoking, removing. Each is one change of the lock file, all or nothing.
//!
//! A change counts for runs that start later.

use std::collections::BTreeSet;

use innkeeper_capabilities::Grant;
use innkeeper_protocol::extension::ExtensionId;
use innkeeper_store::extensions::{ExtensionsFolder, Installed, PackageFiles, Replacement};
use innkeeper_tools::grants::Change;
use schemars::JsonSchema;
use serde::Serialize;

use super::not_installed;
use super::plan::ExtensionPlan;
use super::report::{ExtensionReport, report};
use crate::builder::Innkeeper;
use crate::error::HostError;
use crate::ports::blocking;

/// What a person agrees to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Consent {
    /// Names of capabilities that are granted, beside those that were granted before.
    pub grants: BTreeSet<String>,
    /// Whether what is different about an update is accepted.
    pub accepts_changes: bool,
}

/// What came of an installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InstallOutcome {
    /// It was not there before.
    Installed,
    /// It took the place of another edition.
    Updated,
    /// The very same edition was there; its files were written anew.
    Renewed,
    /// It waits until somebody accepts what is different; the edition before it stays in use.
    Waiting,
}

/// An installation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstallReport {
    /// What came of it.
    pub outcome: InstallOutcome,
    /// The extension as it is now.
    pub extension: ExtensionReport,
}

/// A change of grants, or of what is accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GrantChange {
    /// Whether anything is different now.
    pub changed: bool,
    /// The extension as it is now.
    pub extension: ExtensionReport,
}

/// An extension that is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RemovedExtension {
    /// The extension.
    pub removed: ExtensionId,
    /// The version that runs used.
    pub version: String,
}

impl Innkeeper {
    /// Installs what was planned. Grants of an earlier edition stay; what needs acceptance and is not accepted waits.
    ///
    /// # Errors
    /// `extension.grant_refused` for a capability that it does not ask for, `store.extensions_changed` when the extension was changed since
    /// it was planned; [`HostError`] when the disk refuses. What is installed is as it was then.
    pub async fn install_extension(&self, plan: ExtensionPlan, consent: &Consent) -> Result<InstallReport, HostError> {
        let grants = canonical(&consent.grants);
        check_asked(&plan.id, &grants, &plan.edition.asks)?;
        let may_count = consent.accepts_changes || !plan.changes.iter().any(Change::needs_acceptance);
        let before = plan.found.as_ref();
        let outcome = match before {
            None => InstallOutcome::Installed,
            Some(_) if !may_count => InstallOutcome::Waiting,
            Some(found) if found.active == plan.edition => InstallOutcome::Renewed,
            Some(_) => InstallOutcome::Updated,
        };
        let granted = before.map_or_else(BTreeSet::new, |found| found.granted.clone());
        let new = match before.filter(|_| outcome == InstallOutcome::Waiting) {
            Some(found) => Installed {
                active: found.active.clone(),
                update: Some(plan.edition),
                granted,
            },
            None => Installed {
                active: plan.edition,
                update: None,
                granted,
            },
        };
        let new = with_grants(new, &grants);
        self.replace(plan.id.clone(), plan.found, Some(new.clone()), Some(plan.files))
            .await?;
        let extension = self.extension(&plan.id, &new).await?;
        Ok(InstallReport { outcome, extension })
    }

    /// Lets an update count that waits, and grants what is named.
    ///
    /// # Errors
    /// `extension.not_installed`, `extension.no_update`, `extension.damaged`, `extension.grant_refused`, or [`HostError`] about the disk.
    pub async fn accept_extension(
        &self,
        id: &ExtensionId,
        grants: &BTreeSet<String>,
    ) -> Result<GrantChange, HostError> {
        let found = self.installed(id).await?;
        let Some(update) = found.update.clone() else {
            let message = format!("no update of the extension {id} waits to be accepted");
            return Err(HostError::new("extension.no_update", message)
                .with_hint("`innkeeper extension install DIR` brings one in."));
        };
        let grants = canonical(grants);
        check_asked(id, &grants, &update.asks)?;
        let (folder, name, edition) = (self.shelf.folder()?, id.clone(), update.clone());
        blocking::<_, HostError>(move || Ok(folder.open(&name, &edition)?)).await?;
        let new = Installed {
            active: update,
            update: None,
            granted: found.granted.clone(),
        };
        self.change(id, found, with_grants(new, &grants)).await
    }

    /// Grants a capability.
    ///
    /// # Errors
    /// `extension.not_installed`, `extension.grant_refused` for what it does not ask for, or [`HostError`] about the disk.
    pub async fn grant_extension(&self, id: &ExtensionId, capability: &str) -> Result<GrantChange, HostError> {
        let found = self.installed(id).await?;
        let named = BTreeSet::from([Grant::canonical(capability)]);
        check_asked(id, &named, &asks(&found))?;
        let new = with_grants(found.clone(), &named);
        self.change(id, found, new).await
    }

    /// Takes a capability away.
    ///
    /// # Errors
    /// As [`grant_extension`](Self::grant_extension).
    pub async fn revoke_extension(&self, id: &ExtensionId, capability: &str) -> Result<GrantChange, HostError> {
        let found = self.installed(id).await?;
        let name = Grant::canonical(capability);
        check_asked(id, &BTreeSet::from([name.clone()]), &asks(&found))?;
        let mut new = found.clone();
        new.granted.remove(&name);
        self.change(id, found, new).await
    }

    /// Removes an extension with its grants. Rules of the policy about it stay, and so do profiles that name its tools.
    ///
    /// # Errors
    /// `extension.not_installed`, or [`HostError`] about the disk.
    pub async fn remove_extension(&self, id: &ExtensionId) -> Result<RemovedExtension, HostError> {
        let found = self.installed(id).await?;
        let version = found.active.version.clone();
        self.replace(id.clone(), Some(found), None, None).await?;
        self.shelf.refresh(&self.sandbox, &self.limits).await;
        Ok(RemovedExtension {
            removed: id.clone(),
            version,
        })
    }

    async fn installed(&self, id: &ExtensionId) -> Result<Installed, HostError> {
        let folder = self.shelf.folder()?;
        let lock = blocking::<_, HostError>(move || Ok(folder.read()?)).await?;
        lock.extensions.get(id).cloned().ok_or_else(|| not_installed(id))
    }

    async fn change(&self, id: &ExtensionId, found: Installed, new: Installed) -> Result<GrantChange, HostError> {
        let changed = found != new;
        if changed {
            self.replace(id.clone(), Some(found), Some(new.clone()), None).await?;
        }
        let extension = self.extension(id, &new).await?;
        Ok(GrantChange { changed, extension })
    }

    async fn replace(
        &self,
        id: ExtensionId,
        expected: Option<Installed>,
        new: Option<Installed>,
        files: Option<PackageFiles>,
    ) -> Result<(), HostError> {
        let folder: ExtensionsFolder = self.shelf.folder()?;
        blocking(move || {
            folder.replace(&Replacement {
                id: &id,
                expected: expected.as_ref(),
                new: new.as_ref(),
                files: files.as_ref(),
            })?;
            Ok(())
        })
        .await
    }

    /// The extension as runs that start now find it.
    async fn extension(&self, id: &ExtensionId, installed: &Installed) -> Result<ExtensionReport, HostError> {
        self.shelf.reload(&self.sandbox, &self.limits).await;
        let (folder, stock) = (self.shelf.folder()?, self.shelf.stock());
        let (id, installed) = (id.clone(), installed.clone());
        blocking(move || Ok(report(&folder, &stock, &id, &installed))).await
    }
}

/// Names as the lock file has them.
fn canonical(names: &BTreeSet<String>) -> BTreeSet<String> {
    names.iter().map(|name| Grant::canonical(name)).collect()
}

/// What any edition asks for.
fn asks(installed: &Installed) -> BTreeSet<String> {
    let editions = std::iter::once(&installed.active).chain(&installed.update);
    editions.flat_map(|edition| edition.asks.iter().cloned()).collect()
}

/// Adds grants, and forgets those that no edition asks for any more.
fn with_grants(installed: Installed, grants: &BTreeSet<String>) -> Installed {
    let asks = asks(&installed);
    let all: BTreeSet<String> = installed.granted.union(grants).cloned().collect();
    Installed {
        granted: all.intersection(&asks).cloned().collect(),
        ..installed
    }
}

/// Refuses names of capabilities that are not asked for: a grant that is misspelt would grant nothing.
fn check_asked(id: &ExtensionId, names: &BTreeSet<String>, asks: &BTreeSet<String>) -> Result<(), HostError> {
    let Some(name) = names.difference(asks).next() else {
        return Ok(());
    };
    let asked: Vec<&str> = asks.iter().map(String::as_str).collect();
    let hint = match asked.is_empty() {
        true => "It asks for nothing.".to_owned(),
        false => format!("It asks for {}.", asked.join(", ")),
    };
    let message = format!("the extension {id} does not ask for {name:?}");
    Err(HostError::new("extension.grant_refused", message).with_hint(hint))
}
