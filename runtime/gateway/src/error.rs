//! Why a model could not be set up: its name, its address, its key or its script.
//!
//! What goes wrong later, in a request, is [`ModelError`](innkeeper_protocol::model::ModelError).

use std::io;
use std::path::PathBuf;

use crate::scripted::ScriptError;

/// What is wrong with a base URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BaseUrlFault {
    /// It cannot be parsed as a URL.
    #[error("it is no URL")]
    NotUrl,
    /// Another scheme than `http` or `https`.
    #[error("it must start with http:// or https://")]
    Scheme,
    /// A user name or password before the host; it would end up in logs and error messages.
    #[error("it must not hold a user name or password")]
    Credentials,
    /// A fragment, which never reaches a server.
    #[error("it must not hold a fragment (`#...`)")]
    Fragment,
}

/// What is wrong with a header of one's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HeaderFault {
    /// No header can be called so.
    #[error("its name holds characters that no name of a header can have")]
    Name,
    /// The value is blank, or no header can carry it.
    #[error("its value is blank or holds characters that no header can carry")]
    Value,
    /// The name came before.
    #[error("its name came before")]
    Repeated,
    /// The request or its connection sets it.
    #[error("a request sets it by itself")]
    Taken,
}

/// An error of setting up a model.
#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    /// The model's name does not follow `provider:model`.
    #[error("{spec:?} names no model: there is no provider before a colon")]
    NoProvider {
        /// What came.
        spec: String,
    },
    /// Nothing after the colon.
    #[error("{spec:?} names no model: nothing stands after the colon")]
    NoModel {
        /// What came.
        spec: String,
    },
    /// A provider that nobody knows.
    #[error("the provider {provider:?} is not known")]
    UnknownProvider {
        /// What stood before the colon.
        provider: String,
    },
    /// The base URL cannot be used.
    #[error("the base URL cannot be used: {fault}")]
    BaseUrl {
        /// What is wrong with it. The URL itself is not repeated: it may hold a secret.
        fault: BaseUrlFault,
    },
    /// A base URL for a model that is not reached over a network.
    #[error("a scripted model has no base URL")]
    BaseUrlUnused,
    /// The key holds characters that no HTTP header can carry.
    #[error("the API key in {variable} holds characters that an API key cannot have")]
    Key {
        /// Where the key came from. The key itself is not repeated.
        variable: &'static str,
    },
    /// A header of one's own cannot be sent.
    #[error("the header number {position} cannot be sent: {fault}")]
    Header {
        /// Counts from 1. Neither name nor value is repeated: they may have been mixed up.
        position: usize,
        /// What is wrong with it.
        fault: HeaderFault,
    },
    /// The script file cannot be read.
    #[error("the script {path} cannot be read: {source}", path = path.display())]
    ScriptFile {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The script file is no regular file, or too large.
    #[error("the script {path} is not a regular file of at most {limit} bytes", path = path.display())]
    ScriptSize {
        /// The file.
        path: PathBuf,
        /// Most bytes accepted.
        limit: u64,
    },
    /// The script is wrong.
    #[error("the script {script} cannot be used: {source}")]
    Script {
        /// The script's name.
        script: String,
        /// Where and why.
        source: ScriptError,
    },
    /// The secure connection could not be prepared.
    #[error("secure connections could not be prepared: {source}")]
    Tls {
        /// Why.
        source: rustls::Error,
    },
    /// The HTTP client could not be made.
    #[error("the HTTP client could not be made: {source}")]
    Client {
        /// Why.
        source: reqwest::Error,
    },
}

impl GatewayError {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::UnknownProvider { .. } => "agent.model_request_invalid_source",
            Self::NoProvider { .. }
            | Self::NoModel { .. }
            | Self::BaseUrl { .. }
            | Self::BaseUrlUnused
            | Self::Key { .. }
            | Self::Header { .. }
            | Self::ScriptFile { .. }
            | Self::ScriptSize { .. }
            | Self::Script { .. } => "agent.validation_error",
            Self::Tls { .. } | Self::Client { .. } => "agent.internal_error",
        }
    }

    /// What to do about it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::NoProvider { .. } | Self::NoModel { .. } | Self::UnknownProvider { .. } => {
                "Write `openai:MODEL` for an OpenAI-compatible server (with `--base-url URL` for one of your own), \
                 `openai-responses:MODEL`, `claude:MODEL` or `gemini:MODEL` for those formats, or `scripted:FILE`."
            }
            Self::BaseUrl { .. } => {
                "Give the address up to and including the version, like `http://127.0.0.1:8080/v1`."
            }
            Self::BaseUrlUnused => "Leave out `--base-url`, or name a model behind an API, such as `openai:MODEL`.",
            Self::Header { .. } => "Give each header once, as a name and a value in plain ASCII.",
            Self::Key { .. } => "Copy the key again, as one line of letters, digits and punctuation.",
            Self::ScriptFile { .. } | Self::ScriptSize { .. } => "Check the path after `scripted:`.",
            Self::Script { .. } => "Correct the script at the named place.",
            Self::Tls { .. } => "Install the system's certificate authorities (often the package `ca-certificates`).",
            Self::Client { .. } => "Check the proxy settings of this machine.",
        }
    }
}
