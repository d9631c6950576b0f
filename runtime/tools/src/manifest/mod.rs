//! `extension.toml`: what an extension says of itself, what it asks for and why.
//!
//! ```toml
//! id = "mood"
//! version = "1.2.0"
//! publisher = "Lantern Press"
//! description = "Tells the mood of the newest messages."
//! wit = "0.1.0"                  # the innkeeper:tool that it was built for
//! component = "mood.wasm"
//! sha256 = "..."                 # of the component
//!
//! [capabilities]                 # what it asks for, each with a reason for the person who decides
//! chat = "To read the messages whose mood it tells."
//! "http=api.example.com" = "To look up words."               # one entry for each host: http=[SCHEME://]HOST[:PORT]
//! "credential=words@api.example.com" = "To sign in there."   # a credential that the person keeps
//!
//! [limits]                       # suggested ceilings of one call; they can only lower the host's
//! wall-ms = 2000
//!
//! [permissions]                  # suggested per tool; the stricter of this and the tool's own suggestion counts
//! "mood.read" = "ask"
//! ```
//!
//! Everything in it is a claim. That the component is the one with that digest, and imports what is asked for here, is checked by whoever
//! has the component; a key that is not known is refused.

mod error;
mod limits;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use innkeeper_capabilities::{Capability, Grant, GrantError, HostPattern, Interface};
use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::extension::ExtensionId;
use innkeeper_protocol::id::ToolName;
use innkeeper_protocol::path::WorkspacePath;
use innkeeper_protocol::shown::is_invisible;
use innkeeper_protocol::tool::Permission;
use semver::Version;
use serde::{Deserialize, Serialize};

use crate::served::{TOOL_INTERFACE, TOOL_VERSION, misfit};

pub use error::ManifestError;
pub use limits::SuggestedLimits;

/// Characters of the publisher's name.
const MAX_PUBLISHER_CHARS: usize = 100;
/// Characters of the description and of each reason: what fits on a screen that asks for consent.
const MAX_TEXT_CHARS: usize = 500;
/// The file name of a component that came without a package.
const BARE_COMPONENT: &str = "component.wasm";

/// A checked manifest.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    /// Names the extension for ever.
    pub id: ExtensionId,
    /// As its author counts.
    pub version: Version,
    /// Who says that it is theirs.
    pub publisher: String,
    /// What it is for.
    pub description: String,
    /// The version of the tool interface that it was built for.
    pub wit: Version,
    /// The component's file.
    pub component: WorkspacePath,
    /// The component's digest.
    pub sha256: Sha256,
    /// What it asks for: capabilities in the order of [`Capability::GRANTABLE`], then hosts and credentials.
    pub asks: Vec<Ask>,
    /// Ceilings that its author suggests.
    pub limits: SuggestedLimits,
    /// Permissions that its author suggests.
    pub permissions: BTreeMap<ToolName, Permission>,
}

/// One thing that an extension asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// What would have to be granted.
    pub grant: Grant,
    /// The name by which it is granted, in its canonical form.
    pub name: String,
    /// Why, in its author's words.
    pub reason: String,
}

/// The file as it is written.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Written {
    id: String,
    version: String,
    publisher: String,
    description: String,
    wit: String,
    component: String,
    sha256: String,
    #[serde(default)]
    capabilities: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "SuggestedLimits::is_empty")]
    limits: SuggestedLimits,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    permissions: BTreeMap<String, Permission>,
}

