//! The tools that runs can start with: our own, and those of the extensions that are installed at the moment.
//!
//! What is on the shelf is never changed, only replaced: whoever took it keeps it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::extension::ExtensionId;
use innkeeper_protocol::limits::Limits;
use innkeeper_sandbox::Sandbox;
use innkeeper_store::extensions::ExtensionsFolder;
use innkeeper_tools::Catalogue;

use super::load;
use crate::error::HostError;
use crate::ports::blocking;

/// The tools of a host.
pub(crate) struct Shelf {
    builtins: Catalogue,
    folder: Option<ExtensionsFolder>,
    current: RwLock<Arc<Stock>>,
    /// Held while the shelf is filled, so that two starts do not do it at once.
    filling: tokio::sync::Mutex<()>,
}

/// What is on the shelf.
#[derive(Default)]
pub(super) struct Stock {
    pub(super) catalogue: Arc<Catalogue>,
    /// Why an extension that is installed has no tools here.
    pub(super) refusals: BTreeMap<ExtensionId, load::Refusal>,
    /// Why nothing is known of any extension.
    pub(super) problem: Option<HostError>,
    /// The lock file that this comes from.
    pub(super) stamp: Option<Sha256>,
}

impl Shelf {
    /// Our own tools, and those of the extensions of a data root. An extension that cannot be used is a diagnostic.
    pub(crate) async fn fill(
        sandbox: &Sandbox,
        limits: &Limits,
        data_root: Option<PathBuf>,
    ) -> Result<Self, HostError> {
        let builtins = Catalogue::builtins(sandbox, limits).await?;
        let shelf = Self {
            current: RwLock::new(Arc::new(Stock {
                catalogue: Arc::new(builtins.clone()),
                ..Stock::default()
            })),
            builtins,
            folder: data_root.map(ExtensionsFolder::new),
            filling: tokio::sync::Mutex::default(),
        };
        if let Some(folder) = shelf.folder.clone() {
            let sweep = blocking::<(), HostError>(move || {
                folder.sweep();
                Ok(())
            });
            sweep.await?;
        }
        shelf.refresh(sandbox, limits).await;
        Ok(shelf)
    }

    /// The tools as they are now.
    pub(crate) fn catalogue(&self) -> Arc<Catalogue> {
        self.stock().catalogue.clone()
    }

    /// Where the extensions lie.
    pub(super) fn folder(&self) -> Result<ExtensionsFolder, HostError> {
        self.folder.clone().ok_or_else(|| {
            HostError::new(
                "agent.data_root_required",
                "this host has no data root, so it has no extensions",
            )
            .with_hint("Give the builder a data_root.")
        })
    }

    pub(super) fn stock(&self) -> Arc<Stock> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Looks whether extensions were changed, by anybody, and takes in what there is now.
    pub(crate) async fn refresh(&self, sandbox: &Sandbox, limits: &Limits) {
        let Some(folder) = self.folder.clone() else { return };
        let _filling = self.filling.lock().await;
        let looked = folder.clone();
        let stamp = blocking::<_, HostError>(move || Ok(looked.stamp())).await;
        if stamp.is_ok_and(|stamp| self.stock().is_up_to_date(stamp.as_ref(), &folder)) {
            return;
        }
        self.take_in(sandbox, limits, &folder).await;
    }

    /// Takes in what there is now, also where the lock file is as it was.
    pub(super) async fn reload(&self, sandbox: &Sandbox, limits: &Limits) {
        let Some(folder) = self.folder.clone() else { return };
        let _filling = self.filling.lock().await;
        self.take_in(sandbox, limits, &folder).await;
    }

    async fn take_in(&self, sandbox: &Sandbox, limits: &Limits, folder: &ExtensionsFolder) {
        let stock = load::stock(sandbox, limits, &self.builtins, folder).await;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(stock);
    }
}

impl Stock {
    pub(super) fn new(catalogue: Catalogue, stamp: Option<Sha256>) -> Self {
        Self {
            catalogue: Arc::new(catalogue),
            stamp,
            ..Self::default()
        }
    }

    /// Whether looking again would find the same. What is damaged may have been mended without a change of the lock file.
    fn is_up_to_date(&self, stamp: Option<&Sha256>, folder: &ExtensionsFolder) -> bool {
        let is_damaged = |refusal: &load::Refusal| matches!(refusal, load::Refusal::Damaged(_));
        self.is_of(stamp)
            && (stamp.is_some() || !folder.lock_path().exists())
            && !self.refusals.values().any(is_damaged)
    }

    pub(super) fn is_of(&self, stamp: Option<&Sha256>) -> bool {
        self.stamp.as_ref() == stamp
    }
}
