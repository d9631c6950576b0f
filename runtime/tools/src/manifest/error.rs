//! What can be wrong with a manifest.

use innkeeper_capabilities::Grant;
use innkeeper_protocol::id::ToolName;

use crate::served::Misfit;

/// Why a manifest cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ManifestError {
    /// Not UTF-8.
    #[error("extension.toml is not UTF-8 text")]
    NotText,
    /// No TOML, an unknown key, or a value of the wrong kind.
    #[error("extension.toml, line {line}, column {column}: {problem}")]
    Syntax {
        /// From 1.
        line: usize,
        /// In characters, from 1.
        column: usize,
        /// In one line.
        problem: String,
    },
    /// A value that means nothing.
    #[error("extension.toml: `{key}` cannot be used: {problem}")]
    Value {
        /// The key.
        key: &'static str,
        /// What is wrong.
        problem: String,
    },
    /// A capability that cannot be granted.
    #[error(
        "extension.toml asks for {name:?}, which cannot be granted; there are {}",
        Grant::FORMS
    )]
    NoSuchCapability {
        /// As it is written.
        name: String,
    },
    /// The component was built for another contract.
    #[error("extension.toml: {0}")]
    Misfit(Misfit),
    /// An import that the manifest does not tell of.
    #[error("the component imports `{interface}`, and extension.toml gives no reason for `{capability}`")]
    Unasked {
        /// The interface with its version.
        interface: String,
        /// What would have to be granted.
        capability: &'static str,
    },
    /// More is asked for than is needed.
    #[error("extension.toml asks for `{capability}`, and the component imports nothing that needs it")]
    Unneeded {
        /// What is asked for.
        capability: String,
    },
    /// The component is another one.
    #[error("the component has the digest {found}, and extension.toml names {named}")]
    OtherComponent {
        /// In the manifest.
        named: innkeeper_protocol::digest::Sha256,
        /// Of the file.
        found: innkeeper_protocol::digest::Sha256,
    },
    /// A permission for a tool that the component does not have.
    #[error("extension.toml has a permission for the tool `{tool}`, which the component does not have")]
    NoSuchTool {
        /// As it is written.
        tool: ToolName,
        /// One that there is.
        known: Option<ToolName>,
    },
}

impl ManifestError {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Misfit(_) => "extension.invalid_component",
            Self::OtherComponent { .. } => "extension.digest_mismatch",
            Self::NotText
            | Self::Syntax { .. }
            | Self::Value { .. }
            | Self::NoSuchCapability { .. }
            | Self::Unasked { .. }
            | Self::Unneeded { .. }
            | Self::NoSuchTool { .. } => "extension.manifest_invalid",
        }
    }

    /// What the author can do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::NotText | Self::Syntax { .. } => {
                "It needs id, version, publisher, description, wit, component and sha256; [capabilities], [limits] and [permissions] may \
                 follow."
                    .to_owned()
            }
            Self::Value { .. } | Self::NoSuchCapability { .. } => "Correct that line.".to_owned(),
            Self::Misfit(_) => "Build it for that version, or use a host that serves the other one.".to_owned(),
            Self::Unasked { capability, .. } => {
                format!(
                    "Add `\"{capability}\" = \"why\"` below [capabilities], or build the component without that import."
                )
            }
            Self::Unneeded { capability } => format!("Take `{capability}` out of [capabilities]."),
            Self::OtherComponent { .. } => {
                "If you built it just now, write the new digest into extension.toml. Else the file is not the one that was published: get \
                 it again."
                    .to_owned()
            }
            Self::NoSuchTool { known, .. } => match known {
                Some(known) => format!("Its tools are called like `{known}`."),
                None => "The component has no tools.".to_owned(),
            },
        }
    }

    pub(super) fn syntax(text: &str, error: &toml::de::Error) -> Self {
        let start = error.span().map_or(0, |span| span.start);
        let before = text.get(..start).unwrap_or(text);
        let line = before.rsplit('\n').next().unwrap_or_default();
        Self::Syntax {
            line: before.matches('\n').count().saturating_add(1),
            column: line.chars().count().saturating_add(1),
            problem: error.message().lines().map(str::trim).collect::<Vec<_>>().join("; "),
        }
    }
}
