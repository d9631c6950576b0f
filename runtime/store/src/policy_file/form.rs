//! From the file's bytes to rules, or to the first flaw and its place.
//!
//! Nothing is skipped and nothing is guessed: a word that is not known is a flaw.

use std::ops::Range;

use innkeeper_protocol::tool::Permission;
use toml_edit::{Document, Item, TableLike, TomlError};

/// Characters of a name or value that a message repeats.
const MAX_SHOWN_CHARS: usize = 100;

/// Says why a text is no name of a tool or a source, in words that go after the name.
pub type TargetCheck<'a> = &'a dyn Fn(&str) -> Result<(), String>;

/// Who says something about tools: a table of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Party {
    /// `[user]`: the user, about tools or sources.
    User,
    /// `[source]`: what the user has settled for whole sources.
    Source,
    /// `[platform]`: the application.
    Platform,
}

impl Party {
    /// Every table.
    pub const ALL: [Self; 3] = [Self::User, Self::Source, Self::Platform];

    /// The table's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Source => "source",
            Self::Platform => "platform",
        }
    }

    fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|party| party.name() == name)
    }
}

/// A place in the file, for people: both numbers count from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyRule {
    /// Who says it.
    pub party: Party,
    /// The tool or source, as written.
    pub target: String,
    /// What holds for it.
    pub permission: Permission,
    /// Where it stands.
    pub place: Place,
}

impl PolicyRule {
    /// Everything but its place.
    pub(super) fn says(&self) -> (Party, &str, Permission) {
        (self.party, &self.target, self.permission)
    }
}

/// Something in the file that is no part of a policy.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Flaw {
    pub(super) place: Place,
    pub(super) problem: String,
}

/// The word for a permission.
pub(super) const fn word(permission: Permission) -> &'static str {
    match permission {
        Permission::Allow => "allow",
        Permission::Ask => "ask",
        Permission::Deny => "deny",
    }
}

fn permission(text: &str) -> Option<Permission> {
    [Permission::Allow, Permission::Ask, Permission::Deny]
        .into_iter()
        .find(|permission| word(*permission) == text)
}

/// The bytes as text.
pub(super) fn text(bytes: &[u8]) -> Result<&str, Flaw> {
    std::str::from_utf8(bytes).map_err(|error| {
        let sound = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let sound = String::from_utf8_lossy(sound);
        Flaw {
            place: place(&sound, sound.len()),
            problem: "this is not UTF-8 text".to_owned(),
        }
    })
}

pub(super) fn parse(bytes: &[u8], check: TargetCheck<'_>) -> Result<Vec<PolicyRule>, Flaw> {
    let text = text(bytes)?;
    let document = Document::parse(text).map_err(|error| syntax(text, &error))?;
    let mut rules = Vec::new();
    for (name, item) in document.iter() {
        let at = span(document.as_table(), name);
        let flaw = |problem| Flaw {
            place: place(text, at.start),
            problem,
        };
        let party = Party::parse(name).ok_or_else(|| {
            flaw(format!(
                "{} is not known; there are [user], [source] and [platform]",
                shown(name)
            ))
        })?;
        let table = item
            .as_table_like()
            .ok_or_else(|| flaw(format!("`{name}` must be a table, written [{name}]")))?;
        for (target, item) in table.iter() {
            rules.push(rule(text, party, table, (target, item), check)?);
        }
    }
    rules.sort_by_key(|rule| (rule.place.line, rule.place.column));
    Ok(rules)
}

fn rule(
    text: &str,
    party: Party,
    table: &dyn TableLike,
    (target, item): (&str, &Item),
    check: TargetCheck<'_>,
) -> Result<PolicyRule, Flaw> {
    let at = place(text, span(table, target).start);
    check(target).map_err(|why| Flaw {
        place: at,
        problem: format!("{} {why}", shown(target)),
    })?;
    let permission = item.as_str().and_then(permission).ok_or_else(|| {
        let found = item.as_str().map_or_else(|| format!("a {}", item.type_name()), shown);
        let start = item.span().map_or(at, |span| place(text, span.start));
        Flaw {
            place: start,
            problem: format!(
                "{} must be \"allow\", \"ask\" or \"deny\", and not {found}",
                shown(target)
            ),
        }
    })?;
    Ok(PolicyRule {
        party,
        target: target.to_owned(),
        permission,
        place: at,
    })
}

/// Where a key stands in the text.
fn span(table: &dyn TableLike, key: &str) -> Range<usize> {
    let item = || table.get(key).and_then(Item::span);
    table
        .key(key)
        .and_then(toml_edit::Key::span)
        .or_else(item)
        .unwrap_or(0..0)
}

/// What the TOML parser did not understand, on one line.
pub(super) fn syntax(text: &str, error: &TomlError) -> Flaw {
    let words: Vec<&str> = error.message().lines().map(str::trim).collect();
    Flaw {
        place: place(text, error.span().unwrap_or(0..0).start),
        problem: words.join("; "),
    }
}

fn place(text: &str, offset: usize) -> Place {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    Place {
        line: before.matches('\n').count().saturating_add(1),
        column: line.chars().count().saturating_add(1),
    }
}

/// A name in backquotes, cut where it is too long for a message.
fn shown(text: &str) -> String {
    let cut: String = text.chars().take(MAX_SHOWN_CHARS).collect();
    let more = if cut.len() < text.len() { "\u{2026}" } else { "" };
    format!("`{cut}{more}`")
}
