//! The place in a file that comes nearest to a text which does not occur there.
//!
//! It only helps to correct a patch: nothing is ever replaced at such a place. White space, quotes, dashes and case
//! count as the same while looking; the first difference that is reported is the exact one.

use crate::characters::{is_ignorable, push_loose};

/// Characters of either end of the text that are looked for; more would only cost time.
const MAX_PROBE: usize = 2_000;
/// A beginning this long is taken even if more of the end were found elsewhere.
const SURE_PROBE: usize = 8;
/// Anything shorter is a coincidence.
const MIN_PROBE: usize = 2;
/// Characters of the differing line that are shown, and how many of them before the difference.
const EXCERPT: usize = 160;
const EXCERPT_LEAD: usize = 80;

/// Where a text nearly occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Nearest {
    /// The line in which the candidate begins, 1-based.
    pub(crate) line: u32,
    /// Where the first differing character is: line and column, both 1-based.
    pub(crate) differs_line: u32,
    pub(crate) differs_column: u32,
    /// What the file has there; nothing at its end.
    pub(crate) file: Option<char>,
    /// What the text has there.
    pub(crate) wanted: char,
    /// The line of the difference with its number, cut when long.
    pub(crate) excerpt: String,
}

/// Finds the place nearest to `old`. `probe` is what to look for: `old`, or `old` without line numbers.
pub(crate) fn find(body: &str, old: &str, probe: &str) -> Option<Nearest> {
    let start = candidate(body, probe)?;
    let rest = body.get(start..)?;
    let mut file = rest.chars();
    let mut agreed = 0_usize;
    for wanted in old.chars() {
        let found = file.next();
        if found != Some(wanted) {
            return Some(describe(body, start, start.saturating_add(agreed), found, wanted));
        }
        agreed = agreed.saturating_add(wanted.len_utf8());
    }
    None
}

fn describe(body: &str, start: usize, differs: usize, file: Option<char>, wanted: char) -> Nearest {
    let differs_line = line_at(body, differs);
    let line_start = line_start(body, differs);
    let column = body.get(line_start..differs).unwrap_or_default().chars().count();
    let line = body
        .get(line_start..)
        .unwrap_or_default()
        .split('\n')
        .next()
        .unwrap_or_default();
    Nearest {
        line: line_at(body, start),
        differs_line,
        differs_column: saturate(column).saturating_add(1),
        file,
        wanted,
        excerpt: innkeeper_text::number_lines(&excerpt(line, column), differs_line),
    }
}

fn excerpt(line: &str, column: usize) -> String {
    let from = column.saturating_sub(EXCERPT_LEAD);
    let shown: String = line
        .chars()
        .skip(from)
        .take(EXCERPT)
        .filter(|scalar| *scalar != '\r')
        .collect();
    let before = if from > 0 { "..." } else { "" };
    let after = if line.chars().nth(from.saturating_add(EXCERPT)).is_some() {
        "..."
    } else {
        ""
    };
    format!("{before}{shown}{after}")
}

/// The byte where the best candidate begins.
fn candidate(body: &str, probe: &str) -> Option<usize> {
    let loose_body = loose(body);
    let loose_probe = loose(probe);
    let head = cut_front(&loose_probe, MAX_PROBE);
    let tail = cut_back(&loose_probe, MAX_PROBE);
    let from_head = longest(&loose_body, head, cut_front);
    let from_tail = longest(&loose_body, tail, cut_back);
    let enough = MIN_PROBE.min(head.chars().count()).max(1);
    if from_head.max(from_tail) < enough {
        return None;
    }
    if from_head >= SURE_PROBE || from_head >= from_tail {
        let at = loose_body.find(cut_front(head, from_head))?;
        return Some(with_lead(body, original_byte(body, at), probe));
    }
    let end = cut_back(tail, from_tail);
    let at = loose_body.find(end)?;
    let last = at.saturating_add(end.len()).saturating_sub(1);
    let start = aligned(body, original_byte(body, last), probe);
    Some(at_first_word(body, start, probe).unwrap_or(start))
}

/// Where the line of a candidate begins with the text's first word, whatever comes between it and the end that was
/// found: two texts of different length are best compared from there.
fn at_first_word(body: &str, start: usize, probe: &str) -> Option<usize> {
    let line_start = line_start(body, start);
    let line = body.get(line_start..)?.split('\n').next()?;
    let first = |text: &str| text.split_whitespace().next().map(loose);
    let word = first(probe)?;
    if word.is_empty() || first(line)? != word {
        return None;
    }
    let indent = line.len().saturating_sub(line.trim_start().len());
    Some(with_lead(body, line_start.saturating_add(indent), probe))
}

