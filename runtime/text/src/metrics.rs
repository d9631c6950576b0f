//! How much text there is: characters and words.
//!
//! Not linguistics: a word is a run of letters and digits, or one ideograph, kana or hangul scalar.

use std::ops::RangeInclusive;

/// Scripts whose scalars count as one word each: ideographs, kana and hangul blocks.
const WORD_SCALARS: [RangeInclusive<char>; 15] = [
    '\u{1100}'..='\u{11FF}',
    '\u{3040}'..='\u{309F}',
    '\u{30A0}'..='\u{30FF}',
    '\u{3130}'..='\u{318F}',
    '\u{3400}'..='\u{4DBF}',
    '\u{4E00}'..='\u{9FFF}',
    '\u{AC00}'..='\u{D7AF}',
    '\u{F900}'..='\u{FAFF}',
    '\u{FF66}'..='\u{FF9F}',
    '\u{20000}'..='\u{2A6DF}',
    '\u{2A700}'..='\u{2B73F}',
    '\u{2B740}'..='\u{2B81F}',
    '\u{2B820}'..='\u{2CEAF}',
    '\u{2CEB0}'..='\u{2EBEF}',
    '\u{30000}'..='\u{3134F}',
];

/// The size of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Metrics {
    /// Unicode scalar values.
    pub chars: u32,
    /// Maximal runs of alphanumeric scalars, plus each ideograph, kana and hangul scalar.
    pub words: u32,
}

/// Counts characters and words. An apostrophe or hyphen splits a word; a run of digits is a word.
#[must_use]
pub fn measure(text: &str) -> Metrics {
    let mut metrics = Metrics::default();
    let mut in_word = false;
    for scalar in text.chars() {
        metrics.chars = metrics.chars.saturating_add(1);
        let alone = is_word_alone(scalar);
        let running = !alone && scalar.is_alphanumeric();
        if alone || (running && !in_word) {
            metrics.words = metrics.words.saturating_add(1);
        }
        in_word = running;
    }
    metrics
}

fn is_word_alone(scalar: char) -> bool {
    // Most text is below the first block: one comparison instead of fifteen.
    scalar >= '\u{1100}' && WORD_SCALARS.iter().any(|block| block.contains(&scalar))
}

/// A count as `u32`, saturating.
pub(crate) fn saturate(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::{Metrics, WORD_SCALARS, measure};

    #[test]
    fn counts_mixed_scripts() {
        let table = [
            ("", 0, 0),
            ("Hi, old friend!", 15, 3),
            ("你好，世界", 5, 4),
            ("Part 7：雨夜end", 12, 5),
            ("✨ ...", 5, 0),
            ("don't", 5, 2),
            ("well-worn", 9, 2),
            ("a1b2", 4, 1),
            ("e\u{301}a", 3, 2),
            ("𠀀𝔘😀", 3, 2),
            ("a한b", 3, 3),
        ];
        for (text, chars, words) in table {
            assert_eq!(measure(text), Metrics { chars, words }, "{text}");
        }
    }

    #[test]
    fn counts_both_ends_of_every_block() {
        for block in &WORD_SCALARS {
            let text: String = [*block.start(), *block.end()].iter().collect();
            assert_eq!(measure(&text), Metrics { chars: 2, words: 2 }, "{block:?}");
        }
    }
}
