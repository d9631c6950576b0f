//! `chat.search`: the best messages for a query, newest first among equals.
//!
//! How a message is scored and cut to a snippet is `innkeeper-text`'s; here are the checks, the scan over the
//! visible messages, and the words of the reply.

mod words;

use innkeeper_text::{MessageQuery, Ranked, best, measure};
use innkeeper_tool::{Failure, INVALID_ARGUMENTS, Reply, Whole, failure};
use serde::{Deserialize, Serialize};

use crate::history::{History, Message, Role, not_found, visible};

/// Hits when the model does not say.
const DEFAULT_LIMIT: u64 = 20;
/// Hits of one call: with 200 characters each, about as much as one read shows.
const MAX_LIMIT: u64 = 50;
/// The largest `scan_limit`, far above any chat's length.
const MAX_SCAN: u64 = 100_000;
/// Messages asked of the host at once.
const PAGE: u32 = 1_000;

/// Arguments of `chat.search`.
#[derive(Clone, Debug, Deserialize)]
pub struct SearchArguments {
    /// Words to look for.
    pub query: String,
    /// Hits wanted, 1 to 50.
    pub limit: Option<Whole>,
    /// Only this role.
    pub role: Option<Role>,
    /// First index, inclusive.
    pub start_message: Option<Whole>,
    /// Last index, inclusive.
    pub end_message: Option<Whole>,
    /// How many of the newest messages to look at, 1 to 100,000.
    pub scan_limit: Option<Whole>,
}

#[derive(Serialize)]
struct Structured<'a> {
    query: &'a str,
    hits: &'a [Hit],
}

#[derive(Serialize)]
struct Hit {
    index: u32,
    role: Role,
    score: f32,
    snippet: String,
    /// Of the snippet, as are the words.
    chars: u32,
    words: u32,
    r#ref: String,
}

/// Searches the visible messages.
///
/// # Errors
/// `tool.invalid_arguments` for a blank query or a number out of its range, `chat.not_found` without a chat.
pub fn search(arguments: &SearchArguments, history: &impl History) -> Result<Reply, Failure> {
    let request = Request::check(arguments)?;
    let total = visible(history)?;
    let window = request.window(total);
    let scanned = scan(&request, window, history)?;
    let hits = &scanned.hits;
    let refs: Vec<String> = hits.iter().map(|hit| hit.r#ref.clone()).collect();
    let text = if hits.is_empty() {
        words::nothing(&request, total, &scanned)
    } else {
        words::hits(&request, &scanned)
    };
    Reply::text(text).refs(refs).structured(&Structured {
        query: request.query,
        hits,
    })
}

/// Arguments within their ranges.
struct Request<'a> {
    query: &'a str,
    limit: u32,
    role: Option<Role>,
    start: u64,
    end: Option<u64>,
    scan: Option<u64>,
}

impl<'a> Request<'a> {
    fn check(arguments: &'a SearchArguments) -> Result<Self, Failure> {
        let query = arguments.query.trim();
        if query.is_empty() {
            return Err(refuse(
                "Argument /query is blank. Call again with the words to look for.",
            ));
        }
        let limit = within("limit", arguments.limit, MAX_LIMIT)?.unwrap_or(DEFAULT_LIMIT);
        let scan = within("scan_limit", arguments.scan_limit, MAX_SCAN)?;
        let start = arguments.start_message.map_or(0, |start| start.0);
        let end = arguments.end_message.map(|end| end.0);
        if let Some(end) = end.filter(|end| start > *end) {
            return Err(refuse(format!(
                "start_message {start} is after end_message {end}, so there is nothing between them. Call again \
                 with start_message at or below end_message."
            )));
        }
        Ok(Self {
            query,
            limit: Whole(limit).clamp_u32(),
            role: arguments.role,
            start,
            end,
            scan,
        })
    }

    fn wants(&self, role: Role) -> bool {
        self.role.is_none_or(|wanted| wanted == role)
    }

    /// The part of `total` visible messages to look at.
    fn window(&self, total: u32) -> Window {
        let total = u64::from(total);
        let oldest = total.saturating_sub(self.scan.unwrap_or(total));
        let end = self.end.map_or(total, |end| end.saturating_add(1).min(total));
        let start = self.start.max(oldest).min(end);
        Window {
            start: Whole(start).clamp_u32(),
            end: Whole(end).clamp_u32(),
        }
    }
}

