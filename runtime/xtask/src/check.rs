//! `cargo xtask guests --check`: do the committed components match their sources?
//!
//! Bytes are compared only where the compiler is the one that the lock names, because another compiler makes
//! other bytes of the same sources; then imports and exports must be the same.

use std::{fs, path::Path};

use anyhow::{Context, bail};

use crate::{
    component, families,
    guests::{self, Build},
    lock::Lock,
    sources,
};

/// Checks the committed components; nothing in the tree changes.
pub(crate) fn run(root: &Path) -> anyhow::Result<()> {
    let lock = Lock::read(root)?;
    let mut faults = source_faults(root, &lock)?;
    if faults.is_empty() {
        let build = guests::build(root)?;
        faults = component_faults(root, &lock, &build)?;
    }
    if faults.is_empty() {
        eprintln!("{} components match their sources", lock.component.len());
        return Ok(());
    }
    bail!(
        "{}\nRun `cargo xtask guests` and commit what it writes.",
        faults.join("\n")
    );
}

/// Families that the lock does not know or knows in another state, and the reverse. Needs no compiler.
fn source_faults(root: &Path, lock: &Lock) -> anyhow::Result<Vec<String>> {
    let families = families::find(root)?;
    let mut faults = Vec::new();
    for family in &families {
        match lock.component.get(&family.name) {
            None => faults.push(format!("{}: was never built into a component", family.name)),
            Some(entry) if entry.sources != sources::digest(root, family)? => {
                faults.push(format!("{}: its sources changed after it was built", family.name));
            }
            Some(_) => {}
        }
    }
    for name in lock.component.keys() {
        if !families.iter().any(|family| family.name == *name) {
            faults.push(format!("{name}: is in the lock, but plugins/{name} is gone"));
        }
    }
    Ok(faults)
}

fn component_faults(root: &Path, lock: &Lock, build: &Build) -> anyhow::Result<Vec<String>> {
    let same_tools = build.lock.compiler == lock.compiler && build.lock.optimiser == lock.optimiser;
    if !same_tools {
        eprintln!(
            "built with {} and {}, but the lock names {} and {}: comparing imports and exports only",
            build.lock.compiler, build.lock.optimiser, lock.compiler, lock.optimiser
        );
    }
    let mut faults = Vec::new();
    for (family, rebuilt) in &build.components {
        let path = guests::component_path(root, family);
        let committed = fs::read(&path).with_context(|| path.display().to_string())?;
        let locked = lock.component.get(family).map(|entry| entry.sha256.as_str());
        if locked != Some(sources::sha256(&committed).as_str()) {
            faults.push(format!("{family}: {} is not what the lock names", path.display()));
        } else if same_tools && committed != *rebuilt {
            faults.push(format!("{family}: the same compiler makes other bytes of its sources"));
        } else if component::surface(&committed)? != component::surface(rebuilt)? {
            faults.push(format!("{family}: imports or exports differ from those of its sources"));
        }
    }
    Ok(faults)
}

#[cfg(test)]
mod tests;
