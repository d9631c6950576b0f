//! What the tools need of their host: the skills of the run, as a trait and plain types that mirror the WIT package
//! `innkeeper:skills`.
//!
//! No behaviour beyond naming places: the component's glue implements the trait with imports, the tests in memory.

use innkeeper_text::Span;

/// The skills that this invocation may see.
pub trait Library {
    /// The skills, in the host's order.
    fn list(&mut self) -> Vec<Skill>;

    /// Whether the skill may be looked into: policy first, then the effective set. Gives the characters left of the
    /// read budget; none is no error here.
    ///
    /// # Errors
    /// A [`LibraryError`].
    fn open(&mut self, skill: &str) -> Result<u32, LibraryError>;

    /// Text files at or below a path (empty: the whole skill).
    ///
    /// # Errors
    /// A [`LibraryError`].
    fn files(&mut self, at: Location<'_>) -> Result<Files, LibraryError>;

    /// Reads a file without showing it to the model.
    ///
    /// # Errors
    /// A [`LibraryError`].
    fn read(&mut self, at: Location<'_>) -> Result<TextFile, LibraryError>;

    /// Reads a part that goes to the model, and charges it once the call succeeds.
    ///
    /// # Errors
    /// A [`LibraryError`]; the path is checked before the file, the file before the range.
    fn show(&mut self, at: Location<'_>, span: Span) -> Result<Page, LibraryError>;

    /// Charges characters that were shown otherwise, once the call succeeds; gives what is left.
    ///
    /// # Errors
    /// [`LibraryError::BudgetExhausted`] when more is asked for than is left; then nothing is charged.
    fn charge(&mut self, chars: u32) -> Result<u32, LibraryError>;
}

/// A skill that can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skill {
    /// Lower-case letters, digits, `_` and `-`.
    pub name: String,
    /// What it is for, as its author says.
    pub description: String,
}

/// A place in a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location<'a> {
    /// The skill's name.
    pub skill: &'a str,
    /// As the model gave it; empty for the whole skill.
    pub path: &'a str,
}

/// What lies at or below a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    /// Text files, in their normal form.
    pub paths: Vec<String>,
    /// Not UTF-8, too large, links and special files, passed over.
    pub skipped: u32,
}

/// A whole file, for a tool's own use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextFile {
    /// The text.
    pub text: String,
    /// Lower-case hex.
    pub sha256: String,
}

/// What the host showed of a file.
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
    /// Characters left of the read budget, this page taken off.
    pub budget_left: u32,
}

/// Why the host refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LibraryError {
    /// Hidden by policy, whether or not it exists.
    Denied,
    /// Not among the skills of this invocation.
    NotVisible,
    /// No such file, or the skill is gone.
    NotFound,
    /// A name, path or file that cannot be used; the text says why.
    Invalid(String),
    /// A start beyond the end, or a count of zero.
    Range {
        /// Lines of the file.
        total_lines: u32,
        /// Unicode scalars of the file.
        total_chars: u32,
    },
    /// Characters left of the read budget, too few or none.
    BudgetExhausted(u32),
}

impl Location<'_> {
    /// The path as the host took it: without `.`, empty parts and a final slash.
    pub(crate) fn normal_path(&self) -> String {
        let parts = self.path.split('/').filter(|part| !part.is_empty() && *part != ".");
        parts.collect::<Vec<_>>().join("/")
    }
}

/// The file that every skill has; its instructions name the others (Agent Skills).
pub(crate) const DEFAULT_PATH: &str = "SKILL.md";

/// How refs of a skill's files begin.
pub(crate) fn ref_prefix(skill: &str) -> String {
    format!("skills/{skill}/")
}

#[cfg(test)]
mod tests {
    use super::Location;

    #[test]
    fn a_path_is_named_in_its_normal_form() {
        for (path, normal) in [
            (".//references//a.md/", "references/a.md"),
            ("a b/./.c", "a b/.c"),
            ("SKILL.md", "SKILL.md"),
            ("", ""),
        ] {
            assert_eq!(Location { skill: "lore", path }.normal_path(), normal);
        }
    }
}
