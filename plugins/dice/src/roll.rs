//! `dice.roll`: arguments in, reply out.
//!
//! Randomness comes in through a trait, so that tests decide what the dice show.

use std::fmt::Write;

use innkeeper_tool::{Failure, INVALID_ARGUMENTS, Reply, failure};
use serde::{Deserialize, Serialize};

use crate::formula::{Formula, FormulaError};

/// The code of notation that cannot be rolled.
const INVALID_FORMULA: &str = "dice.invalid_formula";

/// Where dice come from.
pub trait Randomness {
    /// A uniform number in `0..bound`; `bound` is never 0.
    fn below(&mut self, bound: u64) -> u64;
}

/// Arguments of `dice.roll`.
#[derive(Clone, Debug, Deserialize)]
pub struct RollArguments {
    /// Dice notation.
    pub formula: String,
}

#[derive(Serialize)]
struct Structured<'a> {
    formula: &'a str,
    rolls: &'a [u32],
    modifier: i64,
    total: i64,
    min: i64,
    max: i64,
}

/// Rolls the dice of a formula.
///
/// # Errors
/// `tool.invalid_arguments` for a blank formula, `dice.invalid_formula` for one that cannot be rolled.
pub fn roll(arguments: &RollArguments, random: &mut impl Randomness) -> Result<Reply, Failure> {
    let formula: Formula = arguments
        .formula
        .parse()
        .map_err(|error| refuse(&arguments.formula, &error))?;
    let sides = formula.sides();
    let rolls: Vec<u32> = (0..formula.count())
        .map(|_| die(sides, random.below(u64::from(sides))))
        .collect();
    let sum: i64 = rolls.iter().copied().map(i64::from).sum();
    let total = sum + formula.modifier();
    let normalised = formula.to_string();
    let reply = Reply::text(words(&normalised, &rolls, formula.modifier(), total));
    reply.structured(&Structured {
        formula: &normalised,
        rolls: &rolls,
        modifier: formula.modifier(),
        total,
        min: formula.min(),
        max: formula.max(),
    })
}

/// What a die shows for a number in `0..sides`; a host that breaks its promise still gets a real side.
fn die(sides: u32, drawn: u64) -> u32 {
    u32::try_from(drawn).map_or(sides, |drawn| drawn.saturating_add(1).min(sides))
}

/// `2d8-1 -> 3 + 6 - 1 = 8`; the sum is left out where it is the total already.
fn words(formula: &str, rolls: &[u32], modifier: i64, total: i64) -> String {
    let mut sum = String::new();
    for (position, roll) in rolls.iter().enumerate() {
        let plus = if position == 0 { "" } else { " + " };
        // Writing to a `String` cannot fail.
        let _ = write!(sum, "{plus}{roll}");
    }
    if modifier != 0 {
        let sign = if modifier < 0 { '-' } else { '+' };
        let _ = write!(sum, " {sign} {}", modifier.unsigned_abs());
    }
    let total = total.to_string();
    if sum == total {
        return format!("{formula} -> {total}");
    }
    format!("{formula} -> {sum} = {total}")
}

fn refuse(formula: &str, error: &FormulaError) -> Failure {
    if *error == FormulaError::Blank {
        return failure(
            INVALID_ARGUMENTS,
            "Nothing was rolled: argument /formula is blank. Call again with dice notation, for example \
             {\"formula\": \"2d6+3\"}.",
        );
    }
    failure(
        INVALID_FORMULA,
        format!(
            "Nothing was rolled: {:?} is no formula this tool can roll, because {error}. Write \
             [count]d<sides>[+|-modifier] without spaces (count 1 to 100, sides 1 to 1000000, modifier up to \
             1000000), for example {{\"formula\": \"2d6+3\"}}; make one call for each term.",
            shown(formula),
        ),
    )
}

/// The formula as far as a message needs it.
fn shown(formula: &str) -> String {
    /// Longer than any formula that can be rolled.
    const SHOWN_CHARS: usize = 40;
    let formula = formula.trim();
    let mut shown: String = formula.chars().take(SHOWN_CHARS).collect();
    if shown.len() < formula.len() {
        shown.push_str("...");
    }
    shown
}

#[cfg(test)]
mod tests;
