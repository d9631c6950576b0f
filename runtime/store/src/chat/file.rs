//! A chat file in memory: its exact text, and where its header and messages are.
//!
//! Only places are kept per line; a message is decoded when someone asks for it, so 50,000 lines cost their own bytes and a few
//! words each. It does not open, write or lock anything, and it never guesses at a line that it cannot read.

use std::ops::Range;
use std::path::{Path, PathBuf};

use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::event::InputBoundary;
use innkeeper_protocol::port::{ChatMessage, ChatRole};

use super::error::ChatError;
use super::json::{Scanner, decode_string};
use super::role::role_of;
use super::splice::RawObject;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// How the file ends its lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineEnding {
    Lf,
    CrLf,
}

impl LineEnding {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
        }
    }
}

/// A parsed chat file that still holds every byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatFile {
    path: PathBuf,
    text: String,
    header: Option<Range<usize>>,
    messages: Vec<Range<usize>>,
}

impl ChatFile {
    /// Parses the bytes of a chat. `path` is used in errors only.
    ///
    /// # Errors
    /// [`ChatError::Empty`], [`ChatError::NotUtf8`], and [`ChatError::InvalidLine`] for the first line that is no JSON object.
    pub fn parse(path: &Path, bytes: Vec<u8>) -> Result<Self, ChatError> {
        let text = String::from_utf8(bytes).map_err(|error| not_utf8(path, &error))?;
        let mut file = Self {
            path: path.to_owned(),
            text,
            header: None,
            messages: Vec::new(),
        };
        let mut start = if file.text.starts_with(BYTE_ORDER_MARK) {
            BYTE_ORDER_MARK.len_utf8()
        } else {
            0
        };
        let mut number = 0;
        while start < file.text.len() {
            number += 1;
            let rest = file.text.get(start..).unwrap_or("");
            let length = rest.find('\n').unwrap_or(rest.len());
            let line = rest.get(..length).unwrap_or("");
            if !is_blank(line) {
                let last = is_blank(rest.get(length..).unwrap_or(""));
                check_line(path, line, number, last)?;
                // The carriage return of a CRLF belongs to the line break.
                let content = line.strip_suffix('\r').unwrap_or(line);
                file.place(start..start + content.len());
            }
            start += length + 1;
        }
        if file.header.is_none() && file.messages.is_empty() {
            return Err(ChatError::Empty {
                path: path.to_owned(),
                bytes: file.len(),
            });
        }
        Ok(file)
    }