fn loose(text: &str) -> String {
    let mut loose = String::with_capacity(text.len());
    text.chars().for_each(|scalar| push_loose(scalar, &mut loose));
    loose
}

/// The first characters of a text.
fn cut_front(text: &str, count: usize) -> &str {
    let end = text.char_indices().nth(count).map_or(text.len(), |(byte, _)| byte);
    text.get(..end).unwrap_or_default()
}

/// The last characters of a text.
fn cut_back(text: &str, count: usize) -> &str {
    let Some(before) = count.checked_sub(1) else {
        return "";
    };
    let start = text.char_indices().rev().nth(before).map_or(0, |(byte, _)| byte);
    text.get(start..).unwrap_or_default()
}

/// How many characters of a text, cut by `cut`, occur in the body. Whatever contains the longer part
/// contains the shorter, so halving finds the longest.
fn longest(body: &str, text: &str, cut: fn(&str, usize) -> &str) -> usize {
    let mut found = 0_usize;
    let mut missing = text.chars().count().saturating_add(1);
    while missing.saturating_sub(found) > 1 {
        let middle = found.midpoint(missing);
        if body.contains(cut(text, middle)) {
            found = middle;
        } else {
            missing = middle;
        }
    }
    found
}

/// The byte of the character that gave the given byte of the loose text.
fn original_byte(body: &str, loose_byte: usize) -> usize {
    let mut buffer = String::new();
    let mut end = 0_usize;
    for (byte, scalar) in body.char_indices() {
        buffer.clear();
        push_loose(scalar, &mut buffer);
        end = end.saturating_add(buffer.len());
        if end > loose_byte {
            return byte;
        }
    }
    body.len()
}

/// Steps back over as many spaces as the text begins with, within the line.
fn with_lead(body: &str, start: usize, probe: &str) -> usize {
    let lead = probe.chars().take_while(|scalar| is_ignorable(*scalar)).count();
    let before = body.get(..start).unwrap_or_default().chars().rev();
    let spaces = before
        .take(lead)
        .take_while(|scalar| is_ignorable(*scalar) && *scalar != '\n');
    start.saturating_sub(spaces.map(char::len_utf8).sum())
}

/// Where a text that ends at the given character begins: as many characters before, but not above its lines.
fn aligned(body: &str, last: usize, probe: &str) -> usize {
    let probe = probe.trim_end();
    let through = body
        .get(last..)
        .and_then(|rest| rest.chars().next())
        .map_or(0, char::len_utf8);
    let upto = body.get(..last.saturating_add(through)).unwrap_or_default();
    let top = upto
        .rmatch_indices('\n')
        .nth(probe.matches('\n').count())
        .map_or(0, |(byte, _)| byte.saturating_add(1));
    let length = cut_back(upto, probe.chars().count()).len();
    upto.len().saturating_sub(length).max(top)
}

/// The text without `12 | ` before its lines, if every line that is not blank begins so.
pub(crate) fn without_numbers(text: &str) -> Option<String> {
    let mut bare = Vec::new();
    let mut numbered = false;
    for line in text.split('\n') {
        let stripped = strip_number(line);
        numbered |= stripped.is_some();
        if stripped.is_none() && !line.trim().is_empty() {
            return None;
        }
        bare.push(stripped.unwrap_or(line));
    }
    numbered.then(|| bare.join("\n"))
}

fn strip_number(line: &str) -> Option<&str> {
    let digits = line.trim_start_matches(' ');
    let rest = digits.trim_start_matches(|scalar: char| scalar.is_ascii_digit());
    if rest.len() == digits.len() {
        return None;
    }
    // An empty line is shown as `12 | `, and its last space is easily lost.
    rest.strip_prefix(" | ")
        .or_else(|| rest.trim_end().eq(" |").then_some(""))
}

fn line_at(body: &str, byte: usize) -> u32 {
    let before = body.get(..byte).unwrap_or_default();
    saturate(before.matches('\n').count()).saturating_add(1)
}

fn line_start(body: &str, byte: usize) -> usize {
    body.get(..byte)
        .and_then(|before| before.rfind('\n'))
        .map_or(0, |feed| feed.saturating_add(1))
}

fn saturate(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
