//! What a test makes up: a chat, files, world info, the numbers that are drawn, the time, and what servers answer.
//!
//! The files are in `files`.

use std::collections::{BTreeMap, VecDeque};

use crate::host::chat::{self, Message, Role};
use crate::host::http::{FetchError, Request, Response};
use crate::host::worldinfo::{self, ActivationState, Entry};

/// Everything that a call can reach.
#[derive(Clone, Debug, Default)]
pub struct World {
    pub(super) files: BTreeMap<String, String>,
    messages: Option<Vec<Message>>,
    entries: Option<Vec<(Entry, String)>>,
    draws: VecDeque<u64>,
    now_ms: u64,
    answers: Vec<(String, String, Response)>,
    requests: Vec<Request>,
    log: Vec<String>,
}

impl World {
    /// Nothing: no chat, no world info, no files, no answers; every number drawn is 0.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a message to the chat.
    #[must_use]
    pub fn message(mut self, role: Role, name: &str, text: &str) -> Self {
        let messages = self.messages.get_or_insert_default();
        messages.push(Message {
            index: u32::try_from(messages.len()).unwrap_or(u32::MAX),
            role,
            name: name.to_owned(),
            text: text.to_owned(),
            send_date: None,
        });
        self
    }

    /// Adds a file, as `plan/a.md`.
    #[must_use]
    pub fn file(mut self, path: &str, text: &str) -> Self {
        self.files.insert(path.to_owned(), text.to_owned());
        self
    }

    /// Adds an entry of world info that counts as activated.
    #[must_use]
    pub fn entry(mut self, world: &str, title: &str, text: &str) -> Self {
        let entries = self.entries.get_or_insert_default();
        let uid = entries.len().to_string();
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let entry = Entry {
            ref_: format!("worldinfo:{world}#{uid}"),
            world: world.to_owned(),
            uid,
            title: title.to_owned(),
            constant: false,
            position: None,
            chars: count(text.chars().count()),
            words: count(text.split_whitespace().count()),
            lines: count(text.lines().count()),
        };
        entries.push((entry, text.to_owned()));
        self
    }

    /// The numbers that are drawn, one after the other; 0 when they are used up. One that is too large is drawn modulo the bound.
    #[must_use]
    pub fn draws(mut self, draws: impl IntoIterator<Item = u64>) -> Self {
        self.draws.extend(draws);
        self
    }

    /// What time it is, in milliseconds since 1970; 0 where nothing is said.
    #[must_use]
    pub fn time(mut self, now_ms: u64) -> Self {
        self.now_ms = now_ms;
        self
    }

    /// What comes back for requests with this method and URL; every other request gets nowhere.
    #[must_use]
    pub fn answer(mut self, method: &str, url: &str, status: u16, body: impl Into<Vec<u8>>) -> Self {
        let response = Response {
            status,
            headers: Vec::new(),
            body: body.into(),
        };
        self.answers.push((method.to_owned(), url.to_owned(), response));
        self
    }

    /// The requests that were sent, in order.
    #[must_use]
    pub fn requests(&self) -> &[Request] {
        &self.requests
    }

    /// The text of a file.
    #[must_use]
    pub fn text_of(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }

    /// What was logged.
    #[must_use]
    pub fn logged(&self) -> &[String] {
        &self.log
    }

    /// Becomes the world after a call; of a failed one only what was drawn, logged and sent is left.
    pub(super) fn take_over(&mut self, after: Self, succeeded: bool) {
        let files = std::mem::take(&mut self.files);
        *self = after;
        if !succeeded {
            self.files = files;
        }
    }

    pub(crate) fn draw(&mut self, bound: u64) -> u64 {
        assert!(
            bound > 0,
            "a number below 0 was asked for, which ends a call with a trap"
        );
        self.draws.pop_front().unwrap_or(0) % bound
    }

    pub(crate) fn now_ms(&self) -> u64 {
        self.now_ms
    }

    pub(crate) fn fetch(&mut self, request: &Request) -> Result<Response, FetchError> {
        self.requests.push(request.clone());
        let is_meant =
            |(method, url, _): &&(String, String, Response)| *method == request.method && *url == request.url;
        match self.answers.iter().find(is_meant) {
            Some((_, _, response)) => Ok(response.clone()),
            None => Err(FetchError::Unreachable(
                "no test has an answer for this request".to_owned(),
            )),
        }
    }

    pub(crate) fn log(&mut self, message: &str) {
        self.log.push(message.to_owned());
    }

    pub(crate) fn message_count(&self) -> Result<u32, chat::Unavailable> {
        let messages = self.messages.as_ref().ok_or(chat::Unavailable::Unavailable)?;
        Ok(u32::try_from(messages.len()).unwrap_or(u32::MAX))
    }

    pub(crate) fn messages(&self, start: u32, count: u32) -> Vec<Message> {
        let from = self.messages.iter().flatten().skip(start as usize);
        from.take(count as usize).cloned().collect()
    }

    pub(crate) fn activation(&self) -> Result<ActivationState, worldinfo::Unavailable> {
        let entries = self.entries.as_ref().ok_or(worldinfo::Unavailable::Unavailable)?;
        Ok(ActivationState {
            timestamp_ms: 0,
            trigger: "normal".to_owned(),
            entries: entries.iter().map(|(entry, _)| entry.clone()).collect(),
        })
    }

    pub(crate) fn entry_text(&self, wanted: &str) -> Option<String> {
        let mut entries = self.entries.iter().flatten();
        entries
            .find(|(entry, _)| entry.ref_ == wanted)
            .map(|(_, text)| text.clone())
    }
}
