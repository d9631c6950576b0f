//! Why a component's tools cannot be used.

use innkeeper_protocol::id::ToolId;
use innkeeper_sandbox::{Fault, LoadError};

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
    /// It broke down while listing its tools.
    #[error("{component} failed while listing its tools: {source}")]
    Specs {
        /// The component.
        component: String,
        /// Why.
        source: Fault,
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
            Self::Specs { .. } | Self::BadSpec { .. } => "extension.invalid_component",
            Self::UnknownPlaceholder { .. } => "tool.unknown_placeholder",
            Self::Duplicate { .. } => "tool.catalog_duplicate_id",
        }
    }
}
