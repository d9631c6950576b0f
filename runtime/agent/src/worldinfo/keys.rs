//! Keys of an entry, ready to be looked for, and the texts that they are looked for in.
//!
//! Plain keys are compared as SillyTavern does it: without regard to case unless the entry says otherwise, a single word only where it
//! stands as a whole word, several words anywhere. Scripts without spaces have no word borders to look for.

use fancy_regex::Regex;
use innkeeper_text::{fold, measure};

use super::expression::{self, ExpressionError};
use super::settings::{COMPILE_WORK, EXPRESSION_WORK, GIVEN_UP_WORK};

/// A text in both spellings.
#[derive(Debug, Default)]
pub(super) struct Haystack {
    text: String,
    folded: String,
}

impl Haystack {
    pub(super) fn new(text: String) -> Self {
        Self {
            folded: fold(&text),
            text,
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        u64::try_from(self.text.len()).unwrap_or(u64::MAX)
    }
}

/// How a plain key is compared.
#[derive(Debug, Clone, Copy)]
pub(super) struct Comparison {
    pub(super) case_sensitive: bool,
    pub(super) whole_words: bool,
}

/// One key.
#[derive(Debug)]
pub(super) enum Key {
    Plain {
        needle: String,
        how: Comparison,
    },
    Expression {
        source: String,
        compiled: Option<Box<Regex>>,
    },
    /// An expression that cannot be used, or gave up; it was told, and counts as never found.
    Lost,
}

impl Key {
    /// None for a key that is blank: it would be everywhere.
    pub(super) fn new(text: &str, how: Comparison) -> Option<Self> {
        if expression::split(text).is_some() {
            return Some(Self::Expression {
                source: text.to_owned(),
                compiled: None,
            });
        }
        let needle = text.trim();
        let needle = if how.case_sensitive {
            needle.to_owned()
        } else {
            fold(needle)
        };
        (!needle.is_empty()).then_some(Self::Plain { needle, how })
    }

    /// Whether it is in the text; the search counts as work. An expression is lost once it fails.
    pub(super) fn is_in(&mut self, text: &Haystack, work: &mut u64) -> Result<bool, LostKey> {
        let lost = match self {
            Self::Lost => return Ok(false),
            Self::Plain { needle, how } => {
                *work = work.saturating_add(text.bytes());
                let text = if how.case_sensitive { &text.text } else { &text.folded };
                return Ok(contains(text, needle, how.whole_words));
            }
            Self::Expression { source, compiled } => match is_match(source, compiled, text, work) {
                Ok(found) => return Ok(found),
                Err(why) => LostKey {
                    source: std::mem::take(source),
                    why,
                },
            },
        };
        *self = Self::Lost;
        Err(lost)
    }
}

/// An expression that is of no use any more.
#[derive(Debug)]
pub(super) struct LostKey {
    pub(super) source: String,
    pub(super) why: ExpressionError,
}

fn is_match(
    source: &str,
    compiled: &mut Option<Box<Regex>>,
    text: &Haystack,
    work: &mut u64,
) -> Result<bool, ExpressionError> {
    let regex = match compiled {
        Some(regex) => regex,
        None => {
            *work = work.saturating_add(COMPILE_WORK);
            let (pattern, flags) = expression::split(source).unwrap_or_default();
            compiled.insert(Box::new(expression::compile(pattern, flags)?))
        }
    };
    *work = work.saturating_add(text.bytes().saturating_mul(EXPRESSION_WORK));
    let found = expression::is_match(regex, &text.text);
    if found.is_err() {
        *work = work.saturating_add(GIVEN_UP_WORK);
    }
    found
}

fn contains(text: &str, needle: &str, whole_words: bool) -> bool {
    if !whole_words || needle.contains(char::is_whitespace) {
        return text.contains(needle);
    }
    let is_border =
        |outside: Option<char>, inside: Option<char>| !(outside.is_some_and(runs_on) && inside.is_some_and(runs_on));
    text.match_indices(needle).any(|(start, found)| {
        let before = text.get(..start).unwrap_or_default().chars().next_back();
        let after = text.get(start + found.len()..).unwrap_or_default().chars().next();
        is_border(before, needle.chars().next()) && is_border(after, needle.chars().next_back())
    })
}

/// Whether a scalar makes one word with the letters beside it. Ideographs, kana and hangul are words by themselves.
fn runs_on(scalar: char) -> bool {
    scalar == '_' || (scalar.is_alphanumeric() && measure(&format!("{scalar}a")).words == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(key: &str, text: &str, case_sensitive: bool, whole_words: bool) -> bool {
        let how = Comparison {
            case_sensitive,
            whole_words,
        };
        let mut work = 0;
        let mut key = Key::new(key, how).unwrap();
        key.is_in(&Haystack::new(text.to_owned()), &mut work).unwrap()
    }

    #[test]
    fn whole_words_have_borders_and_case_counts_where_asked() {
        for (key, text, case_sensitive, whole_words, expected) in [
            ("Lamp", "a lamp.", false, true, true),
            ("lamp", "lamps", false, true, false),
            ("lamp", "lamps", false, false, true),
            ("lamp", "clamps, lamp", false, true, true),
            ("Lamp", "a lamp", true, true, false),
            ("old pier", "the old pierhead", false, true, true),
            ("灯", "夜の灯り", false, true, true),
            ("STRASSE", "Straße", false, true, true),
            ("müll", "müller", false, true, false),
            ("über", "darüber", false, true, false),
            ("...", "wait...", false, true, true),
            ("a_b", "a_bc", false, true, false),
        ] {
            assert_eq!(
                found(key, text, case_sensitive, whole_words),
                expected,
                "{key} in {text}"
            );
        }
    }

    #[test]
    fn a_blank_key_is_none() {
        let how = Comparison {
            case_sensitive: false,
            whole_words: false,
        };
        assert!(Key::new("  ", how).is_none());
    }
}
