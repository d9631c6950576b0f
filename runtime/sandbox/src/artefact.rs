//! The cache of native code: what Cranelift made of a component, kept between processes.
//!
//! An artefact is native code: whoever can write the cache can run code as the user. So the folder is made for the user alone, one
//! that others could write to is not used at all, and nothing is loaded whose own digest does not fit. A bad entry is a miss, never an
//! error.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use innkeeper_protocol::digest::Sha256;
use tempfile::NamedTempFile;
use wasmtime::Engine;
use wasmtime::component::Component;

/// A folder of artefacts, or none.
pub(crate) struct ArtefactCache {
    dir: Option<PathBuf>,
}

impl ArtefactCache {
    /// Uses the folder, made if need be, when it belongs to this user alone.
    pub(crate) fn new(dir: Option<PathBuf>) -> Self {
        let usable = dir.filter(|dir| match make_private(dir) {
            Ok(()) => true,
            Err(reason) => {
                tracing::warn!(dir = %dir.display(), %reason, "the cache of compiled components is not used");
                false
            }
        });
        Self { dir: usable }
    }

    /// The component's native code, if it is there and whole.
    pub(crate) fn load(&self, engine: &Engine, component: &Sha256) -> Option<Component> {
        let entry = self.entry(engine, component)?;
        let digest = std::fs::read_to_string(entry.with_extension("sha256")).ok()?;
        let bytes = std::fs::read(&entry).ok()?;
        if Sha256::of(&bytes).as_str() != digest.trim() {
            tracing::warn!(entry = %entry.display(), "a damaged artefact is compiled again");
            return None;
        }
        deserialize(engine, &entry)
    }

    /// Keeps the component's native code; failing to is only a slower start next time.
    pub(crate) fn store(&self, engine: &Engine, component: &Sha256, compiled: &Component) {
        let Some(entry) = self.entry(engine, component) else {
            return;
        };
        let kept = compiled.serialize().map_err(|e| e.to_string()).and_then(|bytes| {
            let digest = Sha256::of(&bytes);
            write_whole(&entry, &bytes)
                .and_then(|()| write_whole(&entry.with_extension("sha256"), digest.as_str().as_bytes()))
                .map_err(|e| e.to_string())
        });
        if let Err(reason) = kept {
            tracing::warn!(entry = %entry.display(), %reason, "a compiled component could not be kept");
        }
    }

    fn entry(&self, engine: &Engine, component: &Sha256) -> Option<PathBuf> {
        let mut hasher = DefaultHasher::new();
        engine.precompile_compatibility_hash().hash(&mut hasher);
        let file = format!("{component}-{:016x}.cwasm", hasher.finish());
        self.dir.as_ref().map(|dir| dir.join(file))
    }
}

/// Loads native code that this user's own process wrote.
#[allow(
    unsafe_code,
    reason = "wasmtime offers no safe way to load native code; see the safety argument"
)]
fn deserialize(engine: &Engine, entry: &Path) -> Option<Component> {
    // SAFETY: the file lies in a folder that only this user can write to (checked in `make_private`), was written by `store` from
    // `Component::serialize`, and has the digest that was written with it. wasmtime itself checks version and engine settings.
    let loaded = unsafe { Component::deserialize_file(engine, entry) };
    loaded
        .inspect_err(|e| tracing::warn!(entry = %entry.display(), "a stale artefact is compiled again: {e:#}"))
        .ok()
}

fn write_whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    let mut file = NamedTempFile::new_in(dir)?;
    file.write_all(bytes)?;
    file.persist(path).map_err(|e| e.error)?;
    Ok(())
}

#[cfg(unix)]
fn make_private(dir: &Path) -> Result<(), String> {
    use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(dir)
        .map_err(|e| e.to_string())?;
    let found = std::fs::symlink_metadata(dir).map_err(|e| e.to_string())?;
    if !found.is_dir() {
        return Err("it is no directory".to_owned());
    }
    if found.uid() != rustix::process::geteuid().as_raw() {
        return Err("it belongs to another user".to_owned());
    }
    if found.mode() & 0o022 != 0 {
        return Err("others may write to it".to_owned());
    }
    Ok(())
}

/// Who else may write to a folder is not known here, so nothing is loaded from one.
#[cfg(not(unix))]
fn make_private(_: &Path) -> Result<(), String> {
    Err("this platform does not tell who may write to it".to_owned())
}
