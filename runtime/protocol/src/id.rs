//! Ids, each a type of its own: what names a run cannot be passed where a call is meant.
//!
//! Ids are parsed, never built here from randomness or time; whoever makes one brings the entropy.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most bytes of a segment that becomes a file name (run, invocation, task, state, checkpoint).
pub const MAX_SEGMENT_BYTES: usize = 128;
/// Most bytes of the id that the application gives a chat.
pub const MAX_STABLE_CHAT_ID_BYTES: usize = 512;
/// Most bytes of a component tool's native name.
pub const MAX_TOOL_NAME_BYTES: usize = 64;
/// Most bytes of an MCP tool's native name.
pub const MAX_MCP_NAME_BYTES: usize = 256;
/// Most bytes of an extension id.
const MAX_EXTENSION_ID_BYTES: usize = 64;

/// An id that was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} {value:?} is not valid: {rule}")]
pub struct InvalidId {
    /// What kind of id was expected.
    pub what: &'static str,
    /// The text that came, at most 200 characters of it.
    pub value: String,
    /// The rule that it breaks.
    pub rule: &'static str,
}

impl InvalidId {
    pub(crate) fn new(what: &'static str, value: &str, rule: &'static str) -> Self {
        Self {
            what,
            value: value.chars().take(200).collect(),
            rule,
        }
    }
}

pub(crate) fn is_segment(text: &str) -> bool {
    (1..=MAX_SEGMENT_BYTES).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

/// What [`is_segment`] says, for JSON Schemas.
pub(crate) const SEGMENT_PATTERN: &str = "^[A-Za-z0-9_-]{1,128}$";

/// A kind of id: what it is called, the check, the rule in words, and the rule as an ECMA 262 pattern for JSON Schemas.
macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident, $what:literal, $check:expr, $rule:literal, $pattern:expr) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
        )]
        #[serde(try_from = "String", into = "String")]
        #[schemars(extend("pattern" = $pattern))]
        pub struct $name(String);

        impl $name {
            /// Parses the text.
            ///
            /// # Errors
            /// [`InvalidId`](crate::id::InvalidId) when the text breaks the rule of this kind of id.
            pub fn parse(text: &str) -> Result<Self, $crate::id::InvalidId> {
                let check: fn(&str) -> bool = $check;
                if check(text) { Ok(Self(text.to_owned())) } else { Err($crate::id::InvalidId::new($what, text, $rule)) }
            }

            /// The id as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(&self.0)
            }
        }

        impl TryFrom<String> for $name {
            type Error = $crate::id::InvalidId;
            fn try_from(text: String) -> Result<Self, $crate::id::InvalidId> {
                Self::parse(&text)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.0
            }
        }
    };
}
pub(crate) use text_id;

text_id!(
    /// One execution of an agent: `run_<32 hex>`.
    RunId, "run id", is_segment, "1 to 128 ASCII letters, digits, `_` or `-`", SEGMENT_PATTERN);
text_id!(
    /// One profile running one model loop inside a run; that of the root is `inv_root`.
    InvocationId, "invocation id", is_segment, "1 to 128 ASCII letters, digits, `_` or `-`", SEGMENT_PATTERN);
text_id!(
    /// The folder of a chat's runs: `chat_<16 hex>`.
    WorkspaceId, "workspace id", is_segment, "1 to 128 ASCII letters, digits, `_` or `-`", SEGMENT_PATTERN);
text_id!(
    /// A commit into the chat: `commit_<32 hex>`.
    CommitId, "commit id", is_segment, "1 to 128 ASCII letters, digits, `_` or `-`", SEGMENT_PATTERN);
text_id!(
    /// A saved state of a run's workspace: `cp_000001`.
    CheckpointId, "checkpoint id", is_segment, "1 to 128 ASCII letters, digits, `_` or `-`", SEGMENT_PATTERN);
text_id!(
    /// A promoted state of the persistent roots; the id of the run that made it.
    StateId, "state id", is_segment, "1 to 128 ASCII letters, digits, `_` or `-`", SEGMENT_PATTERN);
text_id!(
    /// The provider's id of a tool call: opaque, any characters, kept unchanged.
    CallId, "call id", |t| !t.trim().is_empty(), "it must not be blank", r"\S");
text_id!(
    /// The application's lasting id of a chat, whatever its file is called.
    StableChatId, "stable chat id",
    |t| !t.trim().is_empty() && t.trim() == t && t.len() <= MAX_STABLE_CHAT_ID_BYTES,
    "1 to 512 bytes, without space at the ends", r"^\S([\s\S]{0,510}\S)?$");
text_id!(
    /// The id of a profile, also the stem of its file.
    ProfileId, "profile id",
    |t| (1..=MAX_SEGMENT_BYTES).contains(&t.len())
        && t.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'-'),
    "1 to 128 of `a-z`, `0-9`, `_`, `-`", "^[a-z0-9_-]{1,128}$");
