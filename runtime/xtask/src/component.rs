//! From cargo's core module to a component: optimise, encode, and look at what it asks for.
//!
//! The optimiser comes first, because a component cannot be optimised any more.

use std::{collections::BTreeSet, fs, path::Path, process::Command};

use anyhow::{Context, bail, ensure};
use wit_component::{ComponentEncoder, DecodedWasm};

/// WebAssembly features that the compiler uses; the optimiser refuses a module with others.
const FEATURES: [&str; 6] = [
    "--enable-bulk-memory",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-multivalue",
];

/// What a component imports and exports, as `innkeeper:tool/tool@0.1.0`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Surface {
    pub(crate) imports: BTreeSet<String>,
    pub(crate) exports: BTreeSet<String>,
}

/// Makes a component of a core module file.
pub(crate) fn encode(module: &Path) -> anyhow::Result<Vec<u8>> {
    let optimised = module.with_extension("optimised.wasm");
    let status = Command::new("wasm-opt")
        .args(["-Os", "--strip-debug", "--strip-producers"])
        .args(FEATURES)
        .arg(module)
        .arg("-o")
        .arg(&optimised)
        .status()
        .context("wasm-opt could not be started")?;
    ensure!(status.success(), "wasm-opt failed on {} ({status})", module.display());
    let bytes = fs::read(&optimised).with_context(|| optimised.display().to_string())?;
    encode_bytes(&bytes).with_context(|| module.display().to_string())
}

fn encode_bytes(module: &[u8]) -> anyhow::Result<Vec<u8>> {
    let component = ComponentEncoder::default()
        .validate(true)
        .module(module)
        .and_then(|mut encoder| encoder.encode())
        .map_err(|error| anyhow::anyhow!("cannot become a component: {error:#}"))?;
    let surface = surface(&component)?;
    if let Some(foreign) = surface.imports.iter().find(|name| !name.starts_with("innkeeper:")) {
        bail!("imports {foreign}, but a built-in may ask for nothing outside our own interfaces");
    }
    ensure!(
        surface
            .exports
            .iter()
            .any(|name| name.starts_with("innkeeper:tool/tool@")),
        "does not export innkeeper:tool/tool"
    );
    Ok(component)
}

/// Reads what a component imports and exports.
pub(crate) fn surface(component: &[u8]) -> anyhow::Result<Surface> {
    let decoded = wit_component::decode(component)
        .map_err(|error| anyhow::anyhow!("cannot be read as a component: {error:#}"))?;
    let DecodedWasm::Component(resolve, id) = decoded else {
        bail!("is a WIT package, not a component");
    };
    let world = resolve.worlds.get(id).context("has no world")?;
    let names = |items: wit_parser::IndexMap<wit_parser::WorldKey, wit_parser::WorldItem>| {
        items.keys().map(|key| resolve.name_world_key(key)).collect()
    };
    Ok(Surface {
        imports: names(world.imports.clone()),
        exports: names(world.exports.clone()),
    })
}

#[cfg(test)]
mod tests;
