//! Which arguments make which span.

use super::*;

fn whole(number: u64) -> Option<Whole> {
    Some(Whole(number))
}

#[test]
fn lines_are_the_default_and_any_character_argument_means_characters() {
    let none = RangeArguments::default();
    assert_eq!(none.span(), Ok(Span::Lines { start: 1, count: None }));
    let counted = RangeArguments {
        line_count: whole(u64::MAX),
        ..none
    };
    assert_eq!(
        counted.span(),
        Ok(Span::Lines {
            start: 1,
            count: Some(u32::MAX)
        })
    );
    let capped = RangeArguments {
        max_chars: whole(9),
        ..none
    };
    assert_eq!(capped.span(), Ok(Span::Chars { start: 0, max: Some(9) }));
}

#[test]
fn lines_and_characters_do_not_mix_even_at_their_defaults() {
    let mixed = RangeArguments {
        start_line: whole(1),
        start_char: whole(0),
        ..RangeArguments::default()
    };
    assert_eq!(mixed.span(), Err(MixedRange));
}
