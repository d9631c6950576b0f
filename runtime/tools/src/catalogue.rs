//! The catalogue: every tool that this host could run, each with its component, loaded and linked.
//!
//! Profiles and policies are not asked here; a tool that is off by default is in the catalogue too.

use std::sync::Arc;

use innkeeper_capabilities::{CallHost, Capability, Grants, Interface, link};
use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::id::{ToolId, ToolIdError, ToolName};
use innkeeper_protocol::limits::Limits;
use innkeeper_protocol::tool::ToolSpec;
use innkeeper_sandbox::{Compiled, Prepared, Provenance, Sandbox};
use serde::Serialize;

use crate::arguments::ArgumentGate;
use crate::diagnostic::Diagnostic;
use crate::error::ToolsError;
use crate::manifest::Manifest;
use crate::served::misfit;
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
    /// Who may compile components of this origin: an extension is a stranger's, also once it is installed.
    const fn provenance(&self) -> Provenance {
        match self {
            Self::Builtin => Provenance::OurOwn,
            Self::Extension(_) => Provenance::Stranger,
        }
    }

    /// The id of a tool of this origin.
    pub(crate) fn tool_id(&self, name: &ToolName) -> Result<ToolId, ToolIdError> {
        match self {
            Self::Builtin => Ok(ToolId::builtin(name)),
            Self::Extension(id) => ToolId::parse(&format!("extension/{id}:{name}")),
        }
    }
}

/// What is worth showing of a component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
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
    /// Who says that it is theirs; nobody for our own.
    pub publisher: Option<String>,
    pub(crate) interfaces: Vec<Interface>,
    /// What its component was granted.
    pub(crate) grants: Arc<Grants>,
    pub(crate) gate: ArgumentGate,
    pub(crate) output: Option<jsonschema::Validator>,
    pub(crate) component: Arc<Prepared<CallHost>>,
    /// The ceilings of its catalogue.
    pub(crate) limits: Limits,
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
#[derive(Default, Clone)]
pub struct Catalogue {
    /// What a component may use while it lists its tools, and what each call of them may use at most.
    limits: Limits,
    tools: Vec<Arc<Tool>>,
    diagnostics: Vec<Diagnostic>,
}

impl Catalogue {
    /// No tools yet. Components list theirs within these limits, and no call of them gets more.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            ..Self::default()
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
                    &Grants::from(Capability::ALL),
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
        granted: &Grants,
    ) -> Result<(), ToolsError> {
        let compiled = sandbox.compile(bytes, origin.provenance()).await;
        let compiled = compiled.map_err(|source| ToolsError::Load {
            component: component.to_owned(),
            source,
        })?;
        self.add_compiled(sandbox, component, origin, Arc::new(compiled), granted)
            .await
    }

    /// As [`add`](Self::add), for a component that was compiled to be looked at.
    ///
    /// # Errors
    /// [`ToolsError`], likewise.
    pub async fn add_compiled(
        &mut self,
        sandbox: &Sandbox,
        component: &str,
        origin: &Origin,
        compiled: Arc<Compiled>,
        granted: &Grants,
    ) -> Result<(), ToolsError> {
        let load = |source| ToolsError::Load {
            component: component.to_owned(),
            source,
        };
        check_versions(component, &compiled)?;
        let linker = link(&compiled, &granted.capabilities).map_err(load)?;
        let grants = Arc::new(granted.clone());
        let prepared = Arc::new(sandbox.prepare(compiled.clone(), &linker).map_err(load)?);
        let listed = sandbox.specs(&prepared, CallHost::unarmed(), self.limits.clone()).await;
        let listed = listed.map_err(|source| ToolsError::Specs {
            component: component.to_owned(),
            source,
            limits: Box::new(self.limits.clone()),
        })?;
        let mut added: Vec<Arc<Tool>> = Vec::with_capacity(listed.len());
        for wire in listed {
            let spec = spec::accept(component, origin, &compiled, wire)?;
            if self.tool(&spec.id).is_some() || added.iter().any(|tool| tool.spec.id == spec.id) {
                return Err(ToolsError::Duplicate { id: spec.id });
            }
            let mut tool = tool(component, spec, prepared.clone(), self.limits.clone())?;
            tool.grants = grants.clone();
            added.push(Arc::new(tool));
        }
        self.tools.append(&mut added);
        Ok(())
    }

    /// Takes over the tools of an extension's own catalogue, with what its manifest says of them: who published them, and permissions, of
    /// which a tool's own suggestion holds where it is stricter.
    ///
    /// # Errors
    /// [`ToolsError::Duplicate`] when an id is taken. Nothing is taken over then.
    pub fn take_over(&mut self, other: Self, manifest: &Manifest) -> Result<(), ToolsError> {
        if let Some(tool) = other.tools.iter().find(|tool| self.tool(&tool.spec.id).is_some()) {
            return Err(ToolsError::Duplicate {
                id: tool.spec.id.clone(),
            });
        }
        let told = other.tools.into_iter().map(|mut tool| {
            let permission = manifest.permissions.get(&tool.spec.native_name);
            // Nobody else has a tool of a catalogue that is being put together.
            if let Some(tool) = Arc::get_mut(&mut tool) {
                tool.publisher = Some(manifest.publisher.clone());
                if let Some(permission) = permission {
                    tool.spec.permission = tool.spec.permission.stricter(*permission);
                }
            }
            tool
        });
        self.tools.extend(told);
        self.diagnostics.extend(other.diagnostics);
        Ok(())
    }

    /// Adds something that a person should know.
    pub fn note(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// What keeps tools out of this catalogue.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
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

/// Refuses what was built for another version of the contract, in words of ours: an engine's would be long.
///
/// # Errors
/// [`ToolsError::Misfit`] for the first import, or else export, that does not fit.
pub fn check_versions(component: &str, compiled: &Compiled) -> Result<(), ToolsError> {
    let imports = compiled.imports.iter().map(|name| (name, true));
    let exports = compiled.exports.iter().map(|name| (name, false));
    let refused = |(name, is_import): (&String, bool)| {
        misfit(name).map(|misfit| ToolsError::Misfit {
            component: component.to_owned(),
            misfit,
            is_import,
        })
    };
    imports.chain(exports).find_map(refused).map_or(Ok(()), Err)
}

fn tool(
    component: &str,
    spec: ToolSpec,
    prepared: Arc<Prepared<CallHost>>,
    limits: Limits,
) -> Result<Tool, ToolsError> {
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
        grants: Arc::default(),
        gate,
        output,
        component: prepared,
        limits,
        publisher: None,
        spec,
    })
}
