//! [`History`] over the host's `innkeeper:chat/history`. Translates types and decides nothing.

use crate::{History, Message, Role};
use bindings::innkeeper::chat::history;

#[allow(unsafe_code, missing_docs, reason = "generated from the WIT packages")]
mod bindings {
    wit_bindgen::generate!({
        path: ["../../wit/tool", "../../wit/chat", "../../wit/log", "wit"],
        world: "innkeeper:chat-tools/chat",
        generate_all,
    });
}

/// The host of this component.
pub(crate) struct Host;

impl History for Host {
    fn count(&self) -> Option<u32> {
        history::count().ok()
    }

    fn get(&self, index: u32) -> Option<Message> {
        history::get(index).map(message)
    }

    fn page(&self, start: u32, count: u32) -> Vec<Message> {
        let page = history::page(start, count);
        page.into_iter().map(message).collect()
    }
}

fn message(from: history::Message) -> Message {
    Message {
        index: from.index,
        role: match from.role {
            history::Role::User => Role::User,
            history::Role::Assistant => Role::Assistant,
            history::Role::System => Role::System,
        },
        name: from.name,
        text: from.text,
        send_date: from.send_date,
    }
}