text_id!(
    /// The name under which one invocation's model knows a tool; at most 64 of `A-Za-z0-9_-`.
    ModelAlias, "model alias",
    |t| (1..=64).contains(&t.len()) && t.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-'),
    "1 to 64 ASCII letters, digits, `_` or `-`", "^[A-Za-z0-9_-]{1,64}$");
text_id!(
    /// A tool's name inside its component: dotted lower-case words, `dice.roll`.
    ToolName, "tool name", is_tool_name,
    "dotted words of `a-z`, `0-9`, `_`, each starting with a letter, at most 64 bytes",
    r"^(?=.{1,64}$)[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$");

impl InvocationId {
    /// The invocation that a run starts with.
    #[must_use]
    pub fn root() -> Self {
        Self("inv_root".to_owned())
    }
}

impl ModelAlias {
    /// The alias of a built-in or runtime tool: its dots become underscores.
    #[must_use]
    pub fn of_builtin(name: &ToolName) -> Self {
        Self(name.as_str().replace('.', "_"))
    }
}

fn is_tool_name(text: &str) -> bool {
    let word = |w: &str| {
        w.bytes().next().is_some_and(|b| b.is_ascii_lowercase())
            && w.bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
    };
    text.len() <= MAX_TOOL_NAME_BYTES && text.split('.').all(word)
}

/// Who provides a tool.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Provider {
    /// Innkeeper itself.
    Builtin,
    /// An MCP server, by the lower-case hyphenated UUID of its registration.
    Mcp(String),
    /// An installed extension, by its id.
    Extension(String),
}

/// What [`ToolId::parse`] says, for JSON Schemas; that names of MCP servers have at most 256 bytes included.
const TOOL_ID_PATTERN: &str = concat!(
    r"^((builtin|extension/[a-z0-9][a-z0-9_-]{0,63}):(?=.{1,64}$)[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*",
    r"|mcp/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}:([ -$&-~]|%[0-9A-F]{2}){1,256})$",
);

/// The canonical identity of a tool, `provider:name`; stable and ASCII.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(extend("pattern" = TOOL_ID_PATTERN))]
pub struct ToolId {
    text: String,
    provider: Provider,
}

/// Why a text is no tool id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolIdError {
    /// Empty, without a colon, or with a name that this provider cannot have.
    #[error("{0:?} is no tool id; a tool id looks like `builtin:dice.roll`")]
    Invalid(String),
    /// Nothing before the first colon, or a provider without its own id.
    #[error("{0:?} names no provider; write `builtin:`, `mcp/<uuid>:` or `extension/<id>:` before the name")]
    ProviderEmpty(String),
    /// A provider that does not exist, or whose id is malformed.
    #[error("{0:?} names a provider that is not known; use `builtin`, `mcp/<uuid>` or `extension/<id>`")]
    ProviderInvalid(String),
    /// Nothing after the first colon.
    #[error("{0:?} has no tool name after the colon")]
    NameEmpty(String),
}

impl ToolIdError {
    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Invalid(_) => "tool.id_invalid",
            Self::ProviderEmpty(_) => "tool.provider_id_empty",
            Self::ProviderInvalid(_) => "tool.provider_id_invalid",
            Self::NameEmpty(_) => "tool.native_name_empty",
        }
    }
}

impl ToolId {
    /// The id of a built-in tool.
    #[must_use]
    pub fn builtin(name: &ToolName) -> Self {
        Self {
            text: format!("builtin:{name}"),
            provider: Provider::Builtin,
        }
    }

    /// Parses `provider:name`, split at the first colon.
    ///
    /// # Errors
    /// [`ToolIdError`], with the codes `tool.id_invalid`, `tool.provider_id_empty`, `tool.provider_id_invalid` and
    /// `tool.native_name_empty`.
    pub fn parse(text: &str) -> Result<Self, ToolIdError> {
        let shown: String = text.chars().take(200).collect();
        let Some((provider, name)) = text.split_once(':') else {
            return Err(ToolIdError::Invalid(shown));
        };
        if provider.is_empty() {
            return Err(ToolIdError::ProviderEmpty(shown));
        }
        if name.is_empty() {
            return Err(ToolIdError::NameEmpty(shown));
        }
        let provider = parse_provider(provider, &shown)?;
        let name_ok = match provider {
            Provider::Mcp(_) => is_mcp_name(name),
            Provider::Builtin | Provider::Extension(_) => is_tool_name(name),
        };
        if !name_ok {
            return Err(ToolIdError::Invalid(shown));
        }
        Ok(Self {
            text: text.to_owned(),
            provider,
        })
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Who provides the tool.
    #[must_use]
    pub fn provider(&self) -> &Provider {
        &self.provider
    }

    /// The part after the colon; of an MCP tool in its escaped form.
    #[must_use]
    pub fn name(&self) -> &str {
        self.text.split_once(':').map_or("", |(_, name)| name)
    }
}

fn parse_provider(provider: &str, shown: &str) -> Result<Provider, ToolIdError> {
    if provider == "builtin" {
        return Ok(Provider::Builtin);
    }
    let invalid = || ToolIdError::ProviderInvalid(shown.to_owned());
    let (kind, id) = provider.split_once('/').ok_or_else(invalid)?;
    match kind {
        "mcp" | "extension" if id.is_empty() => Err(ToolIdError::ProviderEmpty(shown.to_owned())),
        "mcp" if is_uuid(id) => Ok(Provider::Mcp(id.to_owned())),
        "extension" if is_extension_id(id) => Ok(Provider::Extension(id.to_owned())),
        _ => Err(invalid()),
    }
}

/// Whether the text can be an extension's id: `[a-z0-9][a-z0-9_-]{0,63}`.
#[must_use]
pub fn is_extension_id(text: &str) -> bool {
    let first = text
        .bytes()
        .next()
        .is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'-';
    first && text.len() <= MAX_EXTENSION_ID_BYTES && text.bytes().all(plain)
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(i, b)| match i {
            8 | 13 | 18 | 23 => b == b'-',
            _ => b.is_ascii_digit() || (b'a'..=b'f').contains(&b),
        })
}

