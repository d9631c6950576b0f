//! The alternatives of one message: `swipes`, `swipe_info` and `swipe_id`, which SillyTavern keeps in step with `mes`, the dates and
//! `extra`.
//!
//! Repairs only what a commit needs, with the same values that the client would make up, and drops no alternative's text. It does
//! not look at any other key.

use super::file::shown_text;
use super::json::{decode_string, encode_string};
use super::splice::{RawArray, RawObject};

/// The keys that the shown alternative shares with the message.
const SHARED: [&str; 4] = ["send_date", "gen_started", "gen_finished", "extra"];
const GENERATION_DATES: [&str; 3] = ["send_date", "gen_started", "gen_finished"];

/// The raw text of a message, spelled as in the file where it is a string.
pub(super) fn raw_text(message: &RawObject<'_>) -> String {
    let raw = message.get("mes").filter(|raw| raw.starts_with('"')).map(str::to_owned);
    raw.unwrap_or_else(|| encode_string(&shown_text(message)))
}

/// The shown alternative, when the message has alternatives and says validly which.
pub(super) fn shown(message: &RawObject<'_>) -> Option<usize> {
    let slot: usize = message.get("swipe_id")?.parse().ok()?;
    (slot < message.array("swipes").len()).then_some(slot)
}

/// Makes `swipe_id` point to a slot for the present text, where the message has alternatives at all.
pub(super) fn repair(message: &mut RawObject<'_>) {
    if !message.get("swipes").is_some_and(|raw| raw.starts_with('[')) {
        return;
    }
    if shown(message).is_none() {
        keep_present_text(message);
    }
    level_infos(message);
}

/// Adds an alternative and makes it the shown one. The present text, dates and `extra` are kept in their own slot first.
pub(super) fn open_new(message: &mut RawObject<'_>, text: &str) {
    let held = shown(message).filter(|slot| {
        message
            .array("swipes")
            .get(*slot)
            .is_some_and(|own| same_text(own, message))
    });
    let slot = held.unwrap_or_else(|| keep_present_text(message));
    level_infos(message);
    mirror_info(message, slot);
    let new = push_swipe(message, text.to_owned());
    message.set("swipe_id", new.to_string());
}

/// Shows the slot that holds the present text, adding one where none does, so that no edit can lose it.
fn keep_present_text(message: &mut RawObject<'_>) -> usize {
    let found = message.array("swipes").iter().position(|own| same_text(own, message));
    let slot = found.unwrap_or_else(|| {
        let present = raw_text(message);
        push_swipe(message, present)
    });
    message.set("swipe_id", slot.to_string());
    slot
}

/// Adds an alternative and returns its position.
fn push_swipe(message: &mut RawObject<'_>, text: String) -> usize {
    let (slot, rendered) = {
        let mut swipes = message.array("swipes");
        swipes.push(text);
        (swipes.len() - 1, swipes.render())
    };
    message.set("swipes", rendered);
    slot
}

fn same_text(swipe: &str, message: &RawObject<'_>) -> bool {
    decode_string(swipe).is_some_and(|own| own == shown_text(message))
}

/// Gives every alternative its `swipe_info`, the missing ones with the message's dates and no `extra`, as the client does.
fn level_infos(message: &mut RawObject<'_>) {
    let rendered = {
        let count = message.array("swipes").len();
        let mut infos = message.array("swipe_info");
        infos.truncate(count);
        while infos.len() < count {
            let mut info = RawObject::empty();
            copy(&GENERATION_DATES, message, &mut info);
            info.set("extra", "{}");
            if shown(message) == Some(infos.len()) {
                copy(&SHARED, message, &mut info);
            }
            infos.push(info.render());
        }
        infos.render()
    };
    message.set("swipe_info", rendered);
}

fn copy(keys: &[&str], from: &RawObject<'_>, to: &mut RawObject<'_>) {
    for key in keys {
        match from.get(key) {
            Some(raw) => to.set(key, raw.to_owned()),
            None => to.remove(key),
        }
    }
}

/// Copies the message's text, dates and `extra` into the shown alternative. Without alternatives nothing happens.
pub(super) fn mirror(message: &mut RawObject<'_>) {
    let Some(slot) = shown(message) else {
        return;
    };
    let rendered = {
        let mut swipes = message.array("swipes");
        swipes.set(slot, raw_text(message));
        swipes.render()
    };
    message.set("swipes", rendered);
    level_infos(message);
    mirror_info(message, slot);
}

fn mirror_info(message: &mut RawObject<'_>, slot: usize) {
    let shared = message.clone();
    change_infos(message, |position, info| {
        if position == slot {
            copy(&SHARED, &shared, info);
        }
    });
}

/// Shows every `swipe_info` entry that is an object to `change` and puts it back.
pub(super) fn change_infos(message: &mut RawObject<'_>, mut change: impl FnMut(usize, &mut RawObject<'_>)) {
    let raw = message.get("swipe_info").map(str::to_owned).unwrap_or_default();
    let Ok(infos) = RawArray::parse(&raw) else {
        return;
    };
    let mut changed = infos.clone();
    for (position, own) in infos.iter().enumerate() {
        let mut info = RawObject::of(Some(own));
        change(position, &mut info);
        // An entry that is no object and was not touched stays as it is.
        if own.starts_with('{') || !info.is_empty() {
            changed.set(position, info.render());
        }
    }
    let rendered = changed.render();
    message.set("swipe_info", rendered);
}
