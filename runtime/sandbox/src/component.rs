//! Components: bytes in, something that can be called out.
//!
//! What a component asks for is only read here; whoever links decides what it gets.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use innkeeper_protocol::digest::Sha256;
use wasmtime::Engine;
use wasmtime::component::{Component, Linker};

use crate::artefact::load_draft;
use crate::bindings::ComponentPre;
use crate::compiler::Compiler;
use crate::engine::{self, Engines, Sandbox};
use crate::load_error::LoadError;
use crate::lookalike::lookalike;
use crate::meter::CallState;
use crate::prescan::prescan;

/// Largest component file that is looked at.
pub const MAX_COMPONENT_BYTES: usize = 64 * 1024 * 1024;

/// A compiled component and what it asks for.
#[derive(Clone)]
pub struct Compiled {
    pub(crate) component: Component,
    /// Digest of the component's bytes.
    pub sha256: Sha256,
    /// Size of the component in bytes.
    pub bytes: usize,
    /// Imported interfaces with their versions, in order.
    pub imports: Vec<String>,
    /// Exported names, in order.
    pub exports: Vec<String>,
}

/// A component whose imports are all linked: an instance is microseconds away.
pub struct Prepared<T: 'static> {
    pub(crate) pre: ComponentPre<CallState<T>>,
    /// What was compiled.
    pub compiled: Arc<Compiled>,
}

/// Where a component's bytes come from, which says who may compile them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provenance {
    /// They came with the program itself: as trusted as its own code.
    OurOwn,
    /// From anybody else.
    Stranger,
}

impl Compiled {
    /// The engine that it runs on; a linker for it must be of this one.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        self.component.engine()
    }

    fn new(component: Component, sha256: Sha256, bytes: usize) -> Self {
        let (kind, engine) = (component.component_type(), component.engine());
        let imports = kind.imports(engine).map(|(name, _)| name.to_owned()).collect();
        let exports = kind.exports(engine).map(|(name, _)| name.to_owned()).collect();
        Self {
            component,
            sha256,
            bytes,
            imports,
            exports,
        }
    }
}

impl Sandbox {
    /// Compiles a component, or takes its native code from the cache.
    ///
    /// # Errors
    /// [`LoadError`]: too large, no component, too much of something, or not to be compiled here.
    pub async fn compile(&self, bytes: &[u8], from: Provenance) -> Result<Compiled, LoadError> {
        check_size(bytes)?;
        self.compile_known(bytes, Sha256::of(bytes), from).await
    }

    /// The same for bytes whose digest has just been taken: Python's components are large enough for a second time to show.
    ///
    /// # Errors
    /// [`LoadError`], likewise.
    pub async fn compile_known(&self, bytes: &[u8], sha256: Sha256, from: Provenance) -> Result<Compiled, LoadError> {
        check_size(bytes)?;
        let component = match self.cached(&sha256) {
            Some(component) => component,
            None => self.compile_anew(bytes, &sha256, from).await?,
        };
        Ok(Compiled::new(component, sha256, bytes.len()))
    }

    fn cached(&self, sha256: &Sha256) -> Option<Component> {
        let entry = self.cache.find(&self.engines.main, sha256)?;
        let engine = self.engines.get(entry.fits_pool).ok()?;
        entry
            .load(&engine)
            .inspect_err(|e| tracing::warn!(component = %sha256, "a stale artefact is compiled again: {e:#}"))
            .ok()
    }

    async fn compile_anew(&self, bytes: &[u8], sha256: &Sha256, from: Provenance) -> Result<Component, LoadError> {
        if let Some(what) = lookalike(bytes) {
            return Err(LoadError::Invalid {
                reason: format!("this is {what}"),
            });
        }
        match (from, &self.compiler) {
            (Provenance::OurOwn, _) | (Provenance::Stranger, Compiler::InProcess) => {
                self.compile_here(bytes, sha256, from).await
            }
            (Provenance::Stranger, Compiler::Child { program, arguments }) => {
                self.compile_in_child((program, arguments), bytes, sha256).await
            }
            (Provenance::Stranger, Compiler::Refuse) => Err(LoadError::NoCompiler),
        }
    }

    async fn compile_here(&self, bytes: &[u8], sha256: &Sha256, from: Provenance) -> Result<Component, LoadError> {
        let (engines, owned) = (self.engines.clone(), bytes.to_vec());
        let work = tokio::task::spawn_blocking(move || compile(&engines, &owned, from));
        let (component, fits_pool) = work.await.map_err(|e| failed(&e))??;
        if let Err(reason) = self.keep(sha256, &component, fits_pool) {
            tracing::warn!(component = %sha256, %reason, "a compiled component could not be kept");
        }
        Ok(component)
    }

    fn keep(&self, sha256: &Sha256, component: &Component, fits_pool: bool) -> Result<(), String> {
        let code = component.serialize().map_err(|e| format!("{e:#}"))?;
        let mut draft = self.cache.draft().map_err(|e| e.to_string())?;
        draft.write_all(&code).map_err(|e| e.to_string())?;
        self.cache.keep(&self.engines.main, sha256, draft, fits_pool);
        Ok(())
    }

    /// Nothing of a stranger's component is parsed in this process.
    async fn compile_in_child(
        &self,
        command: (&PathBuf, &[String]),
        bytes: &[u8],
        sha256: &Sha256,
    ) -> Result<Component, LoadError> {
        let draft = self.cache.draft().map_err(|e| failed(&e))?;
        let flavour = self.engines.flavour;
        let fits_pool = self.children.compile(command, flavour, bytes, draft.as_file()).await?;
        let engine = self.engines.get(fits_pool).map_err(|e| failed(&e))?;
        let component = load_draft(&engine, &draft).map_err(|e| LoadError::invalid(&e))?;
        self.cache.keep(&self.engines.main, sha256, draft, fits_pool);
        Ok(component)
    }

    /// Links a component with what the linker holds.
    ///
    /// # Errors
    /// [`LoadError::Invalid`] when the component lacks the tool interface, or an import does not fit the host's.
    pub fn prepare<T: Send>(
        &self,
        compiled: Arc<Compiled>,
        linker: &Linker<CallState<T>>,
    ) -> Result<Prepared<T>, LoadError> {
        let linked = linker.instantiate_pre(&compiled.component);
        let linked = linked.map_err(|e| LoadError::invalid(&e))?;
        let pre = ComponentPre::new(linked).map_err(|e| LoadError::invalid(&e))?;
        Ok(Prepared { pre, compiled })
    }
}

fn check_size(bytes: &[u8]) -> Result<(), LoadError> {
    if bytes.len() > MAX_COMPONENT_BYTES {
        return Err(LoadError::TooLarge { bytes: bytes.len() });
    }
    Ok(())
}

/// Compiles for the engine that it will run on, in this process. Our own needs no look at its structure.
fn compile(engines: &Engines, bytes: &[u8], from: Provenance) -> Result<(Component, bool), LoadError> {
    let fits_pool = match from {
        Provenance::OurOwn => true,
        Provenance::Stranger => engine::fits_pool(bytes.len(), prescan(bytes)?),
    };
    let engine = engines.get(fits_pool).map_err(|e| failed(&e))?;
    let component = Component::from_binary(&engine, bytes).map_err(|e| LoadError::invalid(&e))?;
    Ok((component, fits_pool))
}

fn failed(error: &dyn std::error::Error) -> LoadError {
    LoadError::CompilerFailed {
        reason: error.to_string(),
    }
}
