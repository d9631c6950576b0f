//! Conversions between the generated types of the imports and those of the core.
//!
//! One to one, without a decision.

use innkeeper_text::Span;

use crate::guest::bindings::innkeeper::skills::library as wit;
use crate::guest::bindings::innkeeper::workspace::types;
use crate::library::{LibraryError, Page, Skill, TextFile};

impl From<wit::Skill> for Skill {
    fn from(skill: wit::Skill) -> Self {
        Self {
            name: skill.name,
            description: skill.description,
        }
    }
}

impl From<types::TextFile> for TextFile {
    fn from(file: types::TextFile) -> Self {
        Self {
            text: file.text,
            sha256: file.sha256,
        }
    }
}

/// The span as the host takes it.
pub(crate) fn span(span: Span) -> types::Span {
    match span {
        Span::All => types::Span::All,
        Span::Lines { start, count } => types::Span::Lines(types::LineSpan { start, count }),
        Span::Chars { start, max } => types::Span::Chars(types::CharSpan { start, max }),
    }
}

impl From<wit::Page> for Page {
    fn from(page: wit::Page) -> Self {
        Self {
            text: page.text,
            sha256: page.sha256,
            total_lines: page.total_lines,
            total_chars: page.total_chars,
            total_words: page.total_words,
            start_line: page.start_line,
            end_line: page.end_line,
            next_start_line: page.next_start_line,
            start_char: page.start_char,
            end_char: page.end_char,
            line_truncated: page.line_truncated,
            truncated: page.truncated,
            budget_left: page.budget_left,
        }
    }
}

impl From<wit::SkillError> for LibraryError {
    fn from(error: wit::SkillError) -> Self {
        match error {
            wit::SkillError::Denied => Self::Denied,
            wit::SkillError::NotVisible => Self::NotVisible,
            wit::SkillError::NotFound => Self::NotFound,
            wit::SkillError::Invalid(reason) => Self::Invalid(reason),
            wit::SkillError::Range((total_lines, total_chars)) => Self::Range {
                total_lines,
                total_chars,
            },
            wit::SkillError::BudgetExhausted(left) => Self::BudgetExhausted(left),
        }
    }
}