    /// A chat that has begun and holds nothing yet: for applications that know their chats. A file without a byte is none.
    #[must_use]
    pub fn new_chat(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            text: String::new(),
            header: None,
            messages: Vec::new(),
        }
    }

    /// Files a line that was checked as header or message.
    fn place(&mut self, line: Range<usize>) {
        if self.header.is_none() && self.messages.is_empty() {
            // Headers of old versions have no `chat_metadata`, and some files have no header.
            let first = self.object(&line);
            if !["mes", "is_user", "is_system"].iter().any(|key| first.has(key)) {
                self.header = Some(line);
                return;
            }
        }
        self.messages.push(line);
    }

    /// Where the chat was read from.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The whole text, byte for byte as read.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Size in bytes.
    #[expect(clippy::len_without_is_empty, reason = "a parsed chat is never empty")]
    #[must_use]
    pub fn len(&self) -> u64 {
        self.text.len() as u64
    }

    /// Number of messages; the header is none.
    #[must_use]
    pub fn total(&self) -> u32 {
        // A message takes three bytes or more and the reader's size limit is far below 4 GiB, so this never saturates in practice.
        u32::try_from(self.messages.len()).unwrap_or(u32::MAX)
    }

    /// One message, or nothing beyond the end.
    #[must_use]
    pub fn message(&self, index: u32) -> Option<ChatMessage> {
        let message = self.raw_message(index)?;
        Some(ChatMessage {
            index,
            role: role_of(&message),
            name: message.text("name").unwrap_or_default().into_owned(),
            text: shown_text(&message),
            send_date: stored_date(&message),
        })
    }

    /// The role of one message.
    #[must_use]
    pub fn role(&self, index: u32) -> Option<ChatRole> {
        self.raw_message(index).map(|message| role_of(&message))
    }

    /// The role of the last message.
    pub(super) fn last_role(&self) -> Option<ChatRole> {
        self.role(self.total().checked_sub(1)?)
    }

    /// Length and digest of the whole file.
    #[must_use]
    pub fn fingerprint(&self) -> InputBoundary {
        InputBoundary {
            bytes: self.len(),
            sha256: Sha256::of(self.text.as_bytes()),
        }
    }

    /// The lines' places, for edits.
    pub(super) fn message_line(&self, index: u32) -> Option<Range<usize>> {
        self.messages.get(usize::try_from(index).ok()?).cloned()
    }

    pub(super) fn header_line(&self) -> Option<Range<usize>> {
        self.header.clone()
    }

    pub(super) fn line_text(&self, line: &Range<usize>) -> &str {
        self.text.get(line.clone()).unwrap_or("")
    }

    pub(super) fn raw_message(&self, index: u32) -> Option<RawObject<'_>> {
        Some(self.object(&self.message_line(index)?))
    }

    fn object(&self, line: &Range<usize>) -> RawObject<'_> {
        RawObject::of(Some(self.line_text(line)))
    }

    /// Message indexes from the newest to the oldest.
    pub(super) fn newest_first(&self) -> impl Iterator<Item = u32> + use<> {
        (0..self.total()).rev()
    }

    /// The ending that most lines have; LF when the file has no line break.
    pub(super) fn line_ending(&self) -> LineEnding {
        let all = self.text.bytes().filter(|byte| *byte == b'\n').count();
        let carriage = self.text.matches("\r\n").count();
        if carriage * 2 > all {
            LineEnding::CrLf
        } else {
            LineEnding::Lf
        }
    }
}

/// The text of `mes`. Imports from other sites hold `{"message": …}` there; what is neither is shown as its JSON.
pub(super) fn shown_text(message: &RawObject<'_>) -> String {
    let Some(raw) = message.get("mes").filter(|raw| *raw != "null") else {
        return String::new();
    };
    if let Some(text) = decode_string(raw) {
        return text.into_owned();
    }
    RawObject::of(Some(raw))
        .text("message")
        .map_or_else(|| raw.to_owned(), |text| text.into_owned())
}

fn stored_date(message: &RawObject<'_>) -> Option<String> {
    let raw = message.get("send_date").filter(|raw| *raw != "null")?;
    Some(decode_string(raw).map_or_else(|| raw.to_owned(), |text| text.into_owned()))
}

fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
}

/// Lines with content in a piece of text.
pub(super) fn content_lines(text: &str) -> usize {
    text.split('\n').filter(|line| !is_blank(line)).count()
}

fn check_line(path: &Path, line: &str, number: usize, last: bool) -> Result<(), ChatError> {
    let mut scan = Scanner::new(line);
    scan.white_space();
    let checked = if scan.peek() == Some(b'{') {
        scan.value().map(|_| ())
    } else {
        scan.fault("expected `{`")
    };
    let checked = checked.and_then(|()| {
        scan.white_space();
        if scan.peek().is_some() {
            scan.fault("more text after the object")
        } else {
            Ok(())
        }
    });
    checked.map_err(|fault| ChatError::InvalidLine {
        path: path.to_owned(),
        line: number,
        column: fault.offset + 1,
        what: fault.what,
        last,
    })
}

fn not_utf8(path: &Path, error: &std::string::FromUtf8Error) -> ChatError {
    let offset = error.utf8_error().valid_up_to();
    let before = error.as_bytes().get(..offset).unwrap_or(&[]);
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    ChatError::NotUtf8 {
        path: path.to_owned(),
        line,
        offset,
    }
}
