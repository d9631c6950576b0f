//! How much each item of a call that reads several texts may show.

use innkeeper_text::Caps;

/// Items of one call: more would leave each too little to be of use.
pub const MAX_ITEMS: u32 = 20;
/// Characters of one item.
const MAX_CHARS: u32 = 8_000;
/// Characters of all items together, shared evenly: what a model can take in at once.
const MAX_CHARS_TOGETHER: u32 = 20_000;
/// Lines of one item.
const MAX_LINES: u32 = 1_200;

/// What each of so many items may show; nothing where there are no items, or more than [`MAX_ITEMS`].
#[must_use]
pub fn share(items: usize) -> Option<Caps> {
    let items = u32::try_from(items).ok().filter(|items| *items <= MAX_ITEMS)?;
    Some(Caps {
        max_lines: MAX_LINES,
        max_chars: MAX_CHARS.min(MAX_CHARS_TOGETHER.checked_div(items)?),
    })
}

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn items_share_a_budget_and_none_gets_more_than_its_own() {
        let chars = [0, 1, 2, 3, 20, 21, usize::MAX].map(|items| share(items).map(|caps| caps.max_chars));
        assert_eq!(
            chars,
            [None, Some(8_000), Some(8_000), Some(6_666), Some(1_000), None, None]
        );
    }
}
