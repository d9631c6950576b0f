//! Why a component's tools cannot be used.

use innkeeper_protocol::id::ToolId;
use innkeeper_protocol::limits::Limits;
use innkeeper_sandbox::{Fault, LoadError};

use crate::served::Misfit;
use crate::words;

/// A component that was refused, with its name as the host knows it.
#[derive(Debug, thiserror::Error)]
pub enum ToolsError {
    /// The sandbox refused it.
    #[error("{component}: {source}")]
    Load {
        /// The component.
        component: String,
        /// Why.
        source: LoadError,
    },
    /// It was built for another version of the contract.
    #[error("{component}: {misfit}")]
    Misfit {
        /// The component.
        component: String,
        /// What does not fit.
        misfit: Misfit,
        /// Whether it is an import, and not the interface that it exports.
        is_import: bool,
    },
    /// It broke down while listing its tools.
    #[error("{component} failed while listing its tools: {}", words::unlisted(.source, .limits))]
    Specs {
        /// The component.
        component: String,
        /// Why.
        source: Fault,
        /// What it had to keep to.
        limits: Box<Limits>,
    },
    /// A tool's specification is not usable.
    #[error("{component}: the tool {tool:?} is not usable: {reason}")]
    BadSpec {
        /// The component.
        component: String,
        /// The tool's name as it came.
        tool: String,
        /// Why.
        reason: String,
    },
    /// A specification's text holds a placeholder that does not exist.
    #[error("{component}: the tool {tool:?} holds the placeholder {placeholder}, which does not exist")]
    UnknownPlaceholder {
        /// The component.
        component: String,
        /// The tool's name.
        tool: String,
        /// The placeholder, braces included.
        placeholder: String,
    },
    /// Two tools have one id.
    #[error("there are two tools with the id {id}")]
    Duplicate {
        /// The id.
        id: ToolId,
    },
}

impl ToolsError {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Load { source, .. } => source.code(),
            Self::Misfit { is_import: true, .. } => "extension.import_refused",
            Self::Misfit { is_import: false, .. } | Self::Specs { .. } | Self::BadSpec { .. } => {
                "extension.invalid_component"
            }
            Self::UnknownPlaceholder { .. } => "tool.unknown_placeholder",
            Self::Duplicate { .. } => "tool.catalog_duplicate_id",
        }
    }
}