impl Manifest {
    /// Reads and checks a manifest.
    ///
    /// # Errors
    /// [`ManifestError`] with the first thing that is wrong.
    pub fn parse(bytes: &[u8]) -> Result<Self, ManifestError> {
        let text = std::str::from_utf8(bytes).map_err(|_| ManifestError::NotText)?;
        let written: Written = toml::from_str(text).map_err(|error| ManifestError::syntax(text, &error))?;
        let manifest = Self {
            id: checked("id", ExtensionId::parse(&written.id))?,
            version: checked("version", Version::parse(&written.version))?,
            publisher: words("publisher", &written.publisher, MAX_PUBLISHER_CHARS)?,
            description: words("description", &written.description, MAX_TEXT_CHARS)?,
            wit: checked("wit", Version::parse(&written.wit))?,
            component: checked("component", WorkspacePath::parse(&written.component))?,
            sha256: checked("sha256", Sha256::parse(&written.sha256))?,
            asks: asks(&written.capabilities)?,
            limits: written.limits.checked()?,
            permissions: permissions(written.permissions)?,
        };
        match misfit(&format!("{TOOL_INTERFACE}@{}", manifest.wit)) {
            None => Ok(manifest),
            Some(misfit) => Err(ManifestError::Misfit(misfit)),
        }
    }

    /// What must be granted for everything that it asks for.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.asks.iter().map(|ask| ask.name.as_str())
    }

    /// Compares what is asked for with what the component imports. A component that needs nothing of the host asks for nothing.
    ///
    /// # Errors
    /// [`ManifestError::Unasked`] for an import without a reason, [`ManifestError::Unneeded`] for a reason without an import.
    pub fn check_imports(&self, imports: &[String]) -> Result<(), ManifestError> {
        let imported = imported(imports);
        let is_granted_by = |grant: &Grant, capability| match grant {
            // It goes along with requests to a host, which is asked for on its own.
            Grant::Credential(_) => false,
            grant => grant.capability() == capability,
        };
        let is_asked = |capability| self.asks.iter().any(|ask| is_granted_by(&ask.grant, capability));
        if let Some((interface, _, name)) = imported.iter().find(|(_, capability, _)| !is_asked(*capability)) {
            return Err(ManifestError::Unasked {
                interface: (*interface).to_owned(),
                capability: name,
            });
        }
        let is_imported = |wanted: Capability| imported.iter().any(|(_, capability, _)| *capability == wanted);
        match self.asks.iter().find(|ask| !is_imported(ask.grant.capability())) {
            Some(ask) => Err(ManifestError::Unneeded {
                capability: ask.name.clone(),
            }),
            None => Ok(()),
        }
    }

    /// Compares the suggested permissions with the tools that there are.
    ///
    /// # Errors
    /// [`ManifestError::NoSuchTool`].
    pub fn check_tools<'a>(&self, mut tools: impl Iterator<Item = &'a ToolName> + Clone) -> Result<(), ManifestError> {
        let unknown = self
            .permissions
            .keys()
            .find(|name| !tools.clone().any(|tool| tool == *name));
        let Some(name) = unknown else { return Ok(()) };
        Err(ManifestError::NoSuchTool {
            tool: name.clone(),
            known: tools.next().cloned(),
        })
    }
}

/// The text of a manifest for a single component that comes without one: it asks for what it imports, and gives no reasons. Nobody knows
/// which hosts it would send requests to, so it asks for none.
#[must_use]
pub fn bare_manifest(id: &ExtensionId, component: &[u8], imports: &[String]) -> String {
    let written = Written {
        id: id.to_string(),
        version: "0.0.0".to_owned(),
        publisher: "unknown".to_owned(),
        description: "A single component that came without a package.".to_owned(),
        wit: TOOL_VERSION.to_string(),
        component: BARE_COMPONENT.to_owned(),
        sha256: Sha256::of(component).to_string(),
        capabilities: imported(imports)
            .into_iter()
            .filter(|(_, _, name)| Grant::parse(name).is_ok_and(|grant| matches!(grant, Grant::Capability(_))))
            .map(|(_, _, name)| (name.to_owned(), "No reason is given.".to_owned()))
            .collect(),
        limits: SuggestedLimits::default(),
        permissions: BTreeMap::new(),
    };
    // Texts and tables of texts can always be written.
    toml::to_string(&written).unwrap_or_default()
}

