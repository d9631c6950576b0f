//! A workspace in memory that keeps a host's promises: paths, roots, read-state, staging.
//!
//! Only as strict as the tools need it to be; the real checks have tests of their own in the host.

use std::collections::{BTreeMap, BTreeSet};

use innkeeper_text::{Caps, Span, line_count, measure, select};
use innkeeper_tool::{Failure, Reply};

use crate::port::{
    Basis, CommitMode, Control, ControlError, Entry, Kind, Listing, Page, PathError, Planned, Reader, Root, ShowError,
    Staged, TextFile, WriteError, Writer,
};

/// Which characters (and empty lines) of one version were shown.
#[derive(Clone, Default)]
pub(crate) struct Shown {
    version: String,
    chars: BTreeSet<u32>,
    empty_lines: BTreeSet<u32>,
}

/// A workspace with the roots `output`, `plan` (writable) and `tool-results` (not).
#[derive(Default)]
pub(crate) struct Fake {
    pub(crate) files: BTreeMap<String, String>,
    /// Paths whose access fails so.
    pub(crate) broken: BTreeMap<String, PathError>,
    /// What the next write fails with, as if it lost a race.
    pub(crate) lost: Option<WriteError>,
    /// What the next request of control fails with.
    pub(crate) refused: Option<ControlError>,
    pub(crate) asked: Vec<String>,
    pub(crate) skipped: u32,
    pub(crate) shown: BTreeMap<String, Shown>,
    pub(crate) pending: Vec<(String, Shown)>,
    pub(crate) staged: Vec<(String, String)>,
}

/// A stand-in for a SHA-256: different for different texts, and short.
pub(crate) fn digest(text: &str) -> String {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}

impl Fake {
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let files = files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
            .collect();
        Self {
            files,
            ..Self::default()
        }
    }

    /// Makes one call: its effects happen if it succeeds, and are dropped if not.
    pub(crate) fn call(&mut self, tool: impl FnOnce(&mut Self) -> Result<Reply, Failure>) -> Result<Reply, Failure> {
        let result = tool(self);
        let (pending, staged) = (std::mem::take(&mut self.pending), std::mem::take(&mut self.staged));
        if result.is_ok() {
            self.shown.extend(pending);
            self.files.extend(staged);
        }
        result
    }

    /// Shows a whole file, as if it had been read before.
    pub(crate) fn read_whole(&mut self, path: &str) {
        let text = self.files[path].clone();
        let all = Shown {
            chars: (0..measure(&text).chars).collect(),
            empty_lines: (0..=line_count(&text)).collect(),
            version: text,
        };
        self.shown.insert(path.to_owned(), all);
    }

    pub(crate) fn text(&self, path: &str) -> &str {
        &self.files[path]
    }

    fn normal(path: &str) -> Result<String, PathError> {
        let path = path.trim();
        if path.starts_with('/') || path.contains(['\\', ':']) || path.contains(|scalar: char| scalar.is_control()) {
            return Err(PathError::Invalid(
                "it holds a character that paths cannot have.".into(),
            ));
        }
        let parts: Vec<&str> = path
            .split('/')
            .filter(|part| !part.is_empty() && *part != ".")
            .collect();
        if parts.is_empty() || parts.contains(&"..") {
            return Err(PathError::Invalid("it may not hold ..".into()));
        }
        Ok(parts.join("/"))
    }

    fn is_directory(&self, path: &str) -> bool {
        ["output", "plan", "tool-results"].contains(&path)
            || self.files.keys().any(|file| file.starts_with(&format!("{path}/")))
    }

    fn stored(&self, path: &str) -> Result<String, PathError> {
        match (self.broken.get(path), self.files.get(path)) {
            (Some(error), _) => Err(error.clone()),
            (None, Some(text)) => Ok(text.clone()),
            (None, None) if self.is_directory(path) => Err(PathError::IsDirectory),
            (None, None) => Err(PathError::NotFound),
        }
    }

    fn writable(path: &str) -> Result<String, WriteError> {
        let path = Self::normal(path).map_err(WriteError::Path)?;
        let inside = ["output/", "plan/"].iter().any(|root| path.starts_with(root));
        if inside {
            Ok(path)
        } else {
            Err(WriteError::Path(PathError::NotWritable))
        }
    }

    fn basis(&self, path: &str, text: &str) -> Result<(), WriteError> {
        let shown = self.shown.get(path).ok_or(WriteError::RequiresRead)?;
        let missing = shown.missing();
        if !missing.is_empty() {
            return Err(WriteError::RequiresFullRead(missing));
        }
        if shown.version == text {
            Ok(())
        } else {
            Err(WriteError::Stale)
        }
    }

    fn stage(&mut self, path: String, text: String, created: bool, shown: bool) -> Staged {
        let size = measure(&text);
        if shown {
            let all = Shown {
                chars: (0..size.chars).collect(),
                empty_lines: (0..=line_count(&text)).collect(),
                version: text.clone(),
            };
            self.pending.push((path.clone(), all));
        }
        let staged = Staged {
            path: path.clone(),
            sha256: digest(&text),
            chars: size.chars,
            words: size.words,
            created,
        };
        self.staged.push((path, text));
        staged
    }
}

