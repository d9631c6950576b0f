//! `skill.read`: a file of a skill or a part of it, with line numbers.
//!
//! The host selects the part and charges it to the read budget; this renders it and says how to go on.

use innkeeper_text::{Metrics, Selection, Span, measure};
use innkeeper_tool::range::{RangeArguments, RangePayload, Shown};
use innkeeper_tool::{Failure, Reply, Whole, json_string};
use serde::{Deserialize, Serialize};

use crate::library::{DEFAULT_PATH, Library, LibraryError, Location, Page, ref_prefix};
use crate::refusal::{Refusal, required};
use crate::words;

/// Arguments of `skill.read`.
#[derive(Clone, Debug, Deserialize)]
pub struct ReadArguments {
    /// The skill.
    pub name: String,
    /// The file; `SKILL.md` when absent.
    pub path: Option<String>,
    /// First line, 1-based.
    pub start_line: Option<Whole>,
    /// Lines wanted.
    pub line_count: Option<Whole>,
    /// First scalar, 0-based.
    pub start_char: Option<Whole>,
    /// Scalars wanted.
    pub max_chars: Option<Whole>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Structured<'a> {
    name: &'a str,
    path: &'a str,
    sha256: &'a str,
    #[serde(flatten)]
    range: RangePayload,
    resource_ref: &'a str,
}

/// Shows a file of a skill or a part of it.
///
/// # Errors
/// `tool.invalid_arguments` for a blank name, `skill.policy_denied`, `skill.not_visible`,
/// `skill.read_budget_exhausted` when nothing is left, `skill.not_found` without such a file, `skill.invalid_request` for a path, file or
/// range that cannot be used.
pub fn read(arguments: &ReadArguments, library: &mut impl Library) -> Result<Reply, Failure> {
    let skill = required("name", &arguments.name)?;
    let left = library.open(skill).map_err(|error| Refusal::open(skill, error))?;
    if left == 0 {
        return Err(Refusal::BudgetSpent.into());
    }
    let path = arguments.path.as_deref().map(str::trim);
    let path = path.filter(|path| !path.is_empty()).unwrap_or(DEFAULT_PATH);
    let at = Location { skill, path };
    let span = span(arguments, at, library)?;
    let page = library.show(at, span).map_err(|error| match error {
        LibraryError::Range {
            total_lines,
            total_chars,
        } => Refusal::range(at, span, (total_lines, total_chars)),
        error => Refusal::file(at, error),
    })?;
    reply(at, &page, matches!(span, Span::Chars { .. }))
}

/// The part that is asked for.
fn span(arguments: &ReadArguments, at: Location<'_>, library: &mut impl Library) -> Result<Span, Refusal> {
    let asked = RangeArguments {
        start_line: arguments.start_line,
        line_count: arguments.line_count,
        start_char: arguments.start_char,
        max_chars: arguments.max_chars,
    };
    // A bad path is said before a bad range, and only the host knows which paths are bad.
    asked.span().map_err(|_| match library.files(at) {
        Err(error @ LibraryError::Invalid(_)) => Refusal::file(at, error),
        _ => Refusal::mixed(at),
    })
}

fn reply(at: Location<'_>, page: &Page, by_chars: bool) -> Result<Reply, Failure> {
    let shown = shown(page, by_chars);
    let path = at.normal_path();
    let whole_ref = format!("{}{path}", ref_prefix(at.skill));
    let shown_ref = if by_chars {
        format!("{whole_ref}:{}", shown.ref_part())
    } else {
        whole_ref.clone()
    };
    let mut text = format!(
        "skill {} file {path} {} ref {shown_ref}{}",
        at.skill,
        shown.summary(),
        shown.preview()
    );
    let call = |range: &str| {
        let (name, path) = (json_string(at.skill), json_string(&path));
        format!("skill_read with {{\"name\": {name}, \"path\": {path}, {range}}}")
    };
    let continuation = match page.budget_left {
        0 => shown.next_range().map(|range| words::out_of_reach(&range)),
        _ => shown.continuation(call),
    };
    let body = Some(shown.body()).filter(|body| !body.is_empty());
    let notes = [body, continuation, Some(words::budget(page.budget_left))];
    for more in notes.into_iter().flatten() {
        text.push('\n');
        text.push_str(&more);
    }
    Reply::text(text).refs([shown_ref]).structured(&Structured {
        name: at.skill,
        path: &path,
        sha256: &page.sha256,
        range: shown.payload(),
        resource_ref: &whole_ref,
    })
}

fn shown(page: &Page, by_chars: bool) -> Shown<'_> {
    let selection = Selection {
        text: &page.text,
        metrics: measure(&page.text),
        total: Metrics {
            chars: page.total_chars,
            words: page.total_words,
        },
        total_lines: page.total_lines,
        start_line: page.start_line,
        end_line: page.end_line,
        next_start_line: page.next_start_line,
        start_char: page.start_char,
        end_char: page.end_char,
        line_truncated: page.line_truncated,
        truncated: page.truncated,
    };
    Shown { selection, by_chars }
}

#[cfg(test)]
mod tests;
