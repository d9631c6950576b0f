//! Judges how one call ended: well, with a failure that a model can act on, or in a way that its author should know of.
//!
//! It makes no calls.

use innkeeper_protocol::limits::LimitKind;
use serde_json::Value;

use super::report::{Check, Finding, Weight};
use crate::bench::BenchResult;

/// The code of a call that trapped.
const TRAP: &str = "tool.trap";
/// The code of a call that reached for what it does not use.
const CAPABILITY_DENIED: &str = "tool.capability_denied";
/// The code that the SDKs give to what nobody foresaw: an exception, a result without a JSON form.
const INTERNAL: &str = "internal";
/// The code of a result that is not what the tool promises.
const OUTPUT_INVALID: &str = "tool.output_invalid";
/// Longest message of a failure, in characters, that reaches the model whole.
const MAX_MESSAGE_CHARS: usize = 2_000;

/// Characters of a tool's own words that a finding repeats.
const MAX_QUOTED_CHARS: usize = 300;

/// A finding and the check that it belongs to, where that is not the one which made the call.
pub(super) struct Verdict {
    pub(super) of: Option<Check>,
    pub(super) finding: Finding,
}

/// The limit whose code this is.
pub(super) fn limit_of(code: &str) -> Option<LimitKind> {
    LimitKind::ALL.into_iter().find(|kind| kind.code() == code)
}

/// What is wrong with how a call ended, if anything is.
pub(super) fn judge(extension: &str, arguments: &Value, seed: u64, result: &BenchResult) -> Option<Verdict> {
    let (weight, what, advice) = match result.error_code.as_deref() {
        None if result.model_text.trim().is_empty() => (
            Weight::Advice,
            "it succeeds and tells the model nothing".to_owned(),
            "Say what was found or done, also when that is nothing.",
        ),
        None => return None,
        Some(code) => failed(extension, code, &result.model_text)?,
    };
    let code = result.error_code.clone();
    Some(Verdict {
        of: code
            .as_deref()
            .filter(|code| *code == CAPABILITY_DENIED)
            .map(|_| Check::Uses),
        finding: Finding {
            weight,
            code,
            what,
            advice: advice.to_owned(),
            arguments: Some(arguments.clone()),
            seed: Some(seed),
            times: 1,
        },
    })
}

fn failed(extension: &str, code: &str, text: &str) -> Option<(Weight, String, &'static str)> {
    let problem = |what: &str, advice| Some((Weight::Problem, what.to_owned(), advice));
    if let Some(kind) = limit_of(code) {
        return Some((
            Weight::Problem,
            format!("a call that its schema allows goes over a limit: {}", limit_words(kind)),
            "Tighten the schema (maxItems, maxLength, maximum), do less at once, or answer with a part and how to go on.",
        ));
    }
    match code {
        TRAP => problem(
            "a call that its schema allows ends in a trap: the component broke down",
            "Answer with a failure instead: a code, and words on what to do. Unhandled exceptions, panics and overflows end like this.",
        ),
        CAPABILITY_DENIED => problem(
            "it reaches for an interface that it does not list",
            "Add the interface to the tool's `uses`, or do not call it.",
        ),
        OUTPUT_INVALID => problem(
            "its structured result is not what its output schema promises, or is no JSON",
            "Make schema and result agree.",
        ),
        _ => own_failure(extension, code, text),
    }
}

/// A failure that the tool itself answered with.
fn own_failure(extension: &str, code: &str, text: &str) -> Option<(Weight, String, &'static str)> {
    let own = code.strip_prefix(&format!("extension.{extension}."))?;
    if !is_code(own) {
        return Some((
            Weight::Problem,
            format!("it fails with the code {own:?}, which no program can rely on"),
            "Write codes in lower case, as `nothing_found` or `notes.not_found`.",
        ));
    }
    let words = text.split_once(" says: ").map_or(text, |(_, words)| words);
    if own == INTERNAL {
        let words: String = words.trim().chars().take(MAX_QUOTED_CHARS).collect();
        return Some((
            Weight::Problem,
            format!("a call that its schema allows ends in an error that nobody foresaw: {words}"),
            "Handle it, with a code of its own and words on what to do.",
        ));
    }
    if words.trim().is_empty() {
        return Some((
            Weight::Problem,
            format!("it fails with {own} and says nothing"),
            "Say what happened, why, and which call would work.",
        ));
    }
    if words.chars().count() >= MAX_MESSAGE_CHARS {
        return Some((
            Weight::Advice,
            format!("its words for {own} are longer than the {MAX_MESSAGE_CHARS} characters that reach the model"),
            "Say it shorter; quote only the beginning of what was sent.",
        ));
    }
    None
}

/// `[a-z][a-z0-9_]*` parts with dots between them.
fn is_code(code: &str) -> bool {
    code.split('.').all(|part| {
        part.starts_with(|first: char| first.is_ascii_lowercase())
            && part
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    })
}

fn limit_words(kind: LimitKind) -> &'static str {
    match kind {
        LimitKind::Timeout => "it takes too long",
        LimitKind::Memory => "it takes too much memory",
        LimitKind::Resource => "it takes too many tables, instances or handles",
        LimitKind::Stack => "it nests its calls too deeply",
        LimitKind::HostCalls => "it calls the host too often",
        LimitKind::HostData => "it hands the host too much",
        LimitKind::Output => "its answer is too large",
        LimitKind::Write => "it writes too much",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(code: &str, text: &str) -> Option<(Weight, String)> {
        failed("demo", code, text).map(|(weight, what, _)| (weight, what))
    }

    #[test]
    fn a_failure_with_code_and_words_is_an_answer() {
        assert_eq!(
            told("extension.demo.notes.not_found", "The tool demo.x says: No such note."),
            None
        );
    }

    #[test]
    fn a_code_that_is_none_and_words_that_say_nothing_are_told() {
        let (weight, what) = told("extension.demo.NotFound", "The tool demo.x says: x").unwrap();
        assert_eq!((weight, what.contains("\"NotFound\"")), (Weight::Problem, true));
        let (_, what) = told("extension.demo.gone", "The tool demo.x says:  ").unwrap();
        assert_eq!(what, "it fails with gone and says nothing");
        let (_, what) = told("extension.demo.internal", "The tool demo.x says: TypeError: x").unwrap();
        assert!(what.ends_with("nobody foresaw: TypeError: x"), "{what}");
        let (weight, _) = told("extension.demo.gone", &"x".repeat(MAX_MESSAGE_CHARS)).unwrap();
        assert_eq!(weight, Weight::Advice);
    }

    #[test]
    fn every_limit_and_every_way_to_break_down_is_a_problem() {
        let breakdowns = [TRAP, CAPABILITY_DENIED, OUTPUT_INVALID];
        let codes = LimitKind::ALL.map(|kind| kind.code());
        for code in codes.iter().chain(&breakdowns) {
            assert_eq!(
                told(code, "").map(|(weight, _)| weight),
                Some(Weight::Problem),
                "{code}"
            );
        }
    }
}
