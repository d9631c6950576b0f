//! How characters are written in messages: so that a reader can tell them apart.
//!
//! Names are those of the Unicode Character Database, for the characters that models and editors confuse.

/// A character by code point, and by name or, where it has none here, as itself or its escape.
pub(crate) fn spelled(scalar: char) -> String {
    let code = u32::from(scalar);
    match name(scalar) {
        Some(name) => format!("U+{code:04X} {name}"),
        None => format!("U+{code:04X} {scalar:?}"),
    }
}

fn name(scalar: char) -> Option<&'static str> {
    Some(match scalar {
        '\t' => "TAB",
        '\n' => "LINE FEED",
        '\r' => "CARRIAGE RETURN",
        ' ' => "SPACE",
        '"' => "QUOTATION MARK",
        '\'' => "APOSTROPHE",
        '-' => "HYPHEN-MINUS",
        '`' => "GRAVE ACCENT",
        '\u{A0}' => "NO-BREAK SPACE",
        '\u{AD}' => "SOFT HYPHEN",
        '\u{AB}' => "LEFT-POINTING DOUBLE ANGLE QUOTATION MARK",
        '\u{B4}' => "ACUTE ACCENT",
        '\u{BB}' => "RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK",
        '\u{2002}' => "EN SPACE",
        '\u{2003}' => "EM SPACE",
        '\u{2009}' => "THIN SPACE",
        '\u{200B}' => "ZERO WIDTH SPACE",
        '\u{200C}' => "ZERO WIDTH NON-JOINER",
        '\u{200D}' => "ZERO WIDTH JOINER",
        '\u{2010}' => "HYPHEN",
        '\u{2011}' => "NON-BREAKING HYPHEN",
        '\u{2012}' => "FIGURE DASH",
        '\u{2013}' => "EN DASH",
        '\u{2014}' => "EM DASH",
        '\u{2015}' => "HORIZONTAL BAR",
        '\u{2018}' => "LEFT SINGLE QUOTATION MARK",
        '\u{2019}' => "RIGHT SINGLE QUOTATION MARK",
        '\u{201A}' => "SINGLE LOW-9 QUOTATION MARK",
        '\u{201C}' => "LEFT DOUBLE QUOTATION MARK",
        '\u{201D}' => "RIGHT DOUBLE QUOTATION MARK",
        '\u{201E}' => "DOUBLE LOW-9 QUOTATION MARK",
        '\u{2026}' => "HORIZONTAL ELLIPSIS",
        '\u{2028}' => "LINE SEPARATOR",
        '\u{2029}' => "PARAGRAPH SEPARATOR",
        '\u{202F}' => "NARROW NO-BREAK SPACE",
        '\u{2060}' => "WORD JOINER",
        '\u{2212}' => "MINUS SIGN",
        '\u{3000}' => "IDEOGRAPHIC SPACE",
        '\u{3001}' => "IDEOGRAPHIC COMMA",
        '\u{3002}' => "IDEOGRAPHIC FULL STOP",
        '\u{FEFF}' => "ZERO WIDTH NO-BREAK SPACE",
        '\u{FF0C}' => "FULLWIDTH COMMA",
        _ => return None,
    })
}

/// Appends what is left of a character when look-alikes count as the same: nothing for white space and
/// invisible characters, ASCII for quotes, dashes and full-width forms, lower case for letters.
pub(crate) fn push_loose(scalar: char, loose: &mut String) {
    match scalar {
        _ if is_ignorable(scalar) => {}
        '\u{2018}'..='\u{201B}' | '\u{2032}' | '`' | '\u{B4}' => loose.push('\''),
        '\u{201C}'..='\u{201F}' | '\u{2033}' | '\u{AB}' | '\u{BB}' => loose.push('"'),
        '\u{2010}'..='\u{2015}' | '\u{2212}' => loose.push('-'),
        '\u{2026}' => loose.push_str("..."),
        '\u{3001}' => loose.push(','),
        '\u{3002}' => loose.push('.'),
        '\u{FF01}'..='\u{FF5E}' => {
            let ascii = u32::from(scalar).saturating_sub(0xFEE0);
            loose.extend(char::from_u32(ascii).map(|ascii| ascii.to_ascii_lowercase()));
        }
        _ if scalar.is_ascii() => loose.push(scalar.to_ascii_lowercase()),
        _ => loose.extend(scalar.to_lowercase()),
    }
}

/// White space, and characters that show nothing.
pub(crate) fn is_ignorable(scalar: char) -> bool {
    scalar.is_whitespace() || matches!(scalar, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}')
}

#[cfg(test)]
mod tests {
    use super::{push_loose, spelled};

    #[test]
    fn spells_characters_by_code_point_and_name_or_escape() {
        let table = [
            ('\u{2019}', "U+2019 RIGHT SINGLE QUOTATION MARK"),
            (' ', "U+0020 SPACE"),
            ('x', "U+0078 'x'"),
            ('\u{7}', "U+0007 '\\u{7}'"),
            ('😀', "U+1F600 '😀'"),
        ];
        for (scalar, text) in table {
            assert_eq!(spelled(scalar), text);
        }
    }

    #[test]
    fn look_alikes_become_the_same() {
        let loose = |text: &str| {
            let mut out = String::new();
            text.chars().for_each(|scalar| push_loose(scalar, &mut out));
            out
        };
        assert_eq!(
            loose("“Don’t” –\u{A0}A…\r\n\u{FEFF}，Ｂ。"),
            loose("\"don't\" - a... ,b.")
        );
    }
}
