//! What a query looks for: normalised tokens and their weights.
//!
//! No stemming, no stop words: a token is found where the folded text contains it.

use crate::fold::fold;

/// A longer token tells no more than this many characters do.
const MAX_WEIGHT: u32 = 8;

/// Folds case, turns every scalar that is neither alphanumeric nor `_` into a space, and collapses spaces.
///
/// ```
/// assert_eq!(innkeeper_text::normalise(" Silver  key, door! "), "silver key door");
/// ```
#[must_use]
pub fn normalise(query: &str) -> String {
    let folded = fold(query.trim());
    let words = folded.split(|scalar: char| !scalar.is_alphanumeric() && scalar != '_');
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// Tokens with weights, in the order in which they are looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tokens {
    list: Vec<(String, u32)>,
    total: u32,
}

impl Tokens {
    /// Weighs tokens by their length in characters, 1 to 8. The caller has removed duplicates.
    pub(crate) fn new(tokens: Vec<String>) -> Self {
        let mut weighed = Self::default();
        for token in tokens {
            let length = u32::try_from(token.chars().count()).unwrap_or(MAX_WEIGHT);
            let weight = length.clamp(1, MAX_WEIGHT);
            weighed.total = weighed.total.saturating_add(weight);
            weighed.list.push((token, weight));
        }
        weighed
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Sum of the weights of the tokens that a folded text contains.
    pub(crate) fn matched(&self, folded: &str) -> u32 {
        let found = self.list.iter().filter(|(token, _)| folded.contains(token.as_str()));
        found.fold(0, |sum, (_, weight)| sum.saturating_add(*weight))
    }

    /// A matched weight as a share of all weights, in 0 ..= 1.
    pub(crate) fn share(&self, matched: u32) -> f32 {
        if self.total == 0 {
            return 0.0;
        }
        matched as f32 / self.total as f32
    }

    /// The first byte of a folded text where any token starts.
    pub(crate) fn earliest(&self, folded: &str) -> Option<usize> {
        self.list
            .iter()
            .filter_map(|(token, _)| folded.find(token.as_str()))
            .min()
    }

    #[cfg(test)]
    pub(crate) fn as_pairs(&self) -> Vec<(&str, u32)> {
        self.list
            .iter()
            .map(|(token, weight)| (token.as_str(), *weight))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Tokens, normalise};

    #[test]
    fn normalises_queries() {
        let table = [
            ("silver key, door!", "silver key door"),
            ("  ...!? ", ""),
            ("snake_case-Name", "snake_case name"),
            ("北京，烤鸭", "北京 烤鸭"),
            ("STRASSE straße", "strasse strasse"),
        ];
        for (query, normal) in table {
            assert_eq!(normalise(query), normal, "{query}");
        }
    }

    #[test]
    fn weighs_by_length_within_bounds() {
        let tokens = Tokens::new(vec!["a".to_owned(), "lamplight".to_owned(), "雨夜".to_owned()]);
        assert_eq!(tokens.as_pairs(), [("a", 1), ("lamplight", 8), ("雨夜", 2)]);
        assert_eq!(tokens.share(tokens.matched("a 雨夜")), 3.0 / 11.0);
    }
}
