//! The cache of native code: what Cranelift made of a component, kept between processes.
//!
//! An artefact is native code: whoever can put one into the cache can run code as the user. So the folder is the user's alone, and each
//! entry carries a seal that only the holder of the key beside the folder can make. What is damaged, foreign or stale is a miss with a
//! warning, never an error, and never loaded. Whoever can read the key is the user; against him there is no wall here.

mod folder;
mod key;
mod seal;

use std::fs::File;
use std::hash::{Hash, Hasher};
use std::path::PathBuf;

use innkeeper_protocol::digest::Sha256;
use tempfile::NamedTempFile;
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::artefact::folder::PrivateFolder;
use crate::artefact::key::Key;
use crate::artefact::seal::Label;

/// A folder of artefacts with its key, or none.
pub(crate) struct ArtefactCache {
    open: Option<(PrivateFolder, Key)>,
}

/// An entry whose seal is ours.
pub(crate) struct Entry {
    file: File,
    pub(crate) fits_pool: bool,
}

impl ArtefactCache {
    /// Uses the folder, made if need be, when it belongs to this user alone, and removes what has not been used for long.
    pub(crate) fn new(dir: Option<PathBuf>, now_ms: u64) -> Self {
        let open = dir.and_then(|dir| match open(&dir, now_ms) {
            Ok(open) => Some(open),
            Err(reason) => {
                tracing::warn!(dir = %dir.display(), %reason, "the cache of compiled components is not used");
                None
            }
        });
        Self { open }
    }

    /// The component's native code for engines like this one, if it is there and sealed by us.
    pub(crate) fn find(&self, engine: &Engine, component: &Sha256) -> Option<Entry> {
        let (folder, key) = self.open.as_ref()?;
        let label = label(engine, component);
        let (path, file) = folder.find(&label)?;
        match seal::check(&file, key, &label) {
            Ok(fits_pool) => {
                folder::mark_used(&file);
                Some(Entry { file, fits_pool })
            }
            Err(reason) => {
                tracing::warn!(entry = %path.display(), %reason, "an artefact that is damaged or not ours is compiled again");
                None
            }
        }
    }

    /// A file to write native code into; private from its first byte, and gone when it is dropped.
    pub(crate) fn draft(&self) -> std::io::Result<NamedTempFile> {
        match &self.open {
            Some((folder, _)) => folder.draft(),
            None => NamedTempFile::new(),
        }
    }

    /// Makes an entry of what was written. Failing to is only a slower start next time.
    pub(crate) fn keep(&self, engine: &Engine, component: &Sha256, mut code: NamedTempFile, fits_pool: bool) {
        let Some((folder, key)) = &self.open else {
            return;
        };
        let label = label(engine, component);
        let kept = seal::put(code.as_file_mut(), key, &label, fits_pool).and_then(|()| folder.keep(code, &label));
        if let Err(reason) = kept {
            tracing::warn!(%component, %reason, "a compiled component could not be kept");
        }
    }
}

impl Entry {
    /// Loads the native code.
    ///
    /// # Errors
    /// When the engine refuses it: it was made by another version, or with other settings.
    pub(crate) fn load(&self, engine: &Engine) -> wasmtime::Result<Component> {
        deserialize(engine, &self.file)
    }
}

/// Loads native code that this program's own child has just written into a draft.
///
/// # Errors
/// When the engine refuses it, for instance because an instance would not fit into the pool.
pub(crate) fn load_draft(engine: &Engine, draft: &NamedTempFile) -> wasmtime::Result<Component> {
    deserialize(engine, draft.as_file())
}

#[allow(
    unsafe_code,
    reason = "wasmtime offers no safe way to load native code; see the safety argument"
)]
fn deserialize(engine: &Engine, file: &File) -> wasmtime::Result<Component> {
    // SAFETY: the open file holds what `precompile_component` or `serialize` made. Either this program's own child has just written it
    // into a draft that nobody else can open, or its seal was checked on this very descriptor, and only this user has the key. It lies in
    // a folder that only this user can write to, and no code of ours changes a file that has been sealed. wasmtime itself checks version
    // and settings.
    unsafe {
        #[cfg(unix)]
        {
            use std::os::fd::AsRawFd as _;
            // The descriptor by name: what is mapped is what was checked, whatever the path leads to by now.
            Component::deserialize_file(engine, format!("/dev/fd/{}", file.as_raw_fd()))
        }
        #[cfg(not(unix))]
        {
            use std::io::{Read as _, Seek as _};
            let (mut file, mut code) = (file, Vec::new());
            file.rewind()?;
            file.read_to_end(&mut code)?;
            Component::deserialize(engine, code)
        }
    }
}

fn open(dir: &std::path::Path, now_ms: u64) -> Result<(PrivateFolder, Key), String> {
    let folder = PrivateFolder::open(dir)?;
    let key = Key::of(dir)?;
    folder.sweep(now_ms);
    Ok((folder, key))
}

/// What an entry is for: this component, on engines that take the same code.
fn label(engine: &Engine, component: &Sha256) -> Label {
    let mut settings = Collected(component.as_str().as_bytes().to_vec());
    engine.precompile_compatibility_hash().hash(&mut settings);
    Label(Sha256::of(&settings.0))
}

/// Takes all that a value would hash, so that it can be hashed by something that nobody can guess a second value for.
struct Collected(Vec<u8>);

impl Hasher for Collected {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn finish(&self) -> u64 {
        0
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
