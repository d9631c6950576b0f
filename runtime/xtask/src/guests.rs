//! Builds every component and writes what `runtime/builtins` embeds: the bytes, the lock and the list.
//!
//! The list is Rust source, so that adding a family needs no edit by hand in the host.

use std::{
    collections::BTreeMap,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context;

use crate::{
    compiler::{self, Compiler},
    component,
    families::{self, Family},
    lock::{Entry, Lock},
    sources,
};

const COMPONENTS: &str = "runtime/builtins/components";
const LIST: &str = "runtime/builtins/src/list.rs";

/// Everything that one build gives.
pub(crate) struct Build {
    pub(crate) lock: Lock,
    /// The bytes by family.
    pub(crate) components: BTreeMap<String, Vec<u8>>,
}

/// Builds all components without writing any of them into the tree.
pub(crate) fn build(root: &Path) -> anyhow::Result<Build> {
    let compiler = Compiler::find()?;
    let optimiser = compiler::optimiser_version()?;
    let families = families::find(root)?;
    // Before the build: an edit made meanwhile then shows as changed sources, not as a match.
    let digests = digests(root, &families)?;
    let modules = compiler.build(root, &families)?;
    let mut components = BTreeMap::new();
    let mut entries = BTreeMap::new();
    for (family, sources) in families.iter().zip(digests) {
        let bytes = component::encode(&modules.join(family.module_file()))?;
        let sha256 = sources::sha256(&bytes);
        entries.insert(family.name.clone(), Entry { sha256, sources });
        components.insert(family.name.clone(), bytes);
    }
    let lock = Lock {
        compiler: compiler.version,
        optimiser,
        component: entries,
    };
    Ok(Build { lock, components })
}

fn digests(root: &Path, families: &[Family]) -> anyhow::Result<Vec<String>> {
    families.iter().map(|family| sources::digest(root, family)).collect()
}

/// Where a family's committed component is.
pub(crate) fn component_path(root: &Path, family: &str) -> PathBuf {
    root.join(COMPONENTS).join(format!("{family}.wasm"))
}

/// Builds all components and writes them, the lock and the list.
pub(crate) fn write(root: &Path) -> anyhow::Result<()> {
    let build = build(root)?;
    fs::create_dir_all(root.join(COMPONENTS))?;
    remove_orphans(root, &build)?;
    for (family, bytes) in &build.components {
        let path = component_path(root, family);
        fs::write(&path, bytes).with_context(|| path.display().to_string())?;
        let imports: Vec<String> = component::surface(bytes)?.imports.into_iter().collect();
        eprintln!("{family}: {} bytes, imports {}", bytes.len(), imports.join(", "));
    }
    fs::write(root.join(LIST), list(&build.lock)?).context(LIST)?;
    build.lock.write(root)
}

/// Removes the components of families that are gone.
fn remove_orphans(root: &Path, build: &Build) -> anyhow::Result<()> {
    for entry in fs::read_dir(root.join(COMPONENTS))? {
        let path = entry?.path();
        let family = path.file_stem().unwrap_or_default().to_string_lossy();
        if !build.components.contains_key(family.as_ref()) {
            fs::remove_file(&path).with_context(|| path.display().to_string())?;
        }
    }
    Ok(())
}

/// The source of `runtime/builtins/src/list.rs`.
pub(crate) fn list(lock: &Lock) -> anyhow::Result<String> {
    let mut out = String::from(
        "//! Every built-in component. Written by `cargo xtask guests`; do not edit.\n\n\
         use crate::Builtin;\n\npub(crate) static ALL: &[Builtin] = &[\n",
    );
    for (family, entry) in &lock.component {
        writeln!(out, "    Builtin {{")?;
        writeln!(out, "        family: {family:?},")?;
        writeln!(out, "        bytes: include_bytes!(\"../components/{family}.wasm\"),")?;
        writeln!(out, "        sha256: {:?},", entry.sha256)?;
        writeln!(out, "    }},")?;
    }
    out.push_str("];\n");
    Ok(out)
}
