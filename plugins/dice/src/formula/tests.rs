//! Every form of the notation, every refusal, and properties over arbitrary text.

use proptest::prelude::*;

use super::*;

fn refused(text: &str) -> FormulaError {
    text.parse::<Formula>().expect_err(text)
}

#[test]
fn forms_are_normalised_with_their_bounds() {
    let cases = [
        ("20", "1d20", 1, 20),
        ("d6-2", "1d6-2", -1, 4),
        ("3D6+4", "3d6+4", 7, 22),
        ("1d1+2", "1d1+2", 3, 3),
        ("  d12\t", "1d12", 1, 12),
        ("d20+0", "1d20", 1, 20),
        ("d20-0", "1d20", 1, 20),
        ("2d4+007", "2d4+7", 9, 15),
        ("100d1000000+1000000", "100d1000000+1000000", 1_000_100, 101_000_000),
        ("100d1000000-1000000", "100d1000000-1000000", -999_900, 99_000_000),
    ];
    for (text, normalised, min, max) in cases {
        let formula: Formula = text.parse().expect(text);
        assert_eq!(
            (formula.to_string().as_str(), formula.min(), formula.max()),
            (normalised, min, max)
        );
    }
}

#[test]
fn refusals_say_what_is_wrong() {
    use FormulaError as E;
    let too_large = |what, limit| E::TooLarge { what, limit };
    let cases = [
        ("", E::Blank),
        (" \n", E::Blank),
        ("d", E::MissingSides),
        ("2d+1", E::MissingSides),
        ("0", E::LeadingZero { what: Part::Sides }),
        ("abc", E::Unexpected('a')),
        ("1d6x", E::Unexpected('x')),
        ("1d06", E::LeadingZero { what: Part::Sides }),
        ("01d6", E::LeadingZero { what: Part::Count }),
        ("1dd20", E::Unexpected('d')),
        ("1d0", E::LeadingZero { what: Part::Sides }),
        ("0d6", E::LeadingZero { what: Part::Count }),
        ("2d4+", E::MissingModifier),
        ("2d4++1", E::Unexpected('+')),
        ("2d4+-1", E::Unexpected('-')),
        ("2d4+1+1", E::Unexpected('+')),
        ("2d4 + 1", E::Space),
        ("-2d4", E::Unexpected('-')),
        ("4d6k3", E::Unexpected('k')),
        ("２d6", E::Unexpected('２')),
        ("101d6", too_large(Part::Count, 100)),
        ("1d1000001", too_large(Part::Sides, 1_000_000)),
        ("1d6+1000001", too_large(Part::Modifier, 1_000_000)),
        ("1d6-99999999999999999999", too_large(Part::Modifier, 1_000_000)),
    ];
    for (text, error) in cases {
        assert_eq!(refused(text), error, "{text:?}");
    }
}

proptest! {
    #[test]
    fn any_text_is_parsed_or_refused(text in "\\PC{0,30}") {
        let _ = text.parse::<Formula>();
    }

    #[test]
    fn notation_like_text_is_parsed_or_refused(text in "[0-9dD+ -]{0,16}") {
        let _ = text.parse::<Formula>();
    }

    #[test]
    fn a_normalised_formula_reads_back_as_itself(count in 1u32..=100, sides in 1u32..=1_000_000, modifier in -1_000_000i64..=1_000_000) {
        let formula = Formula { count, sides, modifier };
        prop_assert_eq!(formula.to_string().parse::<Formula>(), Ok(formula));
    }
}
