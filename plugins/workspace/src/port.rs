//! What the tools need of their host, as small traits and plain types that mirror the WIT packages
//! `innkeeper:workspace` and `innkeeper:run`.
//!
//! No behaviour: the component's glue implements the traits with imports, the tests with a map in memory.

use innkeeper_text::{Caps, Span};

/// Why the host refused a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathError {
    /// No path that a workspace can have; the text says why.
    Invalid(String),
    /// Outside the visible roots, whether or not it exists.
    NotVisible,
    /// Inside a root that may not be written.
    NotWritable,
    /// Nothing there.
    NotFound,
    /// A directory where a file is needed.
    IsDirectory,
    /// A component on the way is a file.
    NotADirectory,
    /// Not UTF-8.
    NotText,
    /// Larger than the host reads at once; bytes found.
    TooLarge(u64),
    /// Differs only by case or Unicode form from this existing name.
    NameConflict(String),
    /// Belongs to the parent or to another child; the text says which.
    ChildDenied(String),
}

/// A whole file, for a tool's own use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextFile {
    /// The text, a byte-order mark included.
    pub text: String,
    /// Lower-case hex.
    pub sha256: String,
}

/// What an entry of a listing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
}

/// One entry of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// In its normal form, without a trailing slash.
    pub path: String,
    /// File or directory.
    pub kind: Kind,
}

/// What lies below a path: directories first, then files, each bytewise by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// At most as many as asked for.
    pub entries: Vec<Entry>,
    /// There are more entries.
    pub truncated: bool,
    /// Links, special files and names that are no workspace path, passed over.
    pub skipped: u32,
}

/// What the host showed of a file and recorded as shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The raw slice.
    pub text: String,
    /// Of the whole file, lower-case hex.
    pub sha256: String,
    /// Of the whole file.
    pub total_lines: u32,
    /// Of the whole file, in Unicode scalars.
    pub total_chars: u32,
    /// Of the whole file.
    pub total_words: u32,
    /// 1-based; 0 for an empty file.
    pub start_line: u32,
    /// Last line shown.
    pub end_line: u32,
    /// Where the next page of lines starts, if there is more.
    pub next_start_line: Option<u32>,
    /// First scalar shown, 0-based.
    pub start_char: u32,
    /// First scalar after the part shown.
    pub end_char: u32,
    /// The only line shown was cut.
    pub line_truncated: bool,
    /// The file has more before or after the part shown.
    pub truncated: bool,
    /// With this page every line of this version has been shown to this invocation.
    pub fully_read: bool,
}

/// Why nothing was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShowError {
    /// The path or the file behind it.
    Path(PathError),
    /// A start beyond the end, or a count of zero.
    Range {
        /// Lines of the file.
        total_lines: u32,
        /// Unicode scalars of the file.
        total_chars: u32,
    },
}

/// A top folder of the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// One segment.
    pub name: String,
    /// Files in it may be written.
    pub writable: bool,
}

/// Looking at the workspace.
pub trait Reader {
    /// The visible roots, in order.
    fn roots(&mut self) -> Vec<Root>;

    /// The path in its normal form, if it has one and is visible; empty where it names nothing, which is all roots. Looks at no disk.
    ///
    /// # Errors
    /// A [`PathError`] of syntax or visibility.
    fn resolve(&mut self, path: &str) -> Result<String, PathError>;

    /// Lists below a path (empty: all roots). Depth 0 is the immediate children.
    ///
    /// # Errors
    /// A [`PathError`].
    fn list_files(&mut self, path: &str, depth: u32, limit: u32) -> Result<Listing, PathError>;

    /// Reads a file without showing it to the model.
    ///
    /// # Errors
    /// A [`PathError`].
    fn read(&mut self, path: &str) -> Result<TextFile, PathError>;

    /// Reads a part that goes to the model, and records it as shown once the call succeeds.
    ///
    /// # Errors
    /// A [`ShowError`]; the path is checked before the range.
    fn show(&mut self, path: &str, span: Span, caps: Caps) -> Result<Page, ShowError>;
}

/// What new content is based on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// All of it is new.
    Rewrite,
    /// Computed from the present content.
    Patch {
        /// Places that were replaced, for the journal.
        replacements: u32,
    },
}

/// A write that the host will apply when the call succeeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Staged {
    /// In its normal form.
    pub path: String,
    /// Of the resulting content, lower-case hex.
    pub sha256: String,
    /// Unicode scalars of the resulting content.
    pub chars: u32,
    /// Words of the resulting content.
    pub words: u32,
    /// There was no such file before.
    pub created: bool,
}

/// Why a write was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteError {
    /// The path or the file behind it.
    Path(PathError),
    /// Exists and was never read by this invocation.
    RequiresRead,
    /// Was read in part; first and last number of each run of lines not shown yet.
    RequiresFullRead(Vec<(u32, u32)>),
    /// Changed since this invocation read it.
    Stale,
    /// Over the write budget; the text names the limit.
    OverBudget(String),
}

/// Changing the workspace.
pub trait Writer {
    /// The present text to compute a patch from. Checks path, writable, read-state, storage, version, in this order.
    ///
    /// # Errors
    /// A [`WriteError`].
    fn open(&mut self, path: &str) -> Result<TextFile, WriteError>;

    /// Creates or replaces a file.
    ///
    /// # Errors
    /// A [`WriteError`].
    fn write(&mut self, path: &str, content: &str, basis: Basis) -> Result<Staged, WriteError>;

    /// Adds to the end exactly as given; creates the file where it is missing.
    ///
    /// # Errors
    /// A [`WriteError`].
    fn append(&mut self, path: &str, content: &str) -> Result<Staged, WriteError>;
}

/// How a file becomes the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitMode {
    /// The message becomes the file's text.
    Replace,
    /// The file's text is added to the run's message.
    Append,
}

/// What the host will commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// In its normal form.
    pub path: String,
    /// Unicode scalars of the file.
    pub chars: u32,
    /// Words of the file.
    pub words: u32,
}

/// Why a request about the run was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ControlError {
    /// The path or the file behind it.
    Path(PathError),
    /// The message file is blank.
    RequiredArtifactEmpty,
    /// A foreground run has no explicit commit yet.
    CommitRequired,
    /// This invocation must return its task instead.
    ChildInvocation,
    /// One request a call.
    AlreadyRequested,
}

/// Control of the run.
pub trait Control {
    /// Where the message is drafted.
    fn message_path(&mut self) -> String;

    /// Asks for a commit, which the host carries out after the call.
    ///
    /// # Errors
    /// A [`ControlError`].
    fn commit(&mut self, path: &str, mode: CommitMode, reason: Option<&str>) -> Result<Planned, ControlError>;

    /// Asks to end the run.
    ///
    /// # Errors
    /// A [`ControlError`].
    fn finish(&mut self, reason: Option<&str>) -> Result<(), ControlError>;
}
