//! Putting the host together for a command.

use std::collections::BTreeMap;
use std::sync::Arc;

use innkeeper::gateway::egress::EnvironmentSecrets;
use innkeeper::protocol::tool::ToolSpec;
use innkeeper::{Builder, Innkeeper};

use super::compile;
use crate::failure::Failure;
use crate::place::DataRoot;

/// Digits of a digest that are enough to tell components apart.
const SHORT_DIGEST: usize = 8;

/// A host that can list and call tools. It keeps nothing but compiled components, and those only where a data root can be had.
pub(super) async fn tools_only(data: Option<&DataRoot>) -> Result<Innkeeper, Failure> {
    let mut builder = Innkeeper::builder();
    if let Some(data) = data {
        builder = builder.cache_dir(data.cache()).extensions_of(&data.path);
    }
    build(builder).await
}

/// Builds the host, which has this program compile components of others and takes credentials for them out of the environment.
pub(super) async fn build(builder: Builder) -> Result<Innkeeper, Failure> {
    builder
        .compiler(compile::by_this_program())
        .secrets(Arc::new(EnvironmentSecrets))
        .build()
        .await
        .map_err(|error| {
            let hint = "If address space is short, raise the limit (ulimit -v).";
            let failure = Failure::from(error);
            if failure.code == "sandbox.engine_failed" && failure.hint.is_none() {
                failure.hint(hint)
            } else {
                failure
            }
        })
}

/// The short digest of each tool's component, by tool id.
pub(super) fn components(host: &Innkeeper) -> BTreeMap<String, String> {
    let component = |tool: &std::sync::Arc<innkeeper::Tool>| {
        let digest = tool.component().sha256;
        (
            tool.spec.id.to_string(),
            digest.as_str().chars().take(SHORT_DIGEST).collect(),
        )
    };
    host.tools().tools().iter().map(component).collect()
}

/// Whether a name that a person gave means this tool: its native name, its alias or its id.
pub(super) fn is_named(spec: &ToolSpec, name: &str) -> bool {
    let native = spec.native_name.as_str();
    spec.id.as_str() == name || native == name || native.replace('.', "_") == name
}
