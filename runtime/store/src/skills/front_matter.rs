//! The YAML between the first two lines `---` of a `SKILL.md`.
//!
//! Only `name` and `description` are kept: other keys may hold anything, and grant nothing. What names and descriptions may be is
//! [`super::header`]'s.

use serde::Deserialize;
use serde_saphyr::Options;
use serde_saphyr::options::DuplicateKeyPolicy;

use super::problem::SkillProblem;

/// The most front matter that is parsed, in bytes: the format allows a description of 1,024 characters and a few short fields.
pub const MAX_FRONT_MATTER_BYTES: usize = 64 * 1024;

/// Collections in collections; `metadata` has one level by the format.
const MAX_YAML_DEPTH: usize = 32;
/// Values, also those that an alias repeats, so that a short text cannot stand for a long one.
const MAX_YAML_NODES: usize = 10_000;
/// The most of a parser's complaint that is shown, in characters.
const MAX_REASON_CHARS: usize = 200;

/// What a plain text in YAML cannot begin with; such a value is left as it is.
const INDICATORS: &str = "'\"|>[]{}&*!#%@`,?-";

/// What the front matter says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub(super) struct FrontMatter {
    #[serde(default)]
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) description: Option<String>,
    /// It could be read only with its plain texts quoted.
    #[serde(skip)]
    pub(super) was_repaired: bool,
}

/// Reads the front matter of a `SKILL.md`, whatever its line ends, with or without a byte order mark.
///
/// A second try with quotes is made where a colon in a plain text breaks the YAML (`description: Use when: asked`), which is the
/// commonest mistake and has one meaning only.
pub(super) fn read(text: &str) -> Result<FrontMatter, SkillProblem> {
    let yaml = split(text)?;
    if yaml.trim().is_empty() {
        return Ok(FrontMatter::default());
    }
    parse(yaml).or_else(|reason| match parse(&quoted(yaml)) {
        Ok(found) => Ok(FrontMatter {
            was_repaired: true,
            ..found
        }),
        Err(_) => Err(SkillProblem::Yaml { reason }),
    })
}

/// The text between the two fences. A fence is a whole line: `---` within a line, or indented, is content.
fn split(text: &str) -> Result<&str, SkillProblem> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut at = 0_usize;
    let mut start = None;
    for line in text.split_inclusive('\n') {
        let end = at.saturating_add(line.len());
        match start {
            None if line.trim().is_empty() => {}
            None if is_fence(line) => start = Some(end),
            None => return Err(SkillProblem::NoFrontMatter),
            Some(start) if is_fence(line) => return bounded(text.get(start..at).unwrap_or_default()),
            Some(_) => {}
        }
        at = end;
    }
    Err(start.map_or(SkillProblem::NoFrontMatter, |_| SkillProblem::FrontMatterOpen))
}

fn is_fence(line: &str) -> bool {
    line.trim_end() == "---"
}

fn bounded(yaml: &str) -> Result<&str, SkillProblem> {
    if yaml.len() > MAX_FRONT_MATTER_BYTES {
        return Err(SkillProblem::FrontMatterTooLarge {
            bytes: yaml.len(),
            limit: MAX_FRONT_MATTER_BYTES,
        });
    }
    Ok(yaml)
}

fn parse(yaml: &str) -> Result<FrontMatter, String> {
    serde_saphyr::from_str_with_options(yaml, options()).map_err(|error| one_line(&error.to_string()))
}

fn options() -> Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: MAX_YAML_DEPTH,
            flow_nesting_limit: MAX_YAML_DEPTH,
            max_nodes: MAX_YAML_NODES,
            max_events: MAX_YAML_NODES,
            max_aliases: MAX_YAML_NODES,
            max_anchors: MAX_YAML_NODES,
            max_documents: 1,
        },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: MAX_YAML_NODES,
            max_replay_stack_depth: MAX_YAML_DEPTH,
        },
        // As most YAML libraries do: a key that somebody left behind does not cost the skill.
        duplicate_keys: DuplicateKeyPolicy::LastWins,
        with_snippet: false,
    }
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(MAX_REASON_CHARS).collect()
}

/// The front matter with the plain texts of its top level in single quotes, their continuation lines joined.
fn quoted(yaml: &str) -> String {
    let mut out = String::with_capacity(yaml.len());
    let mut lines = yaml.lines().peekable();
    while let Some(line) = lines.next() {
        let Some((key, value)) = plain_entry(line) else {
            out.push_str(line);
            out.push('\n');
            continue;
        };
        let mut whole = value.to_owned();
        while let Some(more) = lines.next_if(|next| next.starts_with([' ', '\t'])) {
            whole.push(' ');
            whole.push_str(more.trim());
        }
        out.push_str(key);
        out.push_str(": '");
        out.push_str(&whole.trim_end().replace('\'', "''"));
        out.push_str("'\n");
    }
    out
}

/// `key: text` at the very left, where the text is neither empty nor quoted nor a collection.
fn plain_entry(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(": ")?;
    let is_key = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    let value = value.trim();
    let is_plain = value.chars().next().is_some_and(|first| !INDICATORS.contains(first));
    (is_key && is_plain).then_some((key, value))
}

#[cfg(test)]
mod tests;
