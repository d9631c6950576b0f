//! The catalogue as a list for programs: every tool with its component, whether or not a profile offers it.
//!
//! The alias is the usual one; by which name a model knows a tool is settled invocation by invocation.

use innkeeper_protocol::id::ModelAlias;
use innkeeper_protocol::tool::ToolSpec;
use innkeeper_tools::{Catalogue, ComponentInfo, Diagnostic, Tool, usual_alias};
use schemars::JsonSchema;
use serde::Serialize;

/// The tools of a host.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolList {
    /// Every tool.
    pub tools: Vec<ListedTool>,
    /// Why others that could be here are not.
    pub diagnostics: Vec<Diagnostic>,
}

/// A tool in a list.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListedTool {
    /// Its specification.
    #[serde(flatten)]
    pub spec: ToolSpec,
    /// What models usually call it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_alias: Option<ModelAlias>,
    /// The component that it lives in.
    pub component: ComponentInfo,
}

impl ToolList {
    /// Everything in the catalogue.
    #[must_use]
    pub fn of(catalogue: &Catalogue) -> Self {
        Self {
            tools: catalogue.tools().iter().map(|tool| ListedTool::of(tool)).collect(),
            diagnostics: catalogue.diagnostics().to_vec(),
        }
    }
}

impl ListedTool {
    /// One tool.
    #[must_use]
    pub fn of(tool: &Tool) -> Self {
        Self {
            spec: tool.spec.clone(),
            model_alias: usual_alias(&tool.spec),
            component: tool.component(),
        }
    }
}
