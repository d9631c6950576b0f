//! Components: bytes in, something that can be called out.
//!
//! What a component asks for is only read here; whoever links decides what it gets.

use std::sync::Arc;

use innkeeper_protocol::digest::Sha256;
use wasmtime::component::{Component, Linker};

use crate::bindings::ComponentPre;
use crate::engine::Sandbox;
use crate::meter::CallState;

/// Largest component file that is looked at.
pub const MAX_COMPONENT_BYTES: usize = 64 * 1024 * 1024;

/// Why a component was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// Larger than the limit.
    #[error("the component has {bytes} bytes; at most {MAX_COMPONENT_BYTES} are accepted")]
    TooLarge {
        /// Size of the file.
        bytes: usize,
    },
    /// Not a component that the engine accepts, or one without the tool interface.
    #[error("this is no usable tool component: {reason}")]
    Invalid {
        /// What the engine said.
        reason: String,
    },
    /// It imports something that nobody granted or that this host does not have.
    #[error("the component imports `{interface}`, which {why}")]
    ImportRefused {
        /// The interface with its version.
        interface: String,
        /// Not granted, or not served.
        why: &'static str,
    },
}

impl LoadError {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::TooLarge { .. } => "extension.too_large",
            Self::Invalid { .. } => "extension.invalid_component",
            Self::ImportRefused { .. } => "extension.import_refused",
        }
    }
}

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

impl Sandbox {
    /// Compiles a component, or takes its native code from the cache.
    ///
    /// # Errors
    /// [`LoadError::TooLarge`] or [`LoadError::Invalid`].
    pub fn compile(&self, bytes: &[u8]) -> Result<Compiled, LoadError> {
        if bytes.len() > MAX_COMPONENT_BYTES {
            return Err(LoadError::TooLarge { bytes: bytes.len() });
        }
        let sha256 = Sha256::of(bytes);
        let component = match self.cache.load(&self.engine, &sha256) {
            Some(component) => component,
            None => self.compile_and_keep(bytes, &sha256)?,
        };
        let kind = component.component_type();
        let imports = kind.imports(&self.engine).map(|(name, _)| name.to_owned()).collect();
        let exports = kind.exports(&self.engine).map(|(name, _)| name.to_owned()).collect();
        Ok(Compiled {
            component,
            sha256,
            bytes: bytes.len(),
            imports,
            exports,
        })
    }

    fn compile_and_keep(&self, bytes: &[u8], sha256: &Sha256) -> Result<Component, LoadError> {
        let component = Component::from_binary(&self.engine, bytes).map_err(|e| LoadError::Invalid {
            reason: format!("{e:#}"),
        })?;
        self.cache.store(&self.engine, sha256, &component);
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
        let invalid = |e: wasmtime::Error| LoadError::Invalid {
            reason: format!("{e:#}"),
        };
        let linked = linker.instantiate_pre(&compiled.component).map_err(invalid)?;
        let pre = ComponentPre::new(linked).map_err(invalid)?;
        Ok(Prepared { pre, compiled })
    }
}
