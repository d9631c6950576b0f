//! Macros in the texts of cards and books: who talks to whom.
//!
//! Only the names, in both spellings that cards use. Every other macro stays as it is written: what it stands for is known to the
//! application, if to anybody. One pass, so no name can bring in another macro.

/// Names as a prompt uses them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names {
    user: String,
    character: String,
}

/// Most characters of a name. A text may name somebody at every turn, and must not grow without bounds by it.
const MAX_NAME_CHARS: usize = 100;

/// What a macro looks like, compared without regard to case, and whether it is the person.
const MACROS: [(&str, bool); 5] = [
    ("{{user}}", true),
    ("{{char}}", false),
    ("<user>", true),
    ("<bot>", false),
    ("<char>", false),
];
/// In a card's own instructions: what would stand there without them.
const ORIGINAL: &str = "{{original}}";

impl Names {
    /// The names of the person and of the character, of which at most 100 characters count.
    #[must_use]
    pub fn new(user: &str, character: &str) -> Self {
        let short = |name: &str| name.trim().chars().take(MAX_NAME_CHARS).collect();
        Self {
            user: short(user),
            character: short(character),
        }
    }

    /// The character.
    #[must_use]
    pub fn character(&self) -> &str {
        &self.character
    }

    /// The text with its names.
    #[must_use]
    pub fn expand(&self, text: &str) -> String {
        let mut expanded = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find(['{', '<']) {
            let (before, from) = rest.split_at(at);
            expanded.push_str(before);
            let found = MACROS.iter().find(|(name, _)| starts_with(from, name));
            let taken = match found {
                Some((name, is_user)) => {
                    expanded.push_str(if *is_user { &self.user } else { &self.character });
                    name.len()
                }
                // Both signs are one byte.
                None => {
                    expanded.push_str(from.get(..1).unwrap_or_default());
                    1
                }
            };
            rest = from.get(taken..).unwrap_or_default();
        }
        expanded.push_str(rest);
        expanded
    }

    /// The text of a card's instructions: what they would replace stands there anyway, and is not repeated.
    pub(super) fn expand_instructions(&self, text: &str) -> String {
        let mut kept = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = find(rest, ORIGINAL) {
            kept.push_str(rest.get(..at).unwrap_or_default());
            rest = rest.get(at + ORIGINAL.len()..).unwrap_or_default();
        }
        kept.push_str(rest);
        self.expand(kept.trim())
    }
}

fn starts_with(text: &str, name: &str) -> bool {
    text.get(..name.len())
        .is_some_and(|head| head.eq_ignore_ascii_case(name))
}

fn find(text: &str, name: &str) -> Option<usize> {
    let mut places = text.match_indices('{').map(|(at, _)| at);
    places.find(|at| text.get(*at..).is_some_and(|from| starts_with(from, name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        Names::new("{{char}}", " Wren ")
    }

    #[test]
    fn a_name_does_not_make_a_text_grow_without_bounds() {
        let names = Names::new(&"x".repeat(1_000), "Wren");
        assert_eq!(names.expand("{{user}}{{user}}").len(), 200);
    }

    #[test]
    fn names_are_put_in_once_and_the_rest_stays() {
        assert_eq!(
            names().expand("{{User}}, <BOT>: {{{char}}} {{random:a,b}} {{user <b>渡{{Char}}"),
            "{{char}}, Wren: {Wren} {{random:a,b}} {{user <b>渡Wren"
        );
    }

    #[test]
    fn what_a_card_would_replace_is_not_repeated() {
        assert_eq!(
            names().expand_instructions(" {{Original}}\nBe {{char}}. {{original}}"),
            "Be Wren."
        );
    }
}