/// The imports that need granting, each with its capability and how that is written.
fn imported(imports: &[String]) -> Vec<(&str, Capability, &'static str)> {
    let granted = |import: &str| {
        let capability = Interface::parse(import)?.capability()?;
        Some((capability, capability.name()?))
    };
    let all = imports.iter().filter_map(|import| {
        let (capability, name) = granted(import)?;
        Some((import.as_str(), capability, name))
    });
    all.collect()
}

fn asks(written: &BTreeMap<String, String>) -> Result<Vec<Ask>, ManifestError> {
    let mut asks = Vec::with_capacity(written.len());
    for (name, reason) in written {
        let grant = Grant::parse(name).map_err(|error| match error {
            GrantError::Unknown(name) => ManifestError::NoSuchCapability { name },
            GrantError::Host { .. } | GrantError::Credential(_) => ManifestError::Value {
                key: "capabilities",
                problem: error.to_string(),
            },
        })?;
        let ask = Ask {
            name: grant.to_string(),
            reason: words(key(&grant), reason, MAX_TEXT_CHARS)?,
            grant,
        };
        if asks.iter().any(|other: &Ask| other.name == ask.name) {
            return Err(ManifestError::Value {
                key: "capabilities",
                problem: format!("{} is asked for twice", ask.name),
            });
        }
        asks.push(ask);
    }
    asks.sort_by_key(|ask| rank(&ask.grant));
    if let Some(name) = strayed(&asks) {
        return Err(ManifestError::Value {
            key: "capabilities",
            problem: format!("the credential {name} is for a host that requests are not asked for"),
        });
    }
    Ok(asks)
}

/// What an error about an entry names.
fn key(grant: &Grant) -> &'static str {
    let name = match grant {
        Grant::Capability(capability) => capability.name(),
        Grant::Host(_) | Grant::Credential(_) => None,
    };
    name.unwrap_or("capabilities")
}

/// Where a person reads of it: what there is by name first.
fn rank(grant: &Grant) -> usize {
    let names = Capability::GRANTABLE.iter();
    match grant {
        Grant::Capability(capability) => names.take_while(|(_, known)| known != capability).count(),
        Grant::Host(_) => names.count(),
        Grant::Credential(_) => names.count().saturating_add(1),
    }
}

/// The name of a credential for a host that no request may go to.
fn strayed(asks: &[Ask]) -> Option<&str> {
    let reaches = |origin: &HostPattern| {
        let mut grants = asks.iter().map(|ask| &ask.grant);
        grants.any(|grant| matches!(grant, Grant::Host(hosts) if hosts.includes(origin)))
    };
    asks.iter().find_map(|ask| match &ask.grant {
        Grant::Credential(credential) if !reaches(&credential.origin) => Some(credential.name.as_str()),
        _ => None,
    })
}

fn permissions(written: BTreeMap<String, Permission>) -> Result<BTreeMap<ToolName, Permission>, ManifestError> {
    let checked =
        |(name, permission): (String, Permission)| Ok((checked("permissions", ToolName::parse(&name))?, permission));
    written.into_iter().map(checked).collect()
}

fn checked<T, E: std::fmt::Display>(key: &'static str, value: Result<T, E>) -> Result<T, ManifestError> {
    value.map_err(|error| ManifestError::Value {
        key,
        problem: error.to_string(),
    })
}

/// A text that people read before they decide: there, short, and with nothing invisible in it.
fn words(key: &'static str, text: &str, max_chars: usize) -> Result<String, ManifestError> {
    let text = text.trim();
    let problem = if text.is_empty() {
        "it says nothing".to_owned()
    } else if text.chars().count() > max_chars {
        format!("it has more than {max_chars} characters")
    } else if text.contains(|c: char| is_invisible(c) && c != '\n') {
        "it holds characters that nobody can see".to_owned()
    } else {
        return Ok(text.to_owned());
    };
    Err(ManifestError::Value { key, problem })
}
