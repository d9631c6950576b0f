//! What `chat.search` says: the hits, or why there are none.
//!
//! Only wording; what was found is `search.rs`'s.

use innkeeper_tool::{counted, quoted};

use super::{MAX_LIMIT, Request, Scanned};
use crate::history::Role;

/// The hits below a header, which says so when more match.
pub(super) fn hits(request: &Request<'_>, scanned: &Scanned) -> String {
    let count = u32::try_from(scanned.hits.len()).unwrap_or(u32::MAX);
    let mut text = format!("{} for {}, best first.", counted(count, "hit"), quoted(request.query));
    let more = scanned.matched.saturating_sub(count);
    if more > 0 {
        let raise = if u64::from(request.limit) < MAX_LIMIT {
            format!("raise limit, up to {MAX_LIMIT}, or ")
        } else {
            String::new()
        };
        let verb = if more == 1 { "matches" } else { "match" };
        text.push_str(&format!(
            " {more} more {verb}, but not better: {raise}narrow the range of messages or the query."
        ));
    }
    text.push_str(" Read whole messages with chat_read_messages, by index.");
    for hit in &scanned.hits {
        text.push_str(&format!(
            "\n\nmessage {} {} score {:.3} ref {}\n{}",
            hit.index, hit.role, hit.score, hit.r#ref, hit.snippet
        ));
    }
    text
}

/// The one sentence for no hits, with the cause. `total` messages are visible.
pub(super) fn nothing(request: &Request<'_>, total: u32, scanned: &Scanned) -> String {
    let query = quoted(request.query);
    let Some(last) = total.checked_sub(1) else {
        return format!("No hits for {query}: the chat is empty, there is nothing to search.");
    };
    if !scanned.has_word {
        return format!(
            "No hits: {query} has no word, only signs, so there is nothing to look for; call again with words."
        );
    }
    if request.start > u64::from(last) {
        return format!(
            "No hits for {query}: start_message {} is past the last message, which has index {last}.",
            request.start
        );
    }
    if request.window(total).len() == 0 {
        return format!(
            "No hits for {query}: scan_limit {} takes only the newest messages, and none of them is in the range; raise \
             scan_limit or leave it out.",
            request.scan.unwrap_or_default()
        );
    }
    if scanned.looked_at == 0 {
        return format!(
            "No hits for {query}: none of the {} searched has the role {}; leave role out, or search a wider range.",
            counted(request.window(total).len(), "message"),
            request.role.unwrap_or(Role::User),
        );
    }
    let role = request.role.map(|role| format!("{role} ")).unwrap_or_default();
    let searched = counted(scanned.looked_at, &format!("{role}message"));
    if scanned.looked_at == total {
        format!("No hits for {query} in the {searched} searched, all there are; try other words.")
    } else {
        format!("No hits for {query} in the {searched} searched; try other words, or a wider range of messages.")
    }
}
