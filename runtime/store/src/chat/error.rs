//! What can go wrong with a chat file, with a stable code and a piece of advice for each case.
//!
//! It renders no advice into codes and reads no code out of a text.

use std::io;
use std::path::PathBuf;

use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::port::ChatRole;

/// Why a chat could not be read, or was not changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChatError {
    /// There is no file at that path.
    #[error("the chat file {} does not exist", path.display())]
    Missing {
        /// The chat.
        path: PathBuf,
    },
    /// The path is a symbolic link, and a link is never replaced by a file.
    #[error("the chat path {} is a symbolic link", path.display())]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// A directory, a pipe, a device or a socket.
    #[error("the chat path {} is not a regular file but {kind}", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
        /// What it is, with its article.
        kind: &'static str,
    },
    /// The operating system refused to open or read it.
    #[error("the chat file {} could not be read", path.display())]
    Unreadable {
        /// The chat.
        path: PathBuf,
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
    /// Zero bytes, or only white space: what is left of a chat that was lost, never a new chat.
    #[error("the chat file {} is empty ({bytes} bytes, no line with content)", path.display())]
    Empty {
        /// The chat.
        path: PathBuf,
        /// Its size.
        bytes: u64,
    },
    /// More bytes than we are ready to hold in memory.
    #[error("the chat file {} is larger than the limit of {limit} bytes", path.display())]
    TooLarge {
        /// The chat.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// Bytes that are no UTF-8.
    #[error("the chat file {} is not UTF-8: line {line}, byte {offset} of the file", path.display())]
    NotUtf8 {
        /// The chat.
        path: PathBuf,
        /// 1-based line.
        line: usize,
        /// 0-based byte offset in the file.
        offset: usize,
    },
    /// A line that is no JSON object.
    #[error("line {line} of the chat file {} is not a JSON object: {what} at byte {column} of the line{}", path.display(), if *last { " (the last line: it may have been cut off while it was written)" } else { "" })]
    InvalidLine {
        /// The chat.
        path: PathBuf,
        /// 1-based line.
        line: usize,
        /// 1-based byte in the line.
        column: usize,
        /// What the parser met or missed.
        what: &'static str,
        /// Whether nothing but white space follows.
        last: bool,
    },
    /// A swipe needs an assistant message at the end.
    #[error("a swipe needs an assistant message at the end of {}, which ends with {}", path.display(), describe(*found))]
    SwipeTargetInvalid {
        /// The chat.
        path: PathBuf,
        /// The last message's role; none in a chat without messages.
        found: Option<ChatRole>,
    },
    /// The chat holds fewer messages than the run has seen.
    #[error("the chat {} holds {total} messages, the run has seen {visible}", path.display())]
    HistoryConflict {
        /// The chat.
        path: PathBuf,
        /// Messages there.
        total: u32,
        /// Messages that the run may see.
        visible: u32,
    },
    /// A message's persistent-state status is neither `committed` nor `not_committed`.
    #[error("message {index} of {} has the unknown persistStateStatus {status:?}", path.display())]
    PersistStatusInvalid {
        /// The chat.
        path: PathBuf,
        /// 0-based message.
        index: u32,
        /// What it says.
        status: String,
    },
    /// A message says that a state was kept, but not which.
    #[error("message {index} of {} has no persistStateId", path.display())]
    PersistStateMissing {
        /// The chat.
        path: PathBuf,
        /// 0-based message.
        index: u32,
    },
    /// No assistant message, card or given name says who speaks.
    #[error("nothing says under which name to write into {}", path.display())]
    SpeakerUnknown {
        /// The chat.
        path: PathBuf,
    },
    /// The commit was not made and the file is as it was.
    #[error("the commit to {} was refused: {reason}", path.display())]
    Refused {
        /// The chat.
        path: PathBuf,
        /// Why.
        reason: Refusal,
    },
    /// Another process keeps the chat's lock.
    #[error("another process is writing to the chat {}", path.display())]
    Locked {
        /// The chat.
        path: PathBuf,
    },
    /// The new file could not be written or put in place; the old one is still there.
    #[error("the chat file {} could not be replaced ({step}); it is unchanged", path.display())]
    WriteFailed {
        /// The chat.
        path: PathBuf,
        /// What we were doing.
        step: &'static str,
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
}

/// Why the host of a plain chat file refuses a commit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// Bytes that were there when the run started are different now.
    #[error("another program changed the chat since the run last saw it (expected {expected} bytes as they were)")]
    PrefixChanged {
        /// Length of the known text.
        expected: u64,
    },
    /// The file is shorter than it was.
    #[error("the chat became shorter: {found} bytes instead of {expected}")]
    Shorter {
        /// Length of the known text.
        expected: u64,
        /// Length now.
        found: u64,
    },
    /// Someone added lines after ours.
    #[error("another program added {lines} line(s) after the run's last known end of the chat")]
    ForeignLines {
        /// How many lines with content.
        lines: usize,
    },
    /// Someone replaced the file between our reading and our renaming.
    #[error("another program saved the chat while the commit was being written")]
    ChangedMeanwhile,
    /// The text to commit is not the one that was announced.
    #[error("the text to commit changed after it was announced (sha256 {found} instead of {expected})")]
    ContentChanged {
        /// The announced digest.
        expected: Sha256,
        /// The digest of what came.
        found: Sha256,
    },
    /// A swipe whose last message is no assistant message (any more).
    #[error("the last message is {}, not an assistant message", describe(*found))]
    NotAnAssistant {
        /// The last message's role.
        found: Option<ChatRole>,
    },
    /// The run's message is there, but another alternative of it is shown now.
    #[error("message {index} shows another swipe than the one that this run wrote")]
    OtherSwipeActive {
        /// 0-based message.
        index: u32,
    },
    /// The run has no message in this chat.
    #[error("the chat holds no message of this run")]
    MessageGone,
    /// A continued message is shorter than the text that the run continued.
    #[error("message {index} no longer holds the text that this run continued")]
    BaseTextGone {
        /// 0-based message.
        index: u32,
    },
}

impl ChatError {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "chat.not_found",
            Self::Link { .. } => "store.chat_is_link",
            Self::NotAFile { .. } => "store.chat_not_a_file",
            Self::Unreadable { .. } => "store.chat_unreadable",
            Self::Empty { .. } => "store.chat_empty",
            Self::TooLarge { .. } => "store.chat_too_large",
            Self::NotUtf8 { .. } => "store.chat_not_utf8",
            Self::InvalidLine { .. } => "agent.chat_message_invalid_json",
            Self::SwipeTargetInvalid { .. } => "agent.swipe_target_invalid",
            Self::HistoryConflict { .. } => "agent.input_history_conflict",
            Self::PersistStatusInvalid { .. } => "agent.persist_state_status_invalid",
            Self::PersistStateMissing { .. } => "agent.persist_state_missing",
            Self::SpeakerUnknown { .. } => "store.chat_speaker_unknown",
            Self::Refused { .. } => "agent.chat_commit_rejected",
            Self::Locked { .. } => "store.chat_locked",
            Self::WriteFailed { .. } => "store.chat_write_failed",
        }
    }

    /// What the person can do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "Check the path; a chat that was renamed or deleted is not created again.",
            Self::Link { .. } => "Give the path of the file that the link points to.",
            Self::NotAFile { .. } => "Give the path of one chat file (.jsonl), not of its folder.",
            Self::Unreadable { .. } => "Check the file's permissions and the disk.",
            Self::Empty { .. } => {
                "Restore the chat from SillyTavern's backups folder; an empty file is not a new chat."
            }
            Self::TooLarge { .. } => "Split the chat, for example with a branch in SillyTavern.",
            Self::NotUtf8 { .. } => "Convert the file to UTF-8, or restore it from a backup.",
            Self::InvalidLine { last: true, .. } => {
                "Copy the file, then complete or delete the cut-off last line; SillyTavern would drop it at its next save."
            }
            Self::InvalidLine { .. } => {
                "Copy the file, then repair or delete that line; SillyTavern would drop it at its next save."
            }
            Self::SwipeTargetInvalid { .. } => "Start a normal generation instead.",
            Self::HistoryConflict { .. } => "Start a new run on the chat as it is now.",
            Self::PersistStatusInvalid { .. } | Self::PersistStateMissing { .. } => {
                "Repair or remove that message's extra.tauritavern.agent."
            }
            Self::SpeakerUnknown { .. } => {
                "Name the character's card (on the command line `--card FILE`) or the speaker (`--as NAME`)."
            }
            Self::Refused { .. } => "Look at the chat as it is now; a new run starts from there.",
            Self::Locked { .. } => "Wait until the other process is done and try again.",
            Self::WriteFailed { .. } => "Check free space and permissions of the chat's folder, then commit again.",
        }
    }
}

fn describe(role: Option<ChatRole>) -> &'static str {
    match role {
        Some(ChatRole::User) => "a user message",
        Some(ChatRole::Assistant) => "an assistant message",
        Some(ChatRole::System) => "a system message",
        None => "no message at all",
    }
}
