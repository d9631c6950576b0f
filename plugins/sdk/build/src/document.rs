//! One tool file: TOML front matter between two `+++` lines, then the description in Markdown.
//!
//! Unknown keys are refused, so that a typing mistake is never a silent default.

use serde::Deserialize;

/// Delimits the front matter.
const FENCE: &str = "+++";

/// A parsed tool file.
#[derive(Debug, PartialEq)]
pub(crate) struct Document {
    pub(crate) front: Front,
    pub(crate) description: String,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Front {
    pub(crate) name: String,
    pub(crate) title: String,
    #[serde(default)]
    pub(crate) uses: Vec<String>,
    #[serde(default)]
    pub(crate) visibility: Visibility,
    #[serde(default)]
    pub(crate) permission: Permission,
    pub(crate) annotations: Annotations,
    #[serde(default)]
    pub(crate) budget: Budget,
    #[serde(default)]
    pub(crate) argument: Vec<Argument>,
}

/// Every hint must be given: none has a default that is right for a tool nobody thought about.
#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Annotations {
    pub(crate) read_only: bool,
    pub(crate) destructive: bool,
    pub(crate) idempotent: bool,
    pub(crate) open_world: bool,
    pub(crate) cost: Cost,
}

#[derive(Debug, Deserialize, PartialEq, Clone, Copy)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Cost {
    Low,
    Normal,
    High,
}

#[derive(Debug, Default, Deserialize, PartialEq, Clone, Copy)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Visibility {
    #[default]
    Model,
    User,
}

#[derive(Debug, Default, Deserialize, PartialEq, Clone, Copy)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Permission {
    #[default]
    Allow,
    Ask,
    Deny,
}

#[derive(Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Budget {
    pub(crate) max_calls: Option<u32>,
    pub(crate) max_output_chars: Option<u32>,
    pub(crate) timeout_ms: Option<u32>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Argument {
    pub(crate) name: String,
    #[serde(rename = "type")]
    pub(crate) kind: Kind,
    #[serde(default)]
    pub(crate) required: bool,
    pub(crate) description: String,
    /// The allowed texts of a string.
    #[serde(default)]
    pub(crate) values: Vec<String>,
    /// The fields of an array's items.
    #[serde(default)]
    pub(crate) item: Vec<Argument>,
}

#[derive(Debug, Deserialize, PartialEq, Clone, Copy)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    String,
    Integer,
    Boolean,
    Array,
}

/// What is wrong with a tool file.
#[derive(Debug, PartialEq, thiserror::Error)]
pub(crate) enum DocumentError {
    #[error("must begin with a line `+++`, TOML, and another line `+++`")]
    NoFrontMatter,
    #[error("front matter: {0}")]
    Toml(String),
    #[error("no description after the front matter")]
    NoDescription,
    #[error(
        "`name` is {name:?}, but must be lower-case segments joined by dots, the last one the file's name {stem:?}"
    )]
    Name { name: String, stem: String },
    #[error("argument {name:?}: {reason}")]
    Argument { name: String, reason: &'static str },
}

impl Document {
    /// Parses the text of the file `<stem>.md`.
    pub(crate) fn parse(stem: &str, text: &str) -> Result<Self, DocumentError> {
        let (front, description) = split(text).ok_or(DocumentError::NoFrontMatter)?;
        let front: Front = toml::from_str(front).map_err(|error| DocumentError::Toml(error.to_string()))?;
        if !is_tool_name(&front.name) || front.name.rsplit('.').next() != Some(stem) {
            return Err(DocumentError::Name {
                name: front.name,
                stem: stem.to_owned(),
            });
        }
        check_arguments(&front.argument)?;
        let description = description.trim();
        if description.is_empty() {
            return Err(DocumentError::NoDescription);
        }
        Ok(Self {
            front,
            description: unwrap_lines(description),
        })
    }
}

/// Splits off what stands between the two fences.
fn split(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix(FENCE)?.strip_prefix('\n')?;
    let (front, description) = rest.split_once("\n+++\n")?;
    Some((front, description))
}

/// Joins the lines of each paragraph: files are wrapped for people, which would cost a model tokens.
/// Lists and indented lines keep their lines.
fn unwrap_lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines().map(str::trim_end) {
        let begins = line.is_empty() || line.starts_with(['-', '#', '|', '`', '>', ' ']);
        if !out.is_empty() {
            out.push(if begins || out.ends_with('\n') { '\n' } else { ' ' });
        }
        out.push_str(line);
    }
    out
}

/// `[a-z][a-z0-9_]*` segments joined by dots, at most 64 bytes.
fn is_tool_name(name: &str) -> bool {
    name.len() <= 64 && name.split('.').all(is_segment)
}

fn is_segment(segment: &str) -> bool {
    segment.starts_with(|first: char| first.is_ascii_lowercase())
        && segment
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

fn check_arguments(arguments: &[Argument]) -> Result<(), DocumentError> {
    for argument in arguments {
        let reason = if argument.description.trim().is_empty() {
            Some("needs a description")
        } else if !argument.values.is_empty() && argument.kind != Kind::String {
            Some("only a string can have `values`")
        } else if argument.item.is_empty() == (argument.kind == Kind::Array) {
            Some("an array, and nothing else, needs `item` tables")
        } else {
            None
        };
        if let Some(reason) = reason {
            return Err(DocumentError::Argument {
                name: argument.name.clone(),
                reason,
            });
        }
        check_arguments(&argument.item)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
