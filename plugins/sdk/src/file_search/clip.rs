//! Long lines of a place, clipped around what matched.
//!
//! A file of a single endless line must not fill memory and reply. Shorter places are left as they are.

use innkeeper_text::fold;

/// Characters of one snippet, shared evenly by its lines where they have more together.
const MAX_SNIPPET: usize = 8_000;
/// Characters that a clipped line shows before its match.
const LEAD: usize = 40;
const ELLIPSIS: &str = "...";

/// The lines with each long one clipped, or nothing where they are short enough together. `words` are folded.
pub(super) fn clipped(lines: &str, words: &[String]) -> Option<String> {
    lines.char_indices().nth(MAX_SNIPPET)?;
    let share = MAX_SNIPPET
        .checked_div(lines.split('\n').count())
        .unwrap_or(MAX_SNIPPET);
    let clipped: Vec<String> = lines.split('\n').map(|line| clip(line, words, share)).collect();
    Some(clipped.join("\n"))
}

/// At most so many characters of a line, from a little before its first match.
fn clip(line: &str, words: &[String], share: usize) -> String {
    if line.char_indices().nth(share).is_none() {
        return line.to_owned();
    }
    let length = line.chars().count();
    let latest = length.saturating_sub(share);
    let start = match_position(line, words).saturating_sub(LEAD).min(latest);
    let shown: String = line.chars().skip(start).take(share).collect();
    let before = if start > 0 { ELLIPSIS } else { "" };
    let after = if start < latest { ELLIPSIS } else { "" };
    format!("{before}{shown}{after}")
}

/// Characters before the first word in a line; none where no word is.
fn match_position(line: &str, words: &[String]) -> usize {
    let folded = fold(line);
    let first = words.iter().filter_map(|word| folded.find(word.as_str())).min();
    let Some(byte) = first else { return 0 };
    let mut buffer = [0_u8; 4];
    let mut end = 0_usize;
    let before = line.chars().take_while(|scalar| {
        // Folding can change lengths, so bytes are counted in the folded text.
        let width = if scalar.is_ascii() {
            1
        } else {
            fold(scalar.encode_utf8(&mut buffer)).len()
        };
        end = end.saturating_add(width);
        end <= byte
    });
    before.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn short_lines_are_left_alone() {
        assert_eq!(clipped(&"x".repeat(MAX_SNIPPET), &words(&["x"])), None);
    }

    #[test]
    fn the_match_is_shown_wherever_it_is() {
        for (before, after) in [(0, 20_000), (10_000, 10_000), (20_000, 0), (30, 9_000)] {
            let line = format!("{}KEY{}", "İ".repeat(before), "ß".repeat(after));
            let shown = clipped(&line, &words(&["door", "key"])).expect("clipped");
            assert!(shown.contains("KEY"), "{before} {after}");
            let plain = shown.trim_start_matches("...").trim_end_matches("...");
            assert_eq!(plain.chars().count(), MAX_SNIPPET, "{before} {after}");
            assert_eq!(
                (shown.starts_with("..."), shown.ends_with("...")),
                (before > 40, after > 40)
            );
        }
    }

    #[test]
    fn lines_share_what_a_snippet_may_hold() {
        let lines = format!("{}\nthe key\n{}key", "a".repeat(9_000), "b".repeat(9_000));
        let shown = clipped(&lines, &words(&["key"])).expect("clipped");
        let lines: Vec<&str> = shown.split('\n').collect();
        let sizes: Vec<usize> = lines.iter().map(|line| line.chars().count()).collect();
        assert_eq!((sizes, lines.get(1).copied()), (vec![2_669, 7, 2_669], Some("the key")));
        assert!(shown.ends_with("bkey"), "{shown}");
    }
}
