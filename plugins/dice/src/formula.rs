//! Dice notation: `[count] d sides [modifier]`, or a number alone for one die of so many sides.
//!
//! Strict on purpose: what is not understood is refused with the reason, never guessed at.

use std::{fmt, str::FromStr};

/// Dice in one roll: enough for any table, and short enough to spell out.
const MAX_COUNT: u32 = 100;
/// Sides of a die.
const MAX_SIDES: u32 = 1_000_000;
/// Absolute value of a modifier.
const MAX_MODIFIER: u32 = 1_000_000;

/// A formula that can be rolled: 1 to 100 dice of 1 to 1,000,000 sides, plus a modifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Formula {
    count: u32,
    sides: u32,
    modifier: i64,
}

/// What is wrong with a formula.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormulaError {
    /// Nothing there.
    #[error("it is blank")]
    Blank,
    /// Whitespace between its parts.
    #[error("it has a space inside")]
    Space,
    /// A character that dice notation does not have, or not there.
    #[error("{0:?} cannot stand there")]
    Unexpected(char),
    /// No sides after `d`.
    #[error("the number of sides after `d` is missing")]
    MissingSides,
    /// A sign without a number.
    #[error("the number after the sign is missing")]
    MissingModifier,
    /// A count or sides that begin with 0.
    #[error("{what} must not begin with 0")]
    LeadingZero {
        /// Which number.
        what: Part,
    },
    /// A number above its limit.
    #[error("{what} must be at most {limit}")]
    TooLarge {
        /// Which number.
        what: Part,
        /// Its limit.
        limit: u32,
    },
}

/// A number of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// How many dice.
    Count,
    /// Sides of each.
    Sides,
    /// What is added.
    Modifier,
}

impl fmt::Display for Part {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Count => "the number of dice",
            Self::Sides => "the number of sides",
            Self::Modifier => "the modifier",
        })
    }
}

impl Formula {
    /// How many dice, 1 to 100.
    #[must_use]
    pub fn count(self) -> u32 {
        self.count
    }

    /// Sides of each die, 1 to 1,000,000.
    #[must_use]
    pub fn sides(self) -> u32 {
        self.sides
    }

    /// What is added to the sum, -1,000,000 to 1,000,000.
    #[must_use]
    pub fn modifier(self) -> i64 {
        self.modifier
    }

    /// The smallest possible total.
    #[must_use]
    pub fn min(self) -> i64 {
        i64::from(self.count) + self.modifier
    }

    /// The largest possible total.
    #[must_use]
    pub fn max(self) -> i64 {
        i64::from(self.count) * i64::from(self.sides) + self.modifier
    }
}

impl FromStr for Formula {
    type Err = FormulaError;

    fn from_str(text: &str) -> Result<Self, FormulaError> {
        let text = text.trim().to_ascii_lowercase();
        if text.is_empty() {
            return Err(FormulaError::Blank);
        }
        if text.contains(char::is_whitespace) {
            return Err(FormulaError::Space);
        }
        let Some((count, rest)) = text.split_once('d') else {
            let sides = bounded(&text, Part::Sides, MAX_SIDES)?;
            return Ok(Self {
                count: 1,
                sides,
                modifier: 0,
            });
        };
        let count = match count {
            "" => 1,
            digits => bounded(digits, Part::Count, MAX_COUNT)?,
        };
        let (sides, modifier) = match rest.find(['+', '-']) {
            Some(at) => rest.split_at(at),
            None => (rest, ""),
        };
        Ok(Self {
            count,
            sides: bounded(sides, Part::Sides, MAX_SIDES)?,
            modifier: parse_modifier(modifier)?,
        })
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}d{}", self.count, self.sides)?;
        if self.modifier != 0 {
            write!(out, "{:+}", self.modifier)?;
        }
        Ok(())
    }
}

/// A count or sides: digits without a leading zero, 1 to `limit`.
fn bounded(digits: &str, what: Part, limit: u32) -> Result<u32, FormulaError> {
    if digits.is_empty() {
        return Err(FormulaError::MissingSides);
    }
    let number = number(digits, what, limit)?;
    if digits.starts_with('0') {
        return Err(FormulaError::LeadingZero { what });
    }
    Ok(number)
}

/// Nothing, or a sign and digits.
fn parse_modifier(text: &str) -> Result<i64, FormulaError> {
    let Some(sign) = text.chars().next() else {
        return Ok(0);
    };
    let digits = text.trim_start_matches(sign);
    if digits.len() + sign.len_utf8() != text.len() {
        return Err(FormulaError::Unexpected(sign));
    }
    if digits.is_empty() {
        return Err(FormulaError::MissingModifier);
    }
    let size = i64::from(number(digits, Part::Modifier, MAX_MODIFIER)?);
    Ok(if sign == '-' { -size } else { size })
}

/// ASCII digits up to `limit`; a number too long for 32 bits is just too large.
fn number(digits: &str, what: Part, limit: u32) -> Result<u32, FormulaError> {
    if let Some(other) = digits.chars().find(|letter| !letter.is_ascii_digit()) {
        return Err(FormulaError::Unexpected(other));
    }
    match digits.parse::<u32>() {
        Ok(number) if number <= limit => Ok(number),
        _ => Err(FormulaError::TooLarge { what, limit }),
    }
}

#[cfg(test)]
mod tests;
