//! What a command answers when it cannot do what was asked: one shape for every face.
//!
//! Errors of the crates below are converted here, once. What kind one is of is decided by its variant, never by its code or its words.

mod host;

use std::io;

use innkeeper_agent::card::CardError;
use innkeeper_agent::profile::ProfileError;
use innkeeper_agent::snapshot::SnapshotError as StartError;
use innkeeper_agent::worldinfo::BookError;
use innkeeper_protocol::run::{ErrorKind, RunError};
use innkeeper_sandbox::{Fault, LoadError, SandboxError};
use innkeeper_store::ReadError;
use innkeeper_store::book::BookFileError;
use innkeeper_store::card::CardFileError;
use innkeeper_store::chat::ChatError;
use innkeeper_store::chats_registry::RegistryError;
use innkeeper_store::extensions::{ExtensionsError, PackageError};
use innkeeper_store::inbox::InboxError;
use innkeeper_store::journal::JournalError;
use innkeeper_store::profiles::ProfilesError;
use innkeeper_store::runs::RunsError;
use innkeeper_store::skills::SkillsError;
use innkeeper_store::tree::TreeError;
use innkeeper_tools::{ManifestError, SnapshotError, ToolsError};
use serde_json::{Map, Value, json};

pub(crate) use host::About;
pub use host::HostError;

impl From<RunError> for HostError {
    fn from(error: RunError) -> Self {
        Self {
            hint: error.hint,
            ..Self::of_kind(error.code, error.kind, error.message)
        }
    }
}

/// What failed, and why, as far down as errors tell; a cause that only repeats what was said is left out.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let words = error.to_string();
        if !message.contains(&words) {
            message = format!("{message}: {words}");
        }
        cause = error.source();
    }
    message
}

/// An error of a crate below: what it means, and what to do about it.
trait Below {
    fn kind(&self) -> ErrorKind;

    fn advice(&self) -> Option<&'static str> {
        None
    }

    /// Members for programs; an object or null.
    fn details(&self) -> Value {
        Value::Null
    }
}

fn boxed(details: Value) -> Option<Box<Map<String, Value>>> {
    match details {
        Value::Object(members) => Some(Box::new(members)),
        _ => None,
    }
}

/// Each of these knows its code.
macro_rules! coded {
    ($($error:ty),* $(,)?) => {
        $(impl From<$error> for HostError {
            fn from(error: $error) -> Self {
                Self {
                    hint: error.advice().map(str::to_owned),
                    details: boxed(error.details()),
                    ..Self::of_kind(error.code(), error.kind(), chain(&error))
                }
            }
        })*
    };
}

coded!(
    SandboxError,
    LoadError,
    ToolsError,
    SnapshotError,
    ProfileError,
    TreeError,
    ChatError,
    RegistryError,
    JournalError,
    RunsError,
    ProfilesError,
    InboxError,
    StartError,
    CardError,
    BookError,
    CardFileError,
    BookFileError,
    ExtensionsError,
    PackageError,
);

impl From<SkillsError> for HostError {
    fn from(error: SkillsError) -> Self {
        // Which folder was named is not told apart below from one of ours.
        let kind = match &error {
            SkillsError::Folder { source, .. } => Some(source.kind()),
            _ => None,
        };
        let error = RunError::from(error);
        Self::from(RunError {
            kind: kind.unwrap_or(error.kind),
            ..error
        })
    }
}

/// What is missing or locked up can be set right by who named it; a disk that fails cannot.
fn io_kind(error: &io::Error) -> ErrorKind {
    match error.kind() {
        io::ErrorKind::NotFound => ErrorKind::NotFound,
        io::ErrorKind::PermissionDenied => ErrorKind::PermissionDenied,
        _ => ErrorKind::Internal,
    }
}

impl Below for SandboxError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Internal
    }
}

impl Below for LoadError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::TooLarge { .. } | Self::Invalid { .. } | Self::Excess(_) | Self::CompileLimit { .. } => {
                ErrorKind::Validation
            }
            Self::ImportRefused { .. } | Self::NoCompiler => ErrorKind::PermissionDenied,
            Self::CompilerFailed { .. } => ErrorKind::Internal,
        }
    }

    fn advice(&self) -> Option<&'static str> {
        Some(match self {
            Self::TooLarge { .. } => "Build it for size and without debug information.",
            Self::Invalid { .. } => {
                "Build it again, as a WebAssembly component that exports innkeeper:tool/tool; the interfaces are in wit/."
            }
            Self::Excess(_) | Self::CompileLimit { .. } => "Build it smaller, or with smaller functions and types.",
            Self::NoCompiler => "The application can name one with `Builder::compiler`.",
            Self::CompilerFailed { .. } => "See whether the program can be started, and whether the disk has room.",
            Self::ImportRefused { interface, .. } if interface.starts_with("wasi:") => {
                "Build the component without that import. Of WASI this host has the packages cli, clocks, filesystem, io, random \
                 and sockets in version 0.2, with nothing in them."
            }
            Self::ImportRefused { .. } => {
                "Grant it where it can be granted (on the command line `--allow` for a call, `--grant` at the installation), else \
                 build the component without that import."
            }
        })
    }
}

