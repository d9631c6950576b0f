//! The workspace of a case on disk: set up, changed between calls, pictured and compared.
//!
//! It uses plain file functions and nothing of ours, so that it cannot share a mistake with what it checks.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::format::{Place, numbered};

/// The roots that every run has.
const ROOTS: [&str; 5] = ["output", "scratch", "plan", "summaries", "persist"];

/// What lies at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Thing {
    /// A file with these bytes.
    File(Vec<u8>),
    /// A folder.
    Directory,
    /// A link to this target.
    Link(PathBuf),
}

/// Everything in a workspace, by path.
pub type Picture = BTreeMap<String, Thing>;

/// A workspace in a temporary folder.
pub struct Workspace {
    path: PathBuf,
}

/// Writes a chat where nothing of the workspace can reach it.
pub fn chat(folder: &Path, text: &str) -> Result<PathBuf, String> {
    let path = folder.join("chat.jsonl");
    fs::write(&path, text).map_err(|e| e.to_string())?;
    Ok(path)
}

impl Workspace {
    /// Makes the roots and the places.
    pub fn create(path: &Path, places: &[Place]) -> Result<Self, String> {
        for root in ROOTS {
            fs::create_dir_all(path.join(root)).map_err(|e| e.to_string())?;
        }
        let workspace = Self {
            path: path.to_path_buf(),
        };
        workspace.change(places)?;
        Ok(workspace)
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Does to the workspace what the places say.
    pub fn change(&self, places: &[Place]) -> Result<(), String> {
        places
            .iter()
            .try_for_each(|place| self.put(place).map_err(|why| format!("{}: {why}", place.path)))
    }

    fn put(&self, place: &Place) -> Result<(), String> {
        let path = self.path.join(&place.path);
        let io = |e: std::io::Error| e.to_string();
        if place.absent {
            return fs::remove_file(&path).map_err(io);
        }
        if place.directory {
            return fs::create_dir_all(&path).map_err(io);
        }
        let parent = path.parent().ok_or("has no parent")?;
        fs::create_dir_all(parent).map_err(io)?;
        if let Some(target) = &place.link {
            return link(target, &path).map_err(io);
        }
        if let Some(size) = place.size {
            return fs::File::create(&path).and_then(|file| file.set_len(size)).map_err(io);
        }
        fs::write(&path, content(place)?).map_err(io)
    }

    /// Everything that lies in it now.
    pub fn picture(&self) -> Result<Picture, String> {
        let mut picture = Picture::new();
        look(&self.path, "", &mut picture).map_err(|e| e.to_string())?;
        Ok(picture)
    }

    /// Checks the places; the rest of the workspace may be as it likes.
    pub fn compare(&self, places: &[Place]) -> Result<(), String> {
        let picture = self.picture()?;
        for place in places {
            let found = picture.get(&place.path);
            let wanted = match place {
                Place { absent: true, .. } => None,
                Place { directory: true, .. } => Some(Thing::Directory),
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

#[cfg(unix)]
fn link(target: &str, path: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(target, path)
}

#[cfg(not(unix))]
fn link(target: &str, path: &Path) -> std::io::Result<()> {
    std::os::windows::fs::symlink_file(target, path)
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
        } else {
            Thing::File(fs::read(entry.path())?)
        };
        picture.insert(path, thing);
    }
    Ok(())
}
