//! Everything that a skill tool can answer instead of doing its work, with the code of each.
//!
//! The sentences are in `words.rs`; nothing here or there decides which refusal applies.

use innkeeper_text::{RangeError, Span};
use innkeeper_tool::{Failure, INVALID_ARGUMENTS, failure, quoted, range};

use crate::library::{DEFAULT_PATH, LibraryError, Location};
use crate::words;

/// Why the host cannot use a name or path, in its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reason(pub(crate) String);

/// Why a call did nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("{}", words::blank(.argument))]
    Blank { argument: &'static str },
    #[error("{}", words::denied(.skill))]
    Denied { skill: String },
    #[error("{}", words::not_visible(.skill))]
    NotVisible { skill: String },
    #[error("{}", words::bad_name(.skill, .reason))]
    BadName { skill: String, reason: Reason },
    #[error("{}", words::skill_gone(.skill))]
    SkillGone { skill: String },
    #[error("{}", words::bad_path(.path, .reason))]
    BadPath { path: String, reason: Reason },
    #[error("{}", words::instructions_missing(.skill))]
    InstructionsMissing { skill: String },
    #[error("{}", words::file_missing(.file))]
    FileMissing { file: String },
    #[error("{}", words::search_limit(*.limit))]
    SearchLimit { limit: u64 },
    #[error("{}", words::search_context(*.lines))]
    SearchContext { lines: u64 },
    #[error("{}", words::BUDGET_SPENT)]
    BudgetSpent,
    #[error("{}", words::over_budget(*.needed, *.left))]
    OverBudget { needed: u32, left: u32 },
    #[error("{}", words::budget_short(*.left))]
    BudgetShort { left: u32 },
    #[error("{}", range::mixed(.file))]
    MixedRange { file: String },
    #[error("{}", range::out_of_range(.file, *.span, *.error))]
    Range {
        file: String,
        span: Span,
        error: RangeError,
    },
}

impl Refusal {
    /// The stable code.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Blank { .. } => INVALID_ARGUMENTS,
            Self::Denied { .. } => "skill.policy_denied",
            Self::NotVisible { .. } => "skill.not_visible",
            Self::SkillGone { .. } | Self::InstructionsMissing { .. } | Self::FileMissing { .. } => "skill.not_found",
            Self::SearchLimit { limit: 0 } => "skill.search_limit_invalid",
            Self::SearchLimit { .. } => "skill.search_limit_too_large",
            Self::SearchContext { .. } => "skill.search_context_too_large",
            Self::BudgetSpent | Self::OverBudget { .. } | Self::BudgetShort { .. } => "skill.read_budget_exhausted",
            Self::BadName { .. } | Self::BadPath { .. } | Self::MixedRange { .. } | Self::Range { .. } => {
                "skill.invalid_request"
            }
        }
    }

    /// Why a skill could not be opened.
    pub(crate) fn open(skill: &str, error: LibraryError) -> Self {
        let name = skill.to_owned();
        match error {
            LibraryError::Invalid(reason) => Self::BadName {
                skill: name,
                reason: Reason(reason),
            },
            LibraryError::NotFound => Self::SkillGone { skill: name },
            error => Self::file(Location { skill, path: "" }, error),
        }
    }

    /// Why a place in a skill could not be looked at.
    pub(crate) fn file(at: Location<'_>, error: LibraryError) -> Self {
        let (skill, path) = (at.skill.to_owned(), at.path.to_owned());
        match error {
            LibraryError::Denied => Self::Denied { skill },
            LibraryError::NotVisible => Self::NotVisible { skill },
            LibraryError::NotFound if path.is_empty() => Self::SkillGone { skill },
            LibraryError::NotFound if at.normal_path() == DEFAULT_PATH => Self::InstructionsMissing { skill },
            LibraryError::NotFound => Self::FileMissing { file: called(at) },
            LibraryError::Invalid(reason) => Self::BadPath {
                path,
                reason: Reason(reason),
            },
            LibraryError::Range {
                total_lines,
                total_chars,
            } => Self::range(at, Span::All, (total_lines, total_chars)),
            LibraryError::BudgetExhausted(0) => Self::BudgetSpent,
            LibraryError::BudgetExhausted(left) => Self::BudgetShort { left },
        }
    }

    /// A file without such a part; it has so many lines and characters.
    pub(crate) fn range(at: Location<'_>, span: Span, (total_lines, total_chars): (u32, u32)) -> Self {
        Self::Range {
            file: called(at),
            span,
            error: RangeError {
                total_lines,
                total_chars,
            },
        }
    }

    /// A read by lines and by characters at once.
    pub(crate) fn mixed(at: Location<'_>) -> Self {
        Self::MixedRange { file: called(at) }
    }
}

/// How a sentence calls a file.
fn called(at: Location<'_>) -> String {
    format!("File {} of skill {}", quoted(at.path), quoted(at.skill))
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        failure(refusal.code(), refusal.to_string())
    }
}

/// The argument without spaces around it, unless it is blank.
///
/// # Errors
/// [`Refusal::Blank`], naming the argument.
pub(crate) fn required<'a>(argument: &'static str, value: &'a str) -> Result<&'a str, Refusal> {
    match value.trim() {
        "" => Err(Refusal::Blank { argument }),
        text => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use super::Refusal;
    use crate::library::{LibraryError, Location};

    #[test]
    fn what_the_host_says_has_one_code_wherever_it_says_it() {
        let at = Location {
            skill: "lore",
            path: "a.md",
        };
        let range = LibraryError::Range {
            total_lines: 1,
            total_chars: 1,
        };
        for (error, code) in [
            (LibraryError::Denied, "skill.policy_denied"),
            (LibraryError::NotVisible, "skill.not_visible"),
            (LibraryError::NotFound, "skill.not_found"),
            (LibraryError::Invalid("a link".into()), "skill.invalid_request"),
            (range, "skill.invalid_request"),
            (LibraryError::BudgetExhausted(0), "skill.read_budget_exhausted"),
            (LibraryError::BudgetExhausted(7), "skill.read_budget_exhausted"),
        ] {
            let refusals = [Refusal::open("lore", error.clone()), Refusal::file(at, error.clone())];
            assert_eq!(refusals.map(|refusal| refusal.code()), [code; 2], "{error:?}");
        }
    }
}
