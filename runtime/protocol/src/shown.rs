//! Text from outside, as a person may be shown it: nothing in it is invisible, and nothing turns it around.
//!
//! How long a shown text may be is its caller's business.

use std::borrow::Cow;
use std::fmt::Write as _;

use unicode_general_category::{GeneralCategory, get_general_category};

/// Controls, format characters (bidi marks, zero-width, tags, the byte order mark), line and paragraph separators.
#[must_use]
pub fn is_invisible(scalar: char) -> bool {
    use GeneralCategory::{Control, Format, LineSeparator, ParagraphSeparator};
    matches!(
        get_general_category(scalar),
        Control | Format | LineSeparator | ParagraphSeparator
    )
}

/// The text with every invisible character written as `\u{..}`; line feeds stay.
#[must_use]
pub fn escape_invisible(text: &str) -> Cow<'_, str> {
    let hidden = |scalar: char| is_invisible(scalar) && scalar != '\n';
    if !text.contains(hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for scalar in text.chars() {
        if hidden(scalar) {
            // Writing to a string cannot fail.
            let _ = write!(shown, "{}", scalar.escape_unicode());
        } else {
            shown.push(scalar);
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_spelled_out() {
        let text = "a\u{202e}b\u{200b}c\u{feff}\u{1b}[31m\n\u{e0041}";
        let shown = "a\\u{202e}b\\u{200b}c\\u{feff}\\u{1b}[31m\n\\u{e0041}";
        assert_eq!(escape_invisible(text), shown);
        assert_eq!(escape_invisible("plain \u{e9}\n"), "plain \u{e9}\n");
    }
}
