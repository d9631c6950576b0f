//! Full Unicode case folding.
//!
//! The default folding of the Unicode Standard, section 3.13; no normalisation and no locale, so `é` in two
//! code points stays different from `é` in one.

use caseless::Caseless as _;

/// Folds case: `Straße` and `STRASSE` become the same. The result may be longer than the text.
#[must_use]
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    fold_into(&mut folded, text);
    folded
}

/// Replaces the buffer's content by the folded text, so that a search folds each line without allocating.
pub(crate) fn fold_into(folded: &mut String, text: &str) {
    folded.clear();
    if text.is_ascii() {
        folded.push_str(text);
        folded.make_ascii_lowercase();
    } else {
        folded.extend(text.chars().default_case_fold());
    }
}

/// The place, in scalars of the original, of the scalar whose folding holds the given byte of the folded text.
pub(crate) fn original_position(text: &str, folded_byte: usize) -> usize {
    let mut folded_end = 0_usize;
    text.chars()
        .take_while(|scalar| {
            let width: usize = std::iter::once(*scalar).default_case_fold().map(char::len_utf8).sum();
            folded_end = folded_end.saturating_add(width);
            folded_end <= folded_byte
        })
        .count()
}

#[cfg(test)]
mod tests {
    use super::{fold, original_position};

    #[test]
    fn folds_case_in_every_script() {
        let table = [
            ("SILVER Key", "silver key"),
            ("Straße", "strasse"),
            ("ЖУК", "жук"),
            ("ΣΟΦΟΣ σοφός", "σοφοσ σοφόσ"),
            ("İ", "i\u{307}"),
            ("ﬃ", "ffi"),
            ("雨", "雨"),
        ];
        for (text, folded) in table {
            assert_eq!(fold(text), folded, "{text}");
        }
    }

    #[test]
    fn maps_positions_back_over_foldings_that_grow() {
        let text = "İßx";
        let folded = fold(text);
        assert_eq!(folded, "i\u{307}ssx");
        let positions: Vec<usize> = (0..=folded.len()).map(|byte| original_position(text, byte)).collect();
        assert_eq!(positions, [0, 0, 0, 1, 1, 2, 3]);
    }
}
