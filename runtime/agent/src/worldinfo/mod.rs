//! World info (lorebooks): books as SillyTavern and character cards keep them, and which of their entries a chat activates.
//!
//! Pure: no file is read, and what chance decides is derived from a seed, so that the same run activates the same entries. Sticky and
//! cooling entries, activation by embedding and books in other programs' formats are not known here.

mod book;
mod decorators;
mod entry;
mod expression;
mod keys;
mod scan;
mod settings;

pub use book::{Book, BookError, BookIssue, BookKind};
pub use scan::{Activated, ScanInput, ScanIssue, ScanResult, activate};
pub use settings::MAX_SCAN_CHARS;
