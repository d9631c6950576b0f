//! Skills in memory that keep a host's promises: policy, paths, the read budget.
//!
//! Only as strict as the tools need it to be; the real checks have tests of their own in the host.

use std::collections::{BTreeMap, BTreeSet};

use innkeeper_text::{Caps, Span, select};
use innkeeper_tool::{Failure, Reply};

use crate::{Files, Library, LibraryError, Location, Page, Skill, TextFile};

/// The skills, who may not see them, and what may still be read.
pub(crate) struct Fake {
    pub(crate) descriptions: BTreeMap<String, String>,
    /// By skill and path.
    pub(crate) files: BTreeMap<(String, String), String>,
    /// Paths whose access fails so.
    pub(crate) broken: BTreeMap<String, LibraryError>,
    pub(crate) denied: BTreeSet<String>,
    pub(crate) skipped: u32,
    pub(crate) per_call: u32,
    pub(crate) left: u32,
    pending: u32,
}

/// A stand-in for a SHA-256: different for different texts, and short.
pub(crate) fn digest(text: &str) -> String {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}

impl Fake {
    /// A skill `lore` with these files and the usual budgets.
    pub(crate) fn lore(files: &[(&str, &str)]) -> Self {
        let files = files
            .iter()
            .map(|(path, text)| (("lore".to_owned(), (*path).to_owned()), (*text).to_owned()));
        Self {
            descriptions: BTreeMap::from([("lore".into(), "Keeps the facts of the world.".into())]),
            files: files.collect(),
            broken: BTreeMap::new(),
            denied: BTreeSet::from(["secret".into()]),
            skipped: 0,
            per_call: 20_000,
            left: 80_000,
            pending: 0,
        }
    }

    pub(crate) fn with_budget(mut self, per_call: u32, left: u32) -> Self {
        (self.per_call, self.left) = (per_call, left);
        self
    }

    /// Makes one call: it is charged if it succeeds, and costs nothing if not.
    pub(crate) fn call(&mut self, tool: impl FnOnce(&mut Self) -> Result<Reply, Failure>) -> Result<Reply, Failure> {
        let result = tool(self);
        let spent = std::mem::take(&mut self.pending);
        if result.is_ok() {
            self.left -= spent;
        }
        result
    }

    fn normal(path: &str) -> Result<String, LibraryError> {
        let parts: Vec<&str> = path
            .split('/')
            .filter(|part| !part.is_empty() && *part != ".")
            .collect();
        let hidden = |part: &&str| ["..", ".git", ".ssh", ".env"].contains(part);
        if parts.is_empty() || parts.iter().any(hidden) || path.starts_with('/') || path.contains(['\\', ':']) {
            return Err(LibraryError::Invalid("it is no path of a skill.".into()));
        }
        Ok(parts.join("/"))
    }

    fn stored(&self, at: Location<'_>) -> Result<TextFile, LibraryError> {
        self.checked(at.skill)?;
        let path = Self::normal(at.path)?;
        let below = format!("{path}/");
        if let Some(error) = self.broken.get(&path) {
            return Err(error.clone());
        }
        if let Some(text) = self.files.get(&(at.skill.to_owned(), path)) {
            return Ok(TextFile {
                text: text.clone(),
                sha256: digest(text),
            });
        }
        let is_directory = self
            .files
            .keys()
            .any(|(skill, path)| skill == at.skill && path.starts_with(&below));
        Err(if is_directory {
            LibraryError::Invalid("it is a directory.".into())
        } else {
            LibraryError::NotFound
        })
    }

    fn checked(&self, skill: &str) -> Result<(), LibraryError> {
        if !skill
            .chars()
            .all(|letter| matches!(letter, 'a'..='z' | '0'..='9' | '_' | '-'))
        {
            return Err(LibraryError::Invalid("it has other letters than a to z.".into()));
        }
        if self.denied.contains(skill) || self.denied.contains("*") {
            return Err(LibraryError::Denied);
        }
        if self.descriptions.contains_key(skill) {
            Ok(())
        } else {
            Err(LibraryError::NotVisible)
        }
    }

    fn budget_left(&self) -> u32 {
        self.left - self.pending
    }
}

impl Library for Fake {
    fn list(&mut self) -> Vec<Skill> {
        let shown = self.descriptions.iter().filter(|(name, _)| self.checked(name).is_ok());
        shown
            .map(|(name, description)| Skill {
                name: name.clone(),
                description: description.clone(),
            })
            .collect()
    }

    fn open(&mut self, skill: &str) -> Result<u32, LibraryError> {
        self.checked(skill).map(|()| self.budget_left())
    }

    fn files(&mut self, at: Location<'_>) -> Result<Files, LibraryError> {
        self.checked(at.skill)?;
        let path = match at.path {
            path if !path.starts_with('/') && path.split('/').all(|part| matches!(part, "" | ".")) => String::new(),
            path => Self::normal(path)?,
        };
        if let Some(error @ LibraryError::Invalid(_)) = self.broken.get(&path) {
            return Err(error.clone());
        }
        let inside = |file: &String| path.is_empty() || *file == path || file.starts_with(&format!("{path}/"));
        let paths = self
            .files
            .keys()
            .filter(|(skill, file)| skill == at.skill && inside(file));
        Ok(Files {
            paths: paths.map(|(_, file)| file.clone()).collect(),
            skipped: self.skipped,
        })
    }

    fn read(&mut self, at: Location<'_>) -> Result<TextFile, LibraryError> {
        self.stored(at)
    }

    fn show(&mut self, at: Location<'_>, span: Span) -> Result<Page, LibraryError> {
        let file = self.stored(at)?;
        let caps = Caps {
            max_lines: u32::MAX,
            max_chars: self.per_call.min(self.budget_left()),
        };
        let part = select(&file.text, span, caps).map_err(|error| LibraryError::Range {
            total_lines: error.total_lines,
            total_chars: error.total_chars,
        })?;
        self.pending += part.metrics.chars;
        Ok(Page {
            text: part.text.to_owned(),
            sha256: file.sha256,
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
            budget_left: self.budget_left(),
        })
    }

    fn charge(&mut self, chars: u32) -> Result<u32, LibraryError> {
        if chars > self.budget_left() {
            return Err(LibraryError::BudgetExhausted(self.budget_left()));
        }
        self.pending += chars;
        Ok(self.budget_left())
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