/// ASCII without control bytes, where `%` only opens an escape; at most 256 bytes once unescaped.
fn is_mcp_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    let mut at = 0;
    let mut length = 0;
    while let Some(&byte) = bytes.get(at) {
        let hex = |i: usize| {
            bytes
                .get(i)
                .is_some_and(|b| b.is_ascii_digit() || (b'A'..=b'F').contains(b))
        };
        match byte {
            b'%' if hex(at + 1) && hex(at + 2) => at += 3,
            b'%' => return false,
            0x20..=0x7e => at += 1,
            _ => return false,
        }
        length += 1;
    }
    length <= MAX_MCP_NAME_BYTES
}

impl fmt::Display for ToolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl TryFrom<String> for ToolId {
    type Error = ToolIdError;
    fn try_from(text: String) -> Result<Self, ToolIdError> {
        Self::parse(&text)
    }
}

impl From<ToolId> for String {
    fn from(id: ToolId) -> String {
        id.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> &'static str {
        ToolId::parse(text).map_or_else(|e| e.code(), |_| "ok")
    }

    #[test]
    fn tool_ids_are_split_at_the_first_colon() {
        let uuid = "0f8fad5b-d9cb-469f-a165-70867728950e";
        assert_eq!(code("builtin:dice.roll"), "ok");
        assert_eq!(code(&format!("mcp/{uuid}:a:b")), "ok");
        assert_eq!(ToolId::parse(&format!("mcp/{uuid}:a:b")).unwrap().name(), "a:b");
        assert_eq!(code("extension/mood-board:mood.read"), "ok");
    }

    #[test]
    fn each_fault_of_a_tool_id_has_its_code() {
        let upper = "mcp/0F8FAD5B-D9CB-469F-A165-70867728950E:x";
        for (text, expected) in [
            ("", "tool.id_invalid"),
            ("chat.search", "tool.id_invalid"),
            (":x", "tool.provider_id_empty"),
            ("extension/:x", "tool.provider_id_empty"),
            ("builtin:", "tool.native_name_empty"),
            ("skill/a:b", "tool.provider_id_invalid"),
            ("other:x", "tool.provider_id_invalid"),
            (upper, "tool.provider_id_invalid"),
            ("builtin:Dice", "tool.id_invalid"),
            ("builtin:dice..roll", "tool.id_invalid"),
        ] {
            assert_eq!(code(text), expected, "{text}");
        }
    }

    #[test]
    fn mcp_names_escape_what_is_not_printable_ascii() {
        let id = |name: &str| format!("mcp/0f8fad5b-d9cb-469f-a165-70867728950e:{name}");
        assert_eq!(code(&id("get forecast")), "ok");
        assert_eq!(code(&id("%E6%9F%A5")), "ok");
        assert_eq!(code(&id("查询")), "tool.id_invalid");
        assert_eq!(code(&id("100%")), "tool.id_invalid");
        assert_eq!(code(&id(&"a".repeat(257))), "tool.id_invalid");
    }

    #[test]
    fn an_alias_has_underscores_for_dots() {
        let name = ToolName::parse("workspace.read_file").unwrap();
        assert_eq!(ModelAlias::of_builtin(&name).as_str(), "workspace_read_file");
    }

    #[test]
    fn segments_keep_to_file_name_characters() {
        assert!(RunId::parse("run_01").is_ok());
        assert!(RunId::parse("").is_err());
        assert!(RunId::parse("../x").is_err());
        assert!(RunId::parse(&"a".repeat(129)).is_err());
        assert!(CallId::parse("呼び出し/😀").is_ok());
        assert!(CallId::parse("  ").is_err());
    }
}
