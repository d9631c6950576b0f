//! The search of `chat.search` without a sandbox: the same scores, ranking, snippets and page sizes, in the host's own code.

use std::path::Path;
use std::sync::Arc;

use innkeeper::protocol::port::ChatMessage;
use innkeeper_store::chat::{ChatPath, HistoryView, read_chat};
use innkeeper_text::{MessageQuery, Ranked, best};

/// Hits, as many as the tool shows when nobody says.
const HITS: u32 = 20;
/// Messages that are asked for at once, as the tool does.
const PAGE: u32 = 1_000;

/// A chat and a query.
pub(crate) struct Native {
    history: HistoryView,
    messages: Vec<ChatMessage>,
    query: MessageQuery,
}

impl Native {
    pub(crate) fn open(chat: &Path, query: &str) -> Self {
        let path = ChatPath::resolve(chat).expect("a file");
        let chat = Arc::new(read_chat(&path).expect("a chat"));
        let total = chat.total();
        let history = HistoryView::new(chat, total).expect("all of it");
        Self {
            messages: pages(&history).flatten().collect(),
            history,
            query: MessageQuery::new(query),
        }
    }

    /// As a tool of the host would: each message is decoded from the chat file's lines. The indexes of the best hits.
    pub(crate) fn through_port(&self) -> Vec<u32> {
        let mut found = Vec::new();
        for page in pages(&self.history) {
            found.extend(page.into_iter().filter_map(|message| self.score(&message)));
            found = self.cut(found);
        }
        found.into_iter().map(|hit| hit.index).collect()
    }

    /// The same over texts that are decoded already: folding, matching and ranking alone.
    pub(crate) fn in_memory(&self) -> Vec<u32> {
        let found = self.messages.iter().filter_map(|message| self.score(message)).collect();
        self.cut(found).into_iter().map(|hit| hit.index).collect()
    }

    fn score(&self, message: &ChatMessage) -> Option<Ranked<Candidate>> {
        Some(Ranked {
            score: self.query.score(&message.text)?,
            index: message.index,
            item: Candidate::Whole(message.text.clone()),
        })
    }

    fn cut(&self, found: Vec<Ranked<Candidate>>) -> Vec<Ranked<Candidate>> {
        let mut found = best(found, HITS);
        for hit in &mut found {
            if let Candidate::Whole(text) = &hit.item {
                hit.item = Candidate::Snippet(std::hint::black_box(self.query.snippet(text)));
            }
        }
        found
    }
}

enum Candidate {
    Whole(String),
    Snippet(#[allow(dead_code, reason = "made because the tool makes it")] String),
}

/// The chat in pages, newest first.
fn pages(history: &HistoryView) -> impl Iterator<Item = Vec<ChatMessage>> {
    let starts = (0..history.count()).step_by(PAGE as usize).rev();
    starts.map(|start| history.page(start, PAGE))
}