impl Shown {
    fn missing(&self) -> Vec<(u32, u32)> {
        let mut runs: Vec<(u32, u32)> = Vec::new();
        let mut start = 0_u32;
        for (line, text) in (1_u32..).zip(self.version.split('\n')) {
            let length = measure(text).chars;
            let whole = (start..start + length).all(|place| self.chars.contains(&place));
            let seen = if length == 0 {
                self.empty_lines.contains(&line) || self.version.is_empty()
            } else {
                whole
            };
            match runs.last_mut() {
                _ if seen => {}
                Some((_, last)) if *last + 1 == line => *last = line,
                _ => runs.push((line, line)),
            }
            start += length + 1;
        }
        runs
    }
}

impl Reader for Fake {
    fn roots(&mut self) -> Vec<Root> {
        let roots = [("plan", true), ("output", true), ("tool-results", false)];
        roots
            .map(|(name, writable)| Root {
                name: name.to_owned(),
                writable,
            })
            .to_vec()
    }

    fn resolve(&mut self, path: &str) -> Result<String, PathError> {
        if path.split('/').all(|part| matches!(part.trim(), "" | ".")) && !path.starts_with('/') {
            return Ok(String::new());
        }
        let path = Self::normal(path)?;
        let root = path.split('/').next().unwrap_or_default();
        if self.roots().iter().any(|known| known.name == root) {
            Ok(path)
        } else {
            Err(PathError::NotVisible)
        }
    }

    fn list_files(&mut self, path: &str, depth: u32, limit: u32) -> Result<Listing, PathError> {
        if self.files.contains_key(path) {
            let entry = Entry {
                path: path.to_owned(),
                kind: Kind::File,
            };
            return Ok(Listing {
                entries: vec![entry],
                ..Listing::default()
            });
        }
        if !path.is_empty() && !self.files.keys().any(|file| file.starts_with(&format!("{path}/"))) {
            return Err(PathError::NotFound);
        }
        let prefix = if path.is_empty() {
            String::new()
        } else {
            format!("{path}/")
        };
        let levels = depth as usize + 1;
        let mut directories = BTreeSet::new();
        let mut files = Vec::new();
        for inner in self.files.keys().filter_map(|file| file.strip_prefix(&prefix)) {
            let parts: Vec<&str> = inner.split('/').collect();
            for end in (1..parts.len()).filter(|end| *end <= levels) {
                directories.insert(format!("{prefix}{}", parts[..end].join("/")));
            }
            if parts.len() <= levels {
                files.push(format!("{prefix}{inner}"));
            }
        }
        let directories = directories.into_iter().map(|path| Entry {
            path,
            kind: Kind::Directory,
        });
        let mut entries: Vec<Entry> = directories
            .chain(files.into_iter().map(|path| Entry { path, kind: Kind::File }))
            .collect();
        let truncated = entries.len() > limit as usize;
        entries.truncate(limit as usize);
        Ok(Listing {
            entries,
            truncated,
            skipped: self.skipped,
        })
    }

    fn read(&mut self, path: &str) -> Result<TextFile, PathError> {
        let text = self.stored(path)?;
        Ok(TextFile {
            sha256: digest(&text),
            text,
        })
    }

