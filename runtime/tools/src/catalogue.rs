//! The catalogue: every tool that this host could run, each with its component, loaded and linked.
//!
//! Profiles and policies are not asked here; a tool that is off by default is in the catalogue too.

use std::sync::Arc;

use innkeeper_capabilities::{CallHost, Capability, Interface, link};
use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::id::{ToolId, ToolIdError, ToolName};
use innkeeper_protocol::limits::Limits;
use innkeeper_protocol::tool::ToolSpec;
use innkeeper_sandbox::{Prepared, Sandbox};
use serde::Serialize;

use crate::arguments::ArgumentGate;
use crate::error::ToolsError;
use crate::spec;

/// Whose tools a component holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Innkeeper's own.
    Builtin,
    /// Those of the extension with this id.
    Extension(String),
}

impl Origin {
    /// The id of a tool of this origin.
    pub(crate) fn tool_id(&self, name: &ToolName) -> Result<ToolId, ToolIdError> {
        match self {
            Self::Builtin => Ok(ToolId::builtin(name)),
            Self::Extension(id) => ToolId::parse(&format!("extension/{id}:{name}")),
        }
    }
}

/// What is worth showing of a component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ComponentInfo {
    /// Digest of its bytes.
    pub sha256: Sha256,
    /// Size in bytes.
    pub bytes: usize,
    /// Imported interfaces with their versions.
    pub imports: Vec<String>,
    /// Exported names.
    pub exports: Vec<String>,
}

/// One tool with everything that a call needs.
pub struct Tool {
    /// Its canonical specification.
    pub spec: ToolSpec,
    pub(crate) interfaces: Vec<Interface>,
    pub(crate) gate: ArgumentGate,
    pub(crate) output: Option<jsonschema::Validator>,
    pub(crate) component: Arc<Prepared<CallHost>>,
}

impl Tool {
    /// Digest of the component that it lives in.
    #[must_use]
    pub fn component_digest(&self) -> &Sha256 {
        &self.component.compiled.sha256
    }

    /// The component that it lives in.
    #[must_use]
    pub fn component(&self) -> ComponentInfo {
        let compiled = &self.component.compiled;
        ComponentInfo {
            sha256: compiled.sha256.clone(),
            bytes: compiled.bytes,
            imports: compiled.imports.clone(),
            exports: compiled.exports.clone(),
        }
    }
}

/// Every tool that this host could run, in order.
#[derive(Default)]
pub struct Catalogue {
    /// What a component may use while it lists its tools.
    limits: Limits,
    tools: Vec<Arc<Tool>>,
}

impl Catalogue {
    /// No tools yet. Components list theirs within these limits.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            tools: Vec::new(),
        }
    }

    /// The built-in tools.
    ///
    /// # Errors
    /// [`ToolsError`]; with the committed components only when the machine itself is short of something.
    pub async fn builtins(sandbox: &Sandbox, limits: &Limits) -> Result<Self, ToolsError> {
        let mut catalogue = Self::new(limits.clone());
        for builtin in innkeeper_builtins::all() {
            catalogue
                .add(
                    sandbox,
                    builtin.family,
                    &Origin::Builtin,
                    builtin.bytes,
                    &Capability::ALL,
                )
                .await?;
        }
        Ok(catalogue)
    }

    /// Adds the tools of one component, which is given what `granted` says and nothing else.
    ///
    /// # Errors
    /// [`ToolsError`] when the component, one of its imports or one of its specifications is refused, or an id is taken. Nothing of
    /// the component is added then.
    pub async fn add(
        &mut self,
        sandbox: &Sandbox,
        component: &str,
        origin: &Origin,
        bytes: &[u8],
        granted: &[Capability],
    ) -> Result<(), ToolsError> {
        let load = |source| ToolsError::Load {
            component: component.to_owned(),
            source,
        };
        let compiled = Arc::new(sandbox.compile(bytes).map_err(load)?);
        let linker = link(sandbox, &compiled, granted).map_err(load)?;
        let prepared = Arc::new(sandbox.prepare(compiled.clone(), &linker).map_err(load)?);
        let listed = sandbox.specs(&prepared, CallHost::unarmed(), self.limits.clone()).await;
        let listed = listed.map_err(|source| ToolsError::Specs {
            component: component.to_owned(),
            source,
        })?;
        let mut added: Vec<Arc<Tool>> = Vec::with_capacity(listed.len());
        for wire in listed {
            let spec = spec::accept(component, origin, &compiled, wire)?;
            if self.tool(&spec.id).is_some() || added.iter().any(|tool| tool.spec.id == spec.id) {
                return Err(ToolsError::Duplicate { id: spec.id });
            }
            added.push(Arc::new(tool(component, spec, prepared.clone())?));
        }
        self.tools.append(&mut added);
        Ok(())
    }

    /// The tools, in the order in which they were added.
    #[must_use]
    pub fn tools(&self) -> &[Arc<Tool>] {
        &self.tools
    }

    /// The tool with this id.
    #[must_use]
    pub fn tool(&self, id: &ToolId) -> Option<&Arc<Tool>> {
        self.tools.iter().find(|tool| tool.spec.id == *id)
    }

    /// The specifications, in order.
    #[must_use]
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.tools.iter().map(|tool| tool.spec.clone()).collect()
    }
}

fn tool(component: &str, spec: ToolSpec, prepared: Arc<Prepared<CallHost>>) -> Result<Tool, ToolsError> {
    let bad = |reason: String| ToolsError::BadSpec {
        component: component.to_owned(),
        tool: spec.native_name.to_string(),
        reason,
    };
    let gate = ArgumentGate::new(&spec.input_schema).map_err(&bad)?;
    let output = spec.output_schema.as_ref().map(jsonschema::validator_for).transpose();
    let output = output.map_err(|e| bad(format!("its output schema cannot be used: {e}")))?;
    let interfaces = spec.uses.iter().filter_map(|name| Interface::parse(name)).collect();
    Ok(Tool {
        interfaces,
        gate,
        output,
        component: prepared,
        spec,
    })
}
