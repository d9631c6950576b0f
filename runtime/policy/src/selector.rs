//! Which tools a rule about a source covers.
//!
//! A selector is compared with the provider in a tool's id, never with what the tool says about itself.

use std::fmt;

use innkeeper_protocol::id::{Provider, ToolId};

/// A source of tools, as a policy names it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SourceSelector {
    /// `mcp`: the tools of every MCP server.
    AnyMcp,
    /// `extension`: the tools of every extension.
    AnyExtension,
    /// `builtin`, `mcp/<uuid>` or `extension/<id>`: the tools of this one provider.
    One(Provider),
}

/// A text that selects no source.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} names no source of tools; use `builtin`, `mcp`, `mcp/<uuid>`, `extension` or `extension/<id>`")]
pub struct InvalidSelector {
    /// The text that came, at most 200 characters of it.
    pub text: String,
}

impl SourceSelector {
    /// Parses the name of a source.
    ///
    /// # Errors
    /// [`InvalidSelector`] for anything but the five forms.
    pub fn parse(text: &str) -> Result<Self, InvalidSelector> {
        match text {
            "mcp" => Ok(Self::AnyMcp),
            "extension" => Ok(Self::AnyExtension),
            // Any valid name will do: the id's parser then checks the provider by the one set of rules there is for it.
            one => match ToolId::parse(&format!("{one}:any")) {
                Ok(id) if !one.contains(':') => Ok(Self::One(id.provider().clone())),
                _ => Err(InvalidSelector {
                    text: text.chars().take(200).collect(),
                }),
            },
        }
    }

    /// Whether this covers the tools of `provider`.
    #[must_use]
    pub fn covers(&self, provider: &Provider) -> bool {
        match self {
            Self::AnyMcp => matches!(provider, Provider::Mcp(_)),
            Self::AnyExtension => matches!(provider, Provider::Extension(_)),
            Self::One(one) => one == provider,
        }
    }

    /// Whether this covers one provider only, so that it is closer to a tool than a selector of a whole kind.
    pub(crate) const fn is_exact(&self) -> bool {
        matches!(self, Self::One(_))
    }
}

impl fmt::Display for SourceSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AnyMcp => f.write_str("mcp"),
            Self::AnyExtension => f.write_str("extension"),
            Self::One(Provider::Builtin) => f.write_str("builtin"),
            Self::One(Provider::Mcp(id)) => write!(f, "mcp/{id}"),
            Self::One(Provider::Extension(id)) => write!(f, "extension/{id}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVER: &str = "mcp/0f8fad5b-d9cb-469f-a165-70867728950e";

    #[test]
    fn a_selector_is_written_as_it_is_parsed() {
        for text in ["builtin", "mcp", "extension", "extension/mood-board", SERVER] {
            let written = SourceSelector::parse(text).map(|selector| selector.to_string());
            assert_eq!(written.as_deref(), Ok(text));
        }
    }

    #[test]
    fn what_is_no_source_is_refused() {
        for text in [
            "",
            "skill",
            "mcp/",
            "mcp/NOPE",
            "extension/Caps",
            "builtin:dice.roll",
            "builtin:",
            "extension/a:b",
            "*",
        ] {
            assert_eq!(
                SourceSelector::parse(text),
                Err(InvalidSelector { text: text.to_owned() }),
                "{text}"
            );
        }
    }

    #[test]
    fn a_kind_covers_all_its_providers_and_one_covers_itself() {
        let server = Provider::Mcp("0f8fad5b-d9cb-469f-a165-70867728950e".to_owned());
        let covered: Vec<bool> = [
            "mcp",
            SERVER,
            "extension",
            "builtin",
            "mcp/00000000-0000-0000-0000-000000000000",
        ]
        .map(|text| SourceSelector::parse(text).unwrap().covers(&server))
        .to_vec();
        assert_eq!(covered, [true, true, false, false, false]);
    }
}
