//! `innkeeper:chat`: the chat of this run, cut at its input boundary.

use innkeeper_protocol::port::{ChatMessage, ChatRole, HistoryError};

use crate::bindings::innkeeper::chat::history;
use crate::host::{View, host_fault};
use crate::interface::Interface;

/// Text of one page in bytes; a page holds at least one message, however long.
const MAX_PAGE_BYTES: usize = 4 * 1024 * 1024;
/// Messages that are asked of the port at once.
const MAX_PAGE_MESSAGES: u32 = 1_000;

impl history::Host for View<'_> {
    async fn count(&mut self) -> wasmtime::Result<Result<u32, history::Unavailable>> {
        let invocation = self.enter_invocation(Interface::ChatHistory, 0)?;
        let Some(chat) = &invocation.setup.chat else {
            return Ok(Err(history::Unavailable::Unavailable));
        };
        match chat.count().await {
            Ok(count) => Ok(Ok(count)),
            Err(HistoryError::Unavailable) => Ok(Err(history::Unavailable::Unavailable)),
            Err(HistoryError::Fault(error)) => Err(host_fault(error)),
        }
    }

    async fn get(&mut self, index: u32) -> wasmtime::Result<Option<history::Message>> {
        Ok(self.page(index, 1).await?.into_iter().next())
    }

    async fn page(&mut self, start: u32, count: u32) -> wasmtime::Result<Vec<history::Message>> {
        let invocation = self.enter_invocation(Interface::ChatHistory, 0)?;
        let Some(chat) = &invocation.setup.chat else {
            return Ok(Vec::new());
        };
        match chat.page(start, count.min(MAX_PAGE_MESSAGES)).await {
            Ok(messages) => Ok(cut(messages)),
            Err(HistoryError::Unavailable) => Ok(Vec::new()),
            Err(HistoryError::Fault(error)) => Err(host_fault(error)),
        }
    }
}

/// As many of the messages as fit into a page, but at least one.
fn cut(messages: Vec<ChatMessage>) -> Vec<history::Message> {
    let mut bytes = 0_usize;
    let mut page = Vec::with_capacity(messages.len());
    for message in messages {
        bytes = bytes
            .saturating_add(message.text.len())
            .saturating_add(message.name.len());
        if bytes > MAX_PAGE_BYTES && !page.is_empty() {
            break;
        }
        page.push(wire(message));
    }
    page
}

fn wire(message: ChatMessage) -> history::Message {
    history::Message {
        index: message.index,
        role: match message.role {
            ChatRole::User => history::Role::User,
            ChatRole::Assistant => history::Role::Assistant,
            ChatRole::System => history::Role::System,
        },
        name: message.name,
        text: message.text,
        send_date: message.send_date,
    }
}
