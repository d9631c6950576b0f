//! The folders of a case on disk, its workspace and its skills: set up, changed between calls, pictured and compared.
//!
//! It uses plain file functions and nothing of ours, so that it cannot share a mistake with what it checks.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::format::{Place, numbered};

/// The roots that every run has.
const ROOTS: [&str; 5] = ["output", "scratch", "plan", "summaries", "persist"];

/// From here on a file's content is not looked at: no tool makes such a file.
const LARGE: u64 = 16 * 1024 * 1024;

/// What lies at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Thing {
    /// A file with these bytes.
    File(Vec<u8>),
    /// A folder.
    Directory,
    /// A link to this target.
    Link(PathBuf),
    /// A pipe, a socket, a device.
    Special,
    /// A file so large that only its length is looked at.
    Large(u64),
}

/// Everything in a folder, by path.
pub type Picture = BTreeMap<String, Thing>;

/// A folder that a case describes.
pub struct Folder {
    path: PathBuf,
}

/// Writes a chat where nothing of the workspace can reach it.
///
/// # Errors
/// I/O, as text.
pub fn chat(folder: &Path, text: &str) -> Result<PathBuf, String> {
    let path = folder.join("chat.jsonl");
    fs::write(&path, text).map_err(|e| e.to_string())?;
    Ok(path)
}

impl Folder {
    /// A workspace: the roots and the places.
    ///
    /// # Errors
    /// I/O, or a place that is not one, as text.
    pub fn workspace(path: &Path, places: &[Place]) -> Result<Self, String> {
        for root in ROOTS {
            fs::create_dir_all(path.join(root)).map_err(|e| e.to_string())?;
        }
        Self::with(path, places)
    }

    /// A folder with these places in it.
    ///
    /// # Errors
    /// I/O, or a place that is not one, as text.
    pub fn with(path: &Path, places: &[Place]) -> Result<Self, String> {
        fs::create_dir_all(path).map_err(|e| e.to_string())?;
        let folder = Self {
            path: path.to_path_buf(),
        };
        folder.change(places)?;
        Ok(folder)
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Does to the folder what the places say.
    ///
    /// # Errors
    /// Names the place.
    pub fn change(&self, places: &[Place]) -> Result<(), String> {
        places
            .iter()
            .try_for_each(|place| self.put(place).map_err(|why| format!("{}: {why}", place.path)))
    }

    fn put(&self, place: &Place) -> Result<(), String> {
        let path = self.path.join(&place.path);
        let io = |e: std::io::Error| e.to_string();
        if place.absent {
            let is_folder = fs::symlink_metadata(&path).map_err(io)?.is_dir();
            return if is_folder {
                fs::remove_dir_all(&path)
            } else {
                fs::remove_file(&path)
            }
            .map_err(io);
        }
        if place.directory {
            return fs::create_dir_all(&path).map_err(io);
        }
        let parent = path.parent().ok_or("has no parent")?;
        fs::create_dir_all(parent).map_err(io)?;
        if let Some(target) = &place.link {
            return link(target, &path).map_err(io);
        }
        if place.pipe {
            return pipe(&path);
        }
        if let Some(size) = place.size {
            return fs::File::create(&path).and_then(|file| file.set_len(size)).map_err(io);
        }
        fs::write(&path, content(place)?).map_err(io)
    }

    /// Everything that lies in it now.
    ///
    /// # Errors
    /// I/O, as text.
    pub fn picture(&self) -> Result<Picture, String> {
        let mut picture = Picture::new();
        look(&self.path, "", &mut picture).map_err(|e| e.to_string())?;
        Ok(picture)
    }

    /// Checks the places; the rest may be as it likes.
    ///
    /// # Errors
    /// Names the place that differs.
    pub fn compare(&self, places: &[Place]) -> Result<(), String> {
        let picture = self.picture()?;
        for place in places {
            let found = picture.get(&place.path);
            let wanted = match place {
                Place { absent: true, .. } => None,
                Place { directory: true, .. } => Some(Thing::Directory),
                Place { pipe: true, .. } => Some(Thing::Special),
                Place { link: Some(target), .. } => Some(Thing::Link(PathBuf::from(target))),
                _ => Some(Thing::File(content(place)?)),
            };
            if found != wanted.as_ref() {
                return Err(format!(
                    "{} is {}, expected {}",
                    place.path,
                    shown(found),
                    shown(wanted.as_ref())
                ));
            }
        }
        Ok(())
    }
}

fn shown(thing: Option<&Thing>) -> String {
    match thing {
        None => "missing".into(),
        Some(Thing::File(bytes)) => format!(
            "a file of {} bytes {:.200?}",
            bytes.len(),
            String::from_utf8_lossy(bytes)
        ),
        Some(other) => format!("{other:?}"),
    }
}

/// Makes a symbolic link.
///
/// # Errors
/// I/O.
#[cfg(unix)]
pub fn link(target: &str, path: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(target, path)
}

/// Makes a symbolic link.
///
/// # Errors
/// I/O.
#[cfg(not(unix))]
pub fn link(target: &str, path: &Path) -> std::io::Result<()> {
    std::os::windows::fs::symlink_file(target, path)
}

/// Makes a named pipe.
///
/// # Errors
/// When there is no `mkfifo`, or it fails.
#[cfg(unix)]
pub fn pipe(path: &Path) -> Result<(), String> {
    let made = std::process::Command::new("mkfifo").arg(path).status();
    match made {
        Ok(status) if status.success() => Ok(()),
        other => Err(format!("mkfifo: {other:?}")),
    }
}

/// Windows has no pipes in folders: makes nothing.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn pipe(_: &Path) -> Result<(), String> {
    Ok(())
}

fn content(place: &Place) -> Result<Vec<u8>, String> {
    match (&place.text, &place.bytes) {
        (Some(text), None) => Ok((1..=place.repeat)
            .map(|n| numbered(text, n))
            .collect::<String>()
            .into_bytes()),
        (None, Some(hex)) => bytes(hex),
        _ => Err("a file needs either `text` or `bytes`".into()),
    }
}

fn bytes(hex: &str) -> Result<Vec<u8>, String> {
    let digits: Vec<char> = hex.chars().filter(|c| !c.is_whitespace()).collect();
    let pairs = digits.chunks(2).map(|pair| pair.iter().collect::<String>());
    pairs
        .map(|pair| u8::from_str_radix(&pair, 16).map_err(|e| format!("{pair:?}: {e}")))
        .collect()
}

fn look(folder: &Path, prefix: &str, picture: &mut Picture) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if prefix.is_empty() {
            name
        } else {
            format!("{prefix}/{name}")
        };
        let kind = entry.file_type()?;
        let thing = if kind.is_symlink() {
            Thing::Link(fs::read_link(entry.path())?)
        } else if kind.is_dir() {
            look(&entry.path(), &path, picture)?;
            Thing::Directory
        } else if !kind.is_file() {
            Thing::Special
        } else if entry.metadata()?.len() > LARGE {
            Thing::Large(entry.metadata()?.len())
        } else {
            Thing::File(fs::read(entry.path())?)
        };
        picture.insert(path, thing);
    }
    Ok(())
}