    fn show(&mut self, path: &str, span: Span, caps: Caps) -> Result<Page, ShowError> {
        let text = self.stored(path).map_err(ShowError::Path)?;
        let part = select(&text, span, caps).map_err(|error| ShowError::Range {
            total_lines: error.total_lines,
            total_chars: error.total_chars,
        })?;
        let earlier = self.shown.get(path).filter(|shown| shown.version == text);
        let mut shown = earlier.cloned().unwrap_or_default();
        shown.version.clone_from(&text);
        shown.chars.extend(part.start_char..part.end_char);
        shown.empty_lines.extend(part.start_line..=part.end_line);
        let fully_read = shown.missing().is_empty();
        self.pending.push((path.to_owned(), shown));
        Ok(Page {
            text: part.text.to_owned(),
            sha256: digest(&text),
            total_lines: part.total_lines,
            total_chars: part.total.chars,
            total_words: part.total.words,
            start_line: part.start_line,
            end_line: part.end_line,
            next_start_line: part.next_start_line,
            start_char: part.start_char,
            end_char: part.end_char,
            line_truncated: part.line_truncated,
            truncated: part.truncated,
            fully_read,
        })
    }
}

impl Writer for Fake {
    fn open(&mut self, path: &str) -> Result<TextFile, WriteError> {
        let path = Self::writable(path)?;
        let shown = self.shown.get(&path).ok_or(WriteError::RequiresRead)?;
        let missing = shown.missing();
        if !missing.is_empty() {
            return Err(WriteError::RequiresFullRead(missing));
        }
        let text = self.stored(&path).map_err(WriteError::Path)?;
        self.basis(&path, &text)?;
        Ok(TextFile {
            sha256: digest(&text),
            text,
        })
    }

    fn write(&mut self, path: &str, content: &str, basis: Basis) -> Result<Staged, WriteError> {
        let path = Self::writable(path)?;
        if let Some(error) = self.lost.take() {
            return Err(error);
        }
        let created = match self.stored(&path) {
            Ok(text) => self.basis(&path, &text).map(|()| false)?,
            Err(PathError::NotFound) => true,
            Err(error) => return Err(WriteError::Path(error)),
        };
        self.asked.push(format!("write {path} {basis:?}"));
        Ok(self.stage(path, content.to_owned(), created, true))
    }

    fn append(&mut self, path: &str, content: &str) -> Result<Staged, WriteError> {
        let path = Self::writable(path)?;
        match self.stored(&path) {
            Ok(text) => {
                let whole = self.basis(&path, &text).is_ok();
                Ok(self.stage(path, text + content, false, whole))
            }
            Err(PathError::NotFound) => Ok(self.stage(path, content.to_owned(), true, true)),
            Err(error) => Err(WriteError::Path(error)),
        }
    }
}

impl Control for Fake {
    fn message_path(&mut self) -> String {
        "output/main.md".to_owned()
    }

    fn commit(&mut self, path: &str, mode: CommitMode, reason: Option<&str>) -> Result<Planned, ControlError> {
        self.asked.push(format!("commit {path} {mode:?} {reason:?}"));
        if let Some(error) = self.refused.take() {
            return Err(error);
        }
        let text = self.stored(path).map_err(ControlError::Path)?;
        let size = measure(&text);
        Ok(Planned {
            path: path.to_owned(),
            chars: size.chars,
            words: size.words,
        })
    }

    fn finish(&mut self, reason: Option<&str>) -> Result<(), ControlError> {
        self.asked.push(format!("finish {reason:?}"));
        self.refused.take().map_or(Ok(()), Err)
    }
}

/// The code of a refused call; the test fails when it succeeded.
pub(crate) fn code(result: &Result<Reply, Failure>) -> &str {
    &result.as_ref().expect_err("a failure").code
}

/// The words of a refused call.
pub(crate) fn message(result: &Result<Reply, Failure>) -> &str {
    &result.as_ref().expect_err("a failure").message
}

/// The structured form of a reply.
pub(crate) fn structured(reply: &Reply) -> serde_json::Value {
    serde_json::from_str(reply.structured.as_deref().expect("structured")).expect("JSON")
}