impl Below for ToolsError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Load { source, .. } => source.kind(),
            Self::Misfit { is_import: true, .. } => ErrorKind::PermissionDenied,
            Self::Specs {
                source: Fault::Host(error),
                ..
            } => error.kind,
            Self::Misfit { is_import: false, .. }
            | Self::Specs { .. }
            | Self::BadSpec { .. }
            | Self::UnknownPlaceholder { .. }
            | Self::Duplicate { .. } => ErrorKind::Validation,
        }
    }

    fn advice(&self) -> Option<&'static str> {
        match self {
            Self::Load { source, .. } => source.advice(),
            Self::Misfit { .. } => Some("Build it for that version; the interfaces are in wit/."),
            Self::Specs { .. } => Some("Let it list its tools at once, without reaching for anything it imports."),
            Self::BadSpec { .. } => Some("Correct the specification that the component gives for this tool."),
            Self::UnknownPlaceholder { .. } => Some(
                "There are {visible-roots}, {writable-roots}, {message-path} and {read-budget}; write other words without braces.",
            ),
            Self::Duplicate { .. } => Some("Give each tool a name of its own."),
        }
    }
}

impl Below for SnapshotError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Validation
    }
}

impl Below for ProfileError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Validation
    }
}

impl Below for TreeError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::FileNotFound { .. } | Self::PathNotFound { .. } => ErrorKind::NotFound,
            Self::Io { source, .. } => io_kind(source),
            Self::RootReplaced | Self::RollbackIncomplete { .. } => ErrorKind::Internal,
            _ => ErrorKind::Validation,
        }
    }
}

/// What was handed over for a prompt can be set right by who did it.
macro_rules! refused {
    ($($error:ty),* $(,)?) => {
        $(impl Below for $error {
            fn kind(&self) -> ErrorKind {
                ErrorKind::Validation
            }

            fn advice(&self) -> Option<&'static str> {
                Some(self.hint())
            }
        })*
    };
}

refused!(StartError, CardError, BookError);

fn read_kind(error: &ReadError) -> ErrorKind {
    match error {
        ReadError::Missing { .. } => ErrorKind::NotFound,
        ReadError::Unreadable { source, .. } => io_kind(source),
        _ => ErrorKind::Validation,
    }
}

impl Below for CardFileError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::File(error) => read_kind(error),
            _ => ErrorKind::Validation,
        }
    }

    fn advice(&self) -> Option<&'static str> {
        Some(self.hint())
    }
}

impl Below for BookFileError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::File(error) => read_kind(error),
            _ => ErrorKind::Validation,
        }
    }

    fn advice(&self) -> Option<&'static str> {
        Some(self.hint())
    }
}

impl Below for ChatError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Missing { .. } => ErrorKind::NotFound,
            Self::Unreadable { source, .. } => io_kind(source),
            Self::Locked { .. } => ErrorKind::Transient,
            Self::WriteFailed { .. } => ErrorKind::Internal,
            _ => ErrorKind::Validation,
        }
    }

    fn advice(&self) -> Option<&'static str> {
        Some(self.hint())
    }
}

impl Below for RegistryError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Damaged { .. } | Self::Unreadable { .. } | Self::WriteFailed { .. } => ErrorKind::Internal,
            Self::Locked { .. } => ErrorKind::Transient,
            _ => ErrorKind::Validation,
        }
    }

    fn advice(&self) -> Option<&'static str> {
        Some(self.hint())
    }
}

impl Below for InboxError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Missing { .. } => ErrorKind::NotFound,
            Self::TooLarge { .. } => ErrorKind::Validation,
            Self::Unreadable { source, .. } | Self::WriteFailed { source, .. } => io_kind(source),
            _ => ErrorKind::Internal,
        }
    }
}

impl Below for ProfilesError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Locked { .. } => ErrorKind::Transient,
            _ if self.is_machine_fault() => ErrorKind::Internal,
            _ => ErrorKind::Validation,
        }
    }

    fn advice(&self) -> Option<&'static str> {
        Some(self.hint())
    }
}

impl Below for ExtensionsError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Locked { .. } | Self::ChangedMeanwhile { .. } => ErrorKind::Transient,
            Self::Unreadable { source, .. } | Self::WriteFailed { source, .. } => io_kind(source),
            _ => ErrorKind::Validation,
        }
    }

    fn advice(&self) -> Option<&'static str> {
        Some(self.hint())
    }
}

impl Below for PackageError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Missing { .. } => ErrorKind::NotFound,
            Self::Unreadable { source, .. } => io_kind(source),
            _ => ErrorKind::Validation,
        }
    }

    fn advice(&self) -> Option<&'static str> {
        Some(self.hint())
    }
}

impl From<ManifestError> for HostError {
    fn from(error: ManifestError) -> Self {
        Self::new(error.code(), error.to_string()).with_hint(error.hint())
    }
}

