//! Words, structured form and failures of a roll; dice stay within their bounds.

use proptest::prelude::*;

use super::*;

/// Gives these numbers in turn, counted from 0.
struct Fixed(Vec<u64>);

impl Randomness for Fixed {
    fn below(&mut self, _bound: u64) -> u64 {
        self.0.remove(0)
    }
}

/// A small linear congruential generator.
struct Seeded(u64);

impl Randomness for Seeded {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

fn call(formula: &str, random: &mut impl Randomness) -> Result<Reply, Failure> {
    roll(
        &RollArguments {
            formula: formula.into(),
        },
        random,
    )
}

fn said(formula: &str, drawn: &[u64]) -> String {
    call(formula, &mut Fixed(drawn.to_vec())).expect(formula).text
}

#[test]
fn the_sum_is_spelled_out() {
    assert_eq!(said("2d8-1", &[2, 5]), "2d8-1 -> 3 + 6 - 1 = 8");
    assert_eq!(said("3d6", &[0, 1, 2]), "3d6 -> 1 + 2 + 3 = 6");
    assert_eq!(said("d6-4", &[0]), "1d6-4 -> 1 - 4 = -3");
    assert_eq!(said("1d1+2", &[0]), "1d1+2 -> 1 + 2 = 3");
}

#[test]
fn a_sum_that_is_the_total_is_not_said_twice() {
    assert_eq!(said("d12", &[6]), "1d12 -> 7");
    assert_eq!(said("20", &[19]), "1d20 -> 20");
}

#[test]
fn the_structured_form_has_every_die() {
    let reply = call("2D8-1", &mut Fixed(vec![2, 5])).expect("a roll");
    let expected = Reply::text("2d8-1 -> 3 + 6 - 1 = 8");
    let expected = Reply {
        structured: Some(r#"{"formula":"2d8-1","rolls":[3,6],"modifier":-1,"total":8,"min":1,"max":15}"#.into()),
        ..expected
    };
    assert_eq!(reply, expected);
}

#[test]
fn a_blank_formula_is_an_argument_error() {
    for blank in ["", "   "] {
        let refused = call(blank, &mut Fixed(vec![])).expect_err("blank");
        assert_eq!(refused.code, INVALID_ARGUMENTS);
        assert!(refused.message.contains("/formula"), "{}", refused.message);
    }
}

#[test]
fn a_bad_formula_draws_nothing_and_says_what_would_work() {
    let refused = call("2d4 + 1", &mut Fixed(vec![])).expect_err("a space");
    assert_eq!(refused.code, INVALID_FORMULA);
    assert_eq!(
        refused.message,
        "Nothing was rolled: \"2d4 + 1\" is no formula this tool can roll, because it has a space inside. Write \
         [count]d<sides>[+|-modifier] without spaces (count 1 to 100, sides 1 to 1000000, modifier up to 1000000), \
         for example {\"formula\": \"2d6+3\"}; make one call for each term."
    );
}

#[test]
fn a_long_formula_is_cut_in_the_message() {
    let refused = call(&"é".repeat(5_000), &mut Fixed(vec![])).expect_err("letters");
    assert!(refused.message.chars().count() < 400, "{}", refused.message.len());
}

#[test]
fn every_side_can_come_up_and_a_broken_host_cannot_add_one() {
    assert_eq!([0, 5, 6, u64::MAX].map(|drawn| die(6, drawn)), [1, 6, 6, 6]);
}

proptest! {
    #[test]
    fn rolls_stay_within_bounds(count in 1u32..=100, sides in 1u32..=1_000_000, modifier in -1_000_000i64..=1_000_000, seed: u64) {
        let formula: Formula = format!("{count}d{sides}{modifier:+}").parse().expect("in range");
        let reply = roll(&RollArguments { formula: formula.to_string() }, &mut Seeded(seed)).expect("in range");
        let total: i64 = reply.text.rsplit(' ').next().expect("a word").parse().expect("a number");
        prop_assert!((formula.min()..=formula.max()).contains(&total));
    }
}
