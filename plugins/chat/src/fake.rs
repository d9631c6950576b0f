//! A chat in memory, for tests only.

use std::cell::RefCell;

use crate::{History, Message, Role};

/// Messages, how long a page may be, and what was asked for.
pub(crate) struct Chat {
    messages: Vec<Message>,
    longest_page: usize,
    pub(crate) pages: RefCell<Vec<(u32, u32)>>,
}

impl Chat {
    /// Messages by user and assistant in turn.
    pub(crate) fn new<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Self {
        let messages = texts.into_iter().zip(0u32..).map(|(text, index)| Message {
            index,
            role: if index % 2 == 0 { Role::User } else { Role::Assistant },
            name: String::new(),
            text: text.into(),
            send_date: None,
        });
        Self {
            messages: messages.collect(),
            longest_page: usize::MAX,
            pages: RefCell::default(),
        }
    }

    /// Cuts every page, as the host does where messages are long.
    pub(crate) fn with_short_pages(mut self, longest: usize) -> Self {
        self.longest_page = longest;
        self
    }

    /// Changes one message.
    pub(crate) fn with(mut self, index: usize, change: impl FnOnce(&mut Message)) -> Self {
        change(&mut self.messages[index]);
        self
    }
}

impl History for Chat {
    fn count(&self) -> Option<u32> {
        u32::try_from(self.messages.len()).ok()
    }

    fn get(&self, index: u32) -> Option<Message> {
        self.messages.get(index as usize).cloned()
    }

    fn page(&self, start: u32, count: u32) -> Vec<Message> {
        self.pages.borrow_mut().push((start, count));
        let longest = self.longest_page.min(count as usize);
        self.messages
            .iter()
            .skip(start as usize)
            .take(longest)
            .cloned()
            .collect()
    }
}

/// A run without a chat.
pub(crate) struct NoChat;

impl History for NoChat {
    fn count(&self) -> Option<u32> {
        None
    }

    fn get(&self, _index: u32) -> Option<Message> {
        None
    }

    fn page(&self, _start: u32, _count: u32) -> Vec<Message> {
        Vec::new()
    }
}