impl Below for JournalError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::RunLocked { .. } => ErrorKind::Transient,
            Self::NotFound { .. } => ErrorKind::NotFound,
            Self::InvocationIdInvalid { .. } => ErrorKind::Validation,
            Self::LockUnsupported { .. }
            | Self::Damaged { .. }
            | Self::Unchained { .. }
            | Self::NotRegular { .. }
            | Self::WriteFailed { .. }
            | Self::ReadOnly { .. }
            | Self::EventRefused { .. }
            | Self::ScopeInvalid { .. }
            | Self::Io { .. } => ErrorKind::Internal,
        }
    }

    fn details(&self) -> Value {
        match self {
            Self::Damaged { line, offset, .. } => json!({"line": line, "offset": offset}),
            _ => Value::Null,
        }
    }
}

impl Below for RunsError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::RunNotFound { .. } => ErrorKind::NotFound,
            Self::LimitInvalid { .. } | Self::CursorInvalid => ErrorKind::Validation,
            Self::Journal(error) => error.kind(),
            Self::NoRecord { .. } | Self::NotAFolder { .. } | Self::Write(_) | Self::Io { .. } => ErrorKind::Internal,
        }
    }

    fn details(&self) -> Value {
        match self {
            Self::LimitInvalid { limit, max } => json!({"limit": limit, "max": max}),
            Self::Journal(error) => error.details(),
            _ => Value::Null,
        }
    }
}

/// A fault of the store that ends a run, with its causes.
pub(crate) fn fault(code: &'static str, error: &dyn std::error::Error) -> RunError {
    RunError::internal(code, chain(error))
}

/// Our own types can always be written as JSON; if not, it is a defect of ours.
pub(crate) fn unwritable(error: serde_json::Error) -> RunError {
    fault("store.serialise_failed", &error)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use innkeeper_protocol::id::RunId;
    use innkeeper_store::journal::Damage;

    use super::*;

    fn locked() -> RegistryError {
        RegistryError::Locked { path: "c.json".into() }
    }

    #[test]
    fn what_was_asked_and_what_the_machine_cannot_do_are_told_apart() {
        let missing = |kind| SkillsError::Folder {
            path: "s".into(),
            source: TreeError::Io {
                operation: "open",
                path: "s".to_owned(),
                source: io::Error::from(kind),
            },
        };
        let is_fault = |error: HostError| error.is_machine_fault();
        assert!(is_fault(SandboxError::Engine("no room".to_owned()).into()));
        assert!(is_fault(locked().into()));
        assert!(is_fault(missing(io::ErrorKind::StorageFull).into()));
        assert!(is_fault(RunError::internal("store.io_failed", "x").into()));
        assert!(!is_fault(missing(io::ErrorKind::NotFound).into()));
        assert!(!is_fault(LoadError::TooLarge { bytes: 1 }.into()));
        assert!(!is_fault(ChatError::Missing { path: "c".into() }.into()));
    }

    #[test]
    fn the_kind_is_seen_in_the_json_only_where_trying_again_may_help() {
        let told = |error: HostError| serde_json::to_value(error).unwrap();
        let retry = json!({
            "code": "store.chat_registry_locked", "message": locked().to_string(), "hint": locked().hint(), "retryable": true,
        });
        assert_eq!(told(locked().into()), retry);
        let fault = json!({"code": "agent.internal_error", "message": "x"});
        assert_eq!(told(HostError::internal("agent.internal_error", "x")), fault);
    }

    #[test]
    fn an_error_names_the_run_and_the_place() {
        let (run, other) = (RunId::parse("run_1").unwrap(), RunId::parse("run_2").unwrap());
        let damaged = JournalError::Damaged {
            path: "events.jsonl".into(),
            line: 3,
            offset: 40,
            damage: Damage::NotAnEvent,
        };
        let message = damaged.to_string();
        let answer: Result<(), HostError> = Err(HostError::from(RunsError::Journal(damaged)));
        let told = serde_json::to_value(answer.about(&run).unwrap_err()).unwrap();
        let details = json!({"line": 3, "offset": 40});
        let expected =
            json!({"code": "store.journal_damaged", "message": message, "runId": "run_1", "details": details});
        assert_eq!(told, expected);
        let ended = HostError::new("model.refused", "x").told_in(&run, NonZeroU64::new(7));
        let told = serde_json::to_value(Err::<(), _>(ended).about(&other).unwrap_err()).unwrap();
        assert_eq!(
            told,
            json!({"code": "model.refused", "message": "x", "runId": "run_1", "eventSeq": 7})
        );
    }

    #[test]
    fn a_refused_import_comes_with_advice_and_its_component() {
        let source = LoadError::ImportRefused {
            interface: "wasi:http/types@0.2.0".to_owned(),
            why: "this host does not have",
        };
        let error = HostError::from(ToolsError::Load {
            component: "x".to_owned(),
            source,
        });
        let message = "x: the component imports `wasi:http/types@0.2.0`, which this host does not have";
        assert_eq!(
            (error.message.as_str(), error.kind),
            (message, ErrorKind::PermissionDenied)
        );
        assert!(error.hint.is_some_and(|hint| hint.contains("without that import")));
    }
}
