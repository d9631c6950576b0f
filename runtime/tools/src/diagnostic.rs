//! Something that keeps tools out of the catalogue, for the person who misses them.
//!
//! A diagnostic stops nothing: the host starts and runs go on without those tools.

use innkeeper_protocol::extension::ExtensionId;
use innkeeper_protocol::id::ToolId;
use schemars::JsonSchema;
use serde::Serialize;

/// Why tools that could be here are not, or something else that a person should know of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostic {
    /// The tool, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_id: Option<ToolId>,
    /// The extension, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extension_id: Option<ExtensionId>,
    /// The stable code.
    pub code: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}
