//! What holds for every scan: SillyTavern's own settings where it has one, and limits against books that are made to do harm.
//!
//! A book or an entry can ask for less; nothing here can be raised by either.

/// Newest messages that keys are looked for in, unless a book or entry says otherwise; SillyTavern's own default.
pub(super) const DEFAULT_SCAN_DEPTH: u32 = 2;
/// Most messages that keys are looked for in, whatever a book says. A scan reads them again for each depth that a book uses.
pub(super) const MAX_SCAN_DEPTH: u32 = 1_000;
/// Most characters of chat that keys are looked for in; the newest count. Some hundred pages.
pub const MAX_SCAN_CHARS: usize = 200_000;
/// Most times that what was activated is looked through for further keys.
pub(super) const MAX_PASSES: u32 = 32;
/// Work of one scan in looked-at bytes, about a second's worth. Plain keys cost the text's length, expressions more.
pub(super) const MAX_WORK: u64 = 2_000_000_000;
/// Work of compiling one expression.
pub(super) const COMPILE_WORK: u64 = 500_000;
/// Work of a byte looked at by an expression, beside a plain search.
pub(super) const EXPRESSION_WORK: u64 = 10;
/// Work of an expression that gave up.
pub(super) const GIVEN_UP_WORK: u64 = 10_000_000;
/// Most entries of one book; the largest seen have a few thousand.
pub(super) const MAX_ENTRIES: usize = 20_000;
/// Most characters of entries that ask to be exempt from the budget, together.
pub(super) const MAX_ACTIVATED_CHARS: usize = 1_000_000;
/// Most issues that a scan tells; the rest are counted.
pub(super) const MAX_ISSUES: usize = 50;
