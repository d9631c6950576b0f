//! A trial: whether the tools of an extension behave when nobody is kind to them. What an author wants to know before anybody installs it.
//!
//! Every tool is called with arguments made from its own schema and with unusual Unicode, twice with the same, stopped in the middle, and
//! with limits that are just enough or just not; and it is held to what it says it uses. Nothing is installed, nothing of a run is
//! touched, and the same seed makes the same trial.
//!
//! What a tool should answer is not known here: that is what the package's cases say.

mod checks;
mod generate;
mod ground;
mod package;
mod probe;
mod report;
mod verdict;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use innkeeper_capabilities::{Grants, Interface};
use innkeeper_protocol::limits::Limits;
use innkeeper_sandbox::Provenance;
use innkeeper_tools::{Catalogue, Origin, Tool};
use serde_json::Value;

use crate::bench::{BenchSetup, ToolBench};
use crate::builder::Innkeeper;
use crate::error::HostError;
use crate::network::BenchNetwork;
use checks::ToolChecks;
use ground::Ground;
use probe::Prober;

pub use package::TrialPackage;
pub use report::{Check, CheckReport, Finding, ToolTrial, TrialReport, Weight};

/// How a trial is made.
#[derive(Debug, Clone)]
pub struct TrialSetup {
    /// An empty folder that nobody else uses; what is left in it afterwards is nothing that anybody needs.
    pub scratch: PathBuf,
    /// Calls that are worth making beside those that are made up.
    pub samples: Vec<TrialSample>,
    /// What comes back for requests to the network.
    pub network: BenchNetwork,
    /// The same seed makes the same trial.
    pub seed: u64,
    /// Calls of each of the two checks that make up arguments.
    pub rounds: u32,
}

/// A call that is worth making.
#[derive(Debug, Clone, PartialEq)]
pub struct TrialSample {
    /// Native name.
    pub tool: String,
    /// Its arguments.
    pub arguments: Value,
}

/// A package whose component is loaded, with everything granted that its manifest asks for.
pub struct LoadedPackage {
    id: String,
    catalogue: Arc<Catalogue>,
    limits: Limits,
    /// Imports that need granting and that no tool uses.
    unused: Vec<String>,
}

impl LoadedPackage {
    /// Its tools.
    #[must_use]
    pub fn tools(&self) -> &[Arc<Tool>] {
        self.catalogue.tools()
    }
}

impl Innkeeper {
    /// Loads a package to try it.
    ///
    /// # Errors
    /// [`HostError`] when this host would refuse the component, or when the manifest asks for more or less than it imports.
    pub async fn load_trial(&self, package: &TrialPackage) -> Result<LoadedPackage, HostError> {
        let manifest = &package.manifest;
        let id = manifest.id.as_str();
        let compiled = Arc::new(self.sandbox.compile(&package.component, Provenance::Stranger).await?);
        manifest.check_imports(&compiled.imports)?;
        let granted: Grants = manifest.asks.iter().map(|ask| ask.grant.clone()).collect();
        let limits = manifest.limits.lower(&self.limits);
        let mut catalogue = Catalogue::new(limits.clone());
        let origin = Origin::Extension(id.to_owned());
        catalogue
            .add_compiled(&self.sandbox, id, &origin, compiled.clone(), &granted)
            .await?;
        manifest.check_tools(catalogue.tools().iter().map(|tool| &tool.spec.native_name))?;
        Ok(LoadedPackage {
            id: id.to_owned(),
            unused: unused(&compiled.imports, &catalogue),
            catalogue: Arc::new(catalogue),
            limits,
        })
    }

    /// Sets the tools of a package up on a bench. The set-up's own component is not looked at.
    ///
    /// # Errors
    /// [`HostError`] when the folder, the chat or a root's name cannot be used.
    pub async fn trial_bench(&self, package: &LoadedPackage, setup: BenchSetup) -> Result<ToolBench, HostError> {
        let limits = package.limits.lowered_to(&setup.limits);
        self.bench_over(package.catalogue.clone(), BenchSetup { limits, ..setup })
            .await
    }

    /// Tries every tool of a package.
    ///
    /// # Errors
    /// [`HostError`] when the machine fails. What the tools do wrong is in the report.
    pub async fn try_extension(&self, package: &LoadedPackage, setup: TrialSetup) -> Result<TrialReport, HostError> {
        let ground = Ground::new(setup.scratch, setup.network).await?;
        let mut prober = Prober::new(self, package.catalogue.clone(), ground, package.limits.clone());
        let mut tools = Vec::with_capacity(package.tools().len());
        for tool in package.tools() {
            let samples = setup
                .samples
                .iter()
                .filter(|sample| sample.tool == tool.spec.native_name.as_str());
            let checks = ToolChecks {
                prober: &mut prober,
                extension: &package.id,
                tool,
                samples: samples.map(|sample| sample.arguments.clone()).collect(),
                seed: setup.seed,
                rounds: setup.rounds,
            };
            tools.push(checks.run(&package.unused).await?);
        }
        Ok(TrialReport {
            seed: setup.seed,
            tools,
        })
    }
}

/// Imports that need granting and that no tool uses.
fn unused(imports: &[String], catalogue: &Catalogue) -> Vec<String> {
    let used: BTreeSet<&str> = catalogue
        .tools()
        .iter()
        .flat_map(|tool| &tool.spec.uses)
        .filter_map(|name| Interface::parse(name))
        .map(Interface::name)
        .collect();
    let needs_granting = |name: &&String| {
        Interface::parse(name)
            .is_some_and(|interface| interface.capability().is_some() && !used.contains(interface.name()))
    };
    imports.iter().filter(needs_granting).cloned().collect()
}
