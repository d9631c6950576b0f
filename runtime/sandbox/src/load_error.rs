//! Why a component is refused before any of its code runs.
//!
//! What goes wrong in a call is a [`crate::Fault`].

use crate::component::MAX_COMPONENT_BYTES;
use crate::prescan::Excess;

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
    /// It has more of something than any compiler should be asked to work through.
    #[error("this is no usable tool component: {0}")]
    Excess(#[from] Excess),
    /// It imports something that nobody granted or that this host does not have.
    #[error("the component imports `{interface}`, which {why}")]
    ImportRefused {
        /// The interface with its version.
        interface: String,
        /// Not granted, or not served.
        why: &'static str,
    },
    /// Compiling it took more time or memory than there is for it, or broke the compiler down.
    #[error("the component was not compiled: {how}")]
    CompileLimit {
        /// How the compiler ended.
        how: String,
    },
    /// A stranger's component, and this host was given no compiler for those.
    #[error("this host has no compiler for components of others")]
    NoCompiler,
    /// The compiler could not be started, or its work could not be taken over.
    #[error("the compiler for components of others does not work: {reason}")]
    CompilerFailed {
        /// What failed.
        reason: String,
    },
}

impl LoadError {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::TooLarge { .. } => "extension.too_large",
            Self::Invalid { .. } | Self::Excess(_) => "extension.invalid_component",
            Self::ImportRefused { .. } => "extension.import_refused",
            Self::CompileLimit { .. } => "extension.compile_limit",
            Self::NoCompiler => "sandbox.no_compiler",
            Self::CompilerFailed { .. } => "sandbox.compiler_failed",
        }
    }

    /// An engine's refusal, in its words.
    pub(crate) fn invalid(error: &wasmtime::Error) -> Self {
        Self::Invalid {
            reason: format!("{error:#}"),
        }
    }
}
