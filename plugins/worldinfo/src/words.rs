//! The sentences of refusals, for a model: what happened, why, and the next call that would work.
//!
//! Only wording; those for ranges are the SDK's.

use innkeeper_tool::quoted;
use innkeeper_tool::range::MAX_ITEMS;

pub(crate) const UNAVAILABLE: &str = "This run captured no world info, so there are no entries to list or read. Go on \
     with what is in the conversation and the workspace.";

pub(crate) fn item_count(items: usize) -> String {
    format!(
        "Argument /entries has {items} items, but must have 1 to {MAX_ITEMS}. Nothing was read. Call again without \
         entries for the list, or with {{\"entries\": [{{\"ref\": \"...\"}}]}}, in several calls where needed."
    )
}

pub(crate) fn blank_ref(item: usize) -> String {
    format!(
        "Argument /entries/{item}/ref is blank. Nothing was read. Call worldinfo_read_activated without arguments to \
         list the refs, then call again with one of them."
    )
}

pub(crate) fn entry_not_found(wanted: &str, total: usize) -> String {
    let wanted = quoted(wanted);
    match total {
        0 => format!(
            "There is no activated entry {wanted}: no world info entry is activated for this run. Go on without."
        ),
        _ => format!(
            "There is no activated entry {wanted} among the {total} of this run. Nothing was read. Call \
             worldinfo_read_activated without arguments to list their refs, then call again with one of them."
        ),
    }
}
