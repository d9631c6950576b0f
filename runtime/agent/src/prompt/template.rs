//! Texts with `{names}` in them.
//!
//! One pass: what is put in is not looked at again, so that no path and no name can bring in another one. Unknown names stay.

/// A name without its braces, and what stands in its place.
pub(super) type Slot<'a> = (&'a str, &'a str);

/// The text with its slots filled, without space at its ends.
pub(super) fn fill_in(template: &str, slots: &[Slot<'_>]) -> String {
    let mut filled = String::with_capacity(template.len());
    let mut rest = template.trim();
    while let Some((before, from)) = rest.split_once('{') {
        filled.push_str(before);
        let found = slots.iter().find_map(|(name, value)| {
            let after = from.strip_prefix(name)?.strip_prefix('}')?;
            Some((*value, after))
        });
        match found {
            Some((value, after)) => {
                filled.push_str(value);
                rest = after;
            }
            None => {
                filled.push('{');
                rest = from;
            }
        }
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_filled_once() {
        let slots = [("a", "{b}"), ("b", "B"), ("ab", "AB")];
        assert_eq!(fill_in(" {a} {b} {ab} {c} {} { {a", &slots), "{b} B AB {c} {} { {a");
    }
}