/// Indexes `start..end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Window {
    start: u32,
    end: u32,
}

impl Window {
    fn len(self) -> u32 {
        self.end.saturating_sub(self.start)
    }

    /// Its newest page and what is left before that.
    fn split_newest(self) -> (Self, Self) {
        let middle = self.end.saturating_sub(PAGE).max(self.start);
        let newest = Self { start: middle, ..self };
        let older = Self { end: middle, ..self };
        (older, newest)
    }
}

/// What a scan gave.
struct Scanned {
    /// The best, best first.
    hits: Vec<Hit>,
    /// Messages of the wanted role that were looked at.
    looked_at: u32,
    /// Those of them that match.
    matched: u32,
    /// The query has something to look for.
    has_word: bool,
}

/// Looks through the window, newest page first, keeping only the best hits so that a long chat needs little
/// memory.
fn scan(request: &Request<'_>, window: Window, history: &impl History) -> Result<Scanned, Failure> {
    let query = MessageQuery::new(request.query);
    let mut scanned = Scanned {
        hits: Vec::new(),
        looked_at: 0,
        matched: 0,
        has_word: !query.is_empty(),
    };
    let mut found: Vec<Ranked<Candidate>> = Vec::new();
    let mut left = if scanned.has_word {
        window
    } else {
        Window { start: 0, end: 0 }
    };
    while left.len() > 0 {
        let (older, mut newest) = left.split_newest();
        while newest.len() > 0 {
            let page = history.page(newest.start, newest.len());
            // The host said that there are messages: none is no end, but a chat that went away.
            let last = page.last().ok_or_else(not_found)?.index;
            newest.start = last.max(newest.start).saturating_add(1);
            let before = found.len();
            for message in page.into_iter().filter(|message| request.wants(message.role)) {
                scanned.looked_at = scanned.looked_at.saturating_add(1);
                found.extend(score(&query, message));
            }
            let matched = u32::try_from(found.len().saturating_sub(before)).unwrap_or(u32::MAX);
            scanned.matched = scanned.matched.saturating_add(matched);
            found = best(found, request.limit);
            // Only now, because a snippet folds its message again; and before the next page, so that no
            // more than one page of whole messages is held.
            for ranked in &mut found {
                ranked.item.cut_to_snippet(&query);
            }
        }
        left = older;
    }
    scanned.hits = found.into_iter().map(hit).collect();
    Ok(scanned)
}

/// A message that matched: whole at first, only its snippet later.
struct Candidate {
    role: Role,
    text: String,
    is_snippet: bool,
}

impl Candidate {
    fn cut_to_snippet(&mut self, query: &MessageQuery) {
        if !self.is_snippet {
            self.text = query.snippet(&self.text);
            self.is_snippet = true;
        }
    }
}

/// The message with its score, if it matches.
fn score(query: &MessageQuery, message: Message) -> Option<Ranked<Candidate>> {
    Some(Ranked {
        score: query.score(&message.text)?,
        index: message.index,
        item: Candidate {
            role: message.role,
            text: message.text,
            is_snippet: false,
        },
    })
}

fn hit(ranked: Ranked<Candidate>) -> Hit {
    let snippet = ranked.item.text;
    let metrics = measure(&snippet);
    Hit {
        index: ranked.index,
        role: ranked.item.role,
        score: ranked.score,
        snippet,
        chars: metrics.chars,
        words: metrics.words,
        r#ref: format!("chat:current#{}", ranked.index),
    }
}

/// A number from 1 to `max`, where given.
fn within(name: &str, given: Option<Whole>, max: u64) -> Result<Option<u64>, Failure> {
    match given {
        Some(Whole(number)) if number == 0 || number > max => Err(refuse(format!(
            "Argument /{name} is {number}, but must be 1 to {max}. Call again with a number in that range, or \
             leave it out."
        ))),
        given => Ok(given.map(|number| number.0)),
    }
}

fn refuse(message: impl Into<String>) -> Failure {
    failure(INVALID_ARGUMENTS, message)
}

#[cfg(test)]
mod tests;
