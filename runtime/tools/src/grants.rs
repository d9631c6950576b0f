//! What an extension gets, and what has changed about it since somebody agreed to it.
//!
//! A capability is linked when it is asked for and granted. Whether a tool may then be called is for the policy to say: of the user, of
//! the application and of the profile, a deny of each beating every allow. Nothing is stored here.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use innkeeper_capabilities::{Capability, Grant, Grants};
use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::extension::SpecDigests;
use innkeeper_protocol::id::ToolName;
use innkeeper_protocol::tool::ToolSpec;
use serde_json::{Value, json};

/// What is asked for and granted. Names that mean nothing give nothing.
#[must_use]
pub fn effective(asked: &BTreeSet<String>, granted: &BTreeSet<String>) -> Grants {
    let both = asked.intersection(granted);
    both.filter_map(|name| Grant::parse(name).ok()).collect()
}

/// What has to be granted before a component can be linked, and was not. A component that asks for several hosts can do with one of them,
/// and with no credential.
#[must_use]
pub fn missing<'a>(asked: &'a BTreeSet<String>, granted: &BTreeSet<String>) -> Vec<&'a str> {
    let given = effective(asked, granted).capabilities;
    let is_missing = |name: &&str| match Grant::parse(name) {
        Ok(Grant::Host(_)) => !given.contains(&Capability::Http),
        Ok(Grant::Credential(_)) => false,
        Ok(Grant::Capability(capability)) => !given.contains(&capability),
        Err(_) => true,
    };
    asked.iter().map(String::as_str).filter(is_missing).collect()
}

/// What the tools of a component say of themselves, as digests by name.
#[must_use]
pub fn pins(specs: &[ToolSpec]) -> BTreeMap<ToolName, SpecDigests> {
    specs.iter().map(|spec| (spec.native_name.clone(), pin(spec))).collect()
}

fn pin(spec: &ToolSpec) -> SpecDigests {
    SpecDigests {
        words: canonical(&json!([spec.title, spec.description])),
        arguments: canonical(&spec.input_schema),
        result: canonical(&json!(spec.output_schema)),
        behaviour: canonical(&json!([
            spec.annotations,
            spec.visibility,
            spec.permission,
            spec.budget,
            spec.uses
        ])),
    }
}

/// The digest of the RFC 8785 form. Numbers that it cannot hold are written as they are; then the digest is still one of this value.
fn canonical(value: &Value) -> Sha256 {
    match serde_jcs::to_vec(value) {
        Ok(bytes) => Sha256::of(&bytes),
        Err(_) => Sha256::of(value.to_string().as_bytes()),
    }
}

/// An edition of an extension, as far as it matters to who agreed to it.
#[derive(Debug, Clone, Copy)]
pub struct Agreed<'a> {
    /// Who says that it is theirs.
    pub publisher: &'a str,
    /// Names of the capabilities that it asks for.
    pub asks: &'a BTreeSet<String>,
    /// What its tools say of themselves.
    pub specs: &'a BTreeMap<ToolName, SpecDigests>,
}

/// One difference between two editions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// It comes from somebody else.
    Publisher {
        /// Before.
        from: String,
        /// Now.
        to: String,
    },
    /// It asks for one more capability, host or credential.
    AsksMore(String),
    /// It does without one.
    AsksLess(String),
    /// It has one more tool.
    ToolAdded(ToolName),
    /// A tool is gone.
    ToolGone(ToolName),
    /// The title or the description, which a model reads, is another.
    Words(ToolName),
    /// The arguments are others.
    Arguments(ToolName),
    /// The structured result is another.
    Result(ToolName),
    /// What the tool says of its effects, its limits or what it uses is different.
    Behaviour(ToolName),
}

impl Change {
    /// Whether somebody has to agree before it counts. Only what becomes less needs nobody's word.
    #[must_use]
    pub const fn needs_acceptance(&self) -> bool {
        !matches!(self, Self::AsksLess(_) | Self::ToolGone(_))
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let can = |name: &str| Grant::parse(name).map_or_else(|_| String::new(), |grant| grant.words());
        match self {
            Self::Publisher { from, to } => write!(f, "it was published by {from} and now by {to}"),
            Self::AsksMore(name) => write!(f, "it now also asks for {name}, to {}", can(name)),
            Self::AsksLess(name) => write!(f, "it no longer asks for {name}"),
            Self::ToolAdded(tool) => write!(f, "it has a new tool, {tool}"),
            Self::ToolGone(tool) => write!(f, "it no longer has the tool {tool}"),
            Self::Words(tool) => write!(f, "the title or description of {tool}, which a model reads, is another"),
            Self::Arguments(tool) => write!(f, "{tool} takes other arguments"),
            Self::Result(tool) => write!(f, "{tool} gives another structured result"),
            Self::Behaviour(tool) => write!(f, "{tool} says something else of its effects, limits or what it uses"),
        }
    }
}

/// Every difference, in the order in which a person should read them.
#[must_use]
pub fn changes(old: Agreed<'_>, new: Agreed<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    if old.publisher != new.publisher {
        changes.push(Change::Publisher {
            from: old.publisher.to_owned(),
            to: new.publisher.to_owned(),
        });
    }
    changes.extend(new.asks.difference(old.asks).cloned().map(Change::AsksMore));
    changes.extend(spec_changes(old.specs, new.specs));
    changes.extend(old.asks.difference(new.asks).cloned().map(Change::AsksLess));
    changes
}

/// One part of a specification: as it was, as it is, and what a difference in it is.
type Part<'a> = (&'a Sha256, &'a Sha256, fn(ToolName) -> Change);

/// Every difference between what tools said and what they say.
#[must_use]
pub fn spec_changes(old: &BTreeMap<ToolName, SpecDigests>, new: &BTreeMap<ToolName, SpecDigests>) -> Vec<Change> {
    let mut changes = Vec::new();
    for (name, now) in new {
        let Some(before) = old.get(name) else {
            changes.push(Change::ToolAdded(name.clone()));
            continue;
        };
        let parts: [Part<'_>; 4] = [
            (&before.words, &now.words, Change::Words),
            (&before.arguments, &now.arguments, Change::Arguments),
            (&before.result, &now.result, Change::Result),
            (&before.behaviour, &now.behaviour, Change::Behaviour),
        ];
        let differ = parts.into_iter().filter(|(before, now, _)| before != now);
        changes.extend(differ.map(|(_, _, change)| change(name.clone())));
    }
    let gone = old.keys().filter(|name| !new.contains_key(*name));
    changes.extend(gone.cloned().map(Change::ToolGone));
    changes
}

#[cfg(test)]
mod tests;
