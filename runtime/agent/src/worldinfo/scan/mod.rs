//! Which entries a chat activates: passes over chat and activated texts until nothing new turns up, or a limit is met.
//!
//! The order is the same every time: by whose book it is, then the higher order first, then as the books have it. What chance decides
//! comes from the seed and the entry's own name, so one entry more or less changes nothing for the others.

mod candidate;
mod groups;
mod issue;
mod texts;

use std::collections::HashMap;

use innkeeper_protocol::model::Role;
use innkeeper_protocol::run::GenerationType;
use innkeeper_protocol::worldinfo::{Activation, EntryPosition};
use serde_json::{Value, json};

pub use issue::ScanIssue;

use super::book::Book;
use super::settings::{MAX_ACTIVATED_CHARS, MAX_ISSUES, MAX_PASSES, MAX_WORK};
use crate::card::Card;
use crate::prompt::Names;
use candidate::{Candidate, State};
use texts::Texts;

/// What a scan looks at.
#[derive(Debug, Clone, Copy)]
pub struct ScanInput<'a> {
    /// The chat's messages, oldest first, each with its speaker's name in front where it has one.
    pub messages: &'a [String],
    /// Messages of the whole chat, of which those are the newest.
    pub total_messages: u32,
    /// Who talks to whom.
    pub names: &'a Names,
    /// The character, if there is a card.
    pub card: Option<&'a Card>,
    /// What the character is filed under: in SillyTavern the avatar's file name without its ending.
    pub character_id: Option<&'a str>,
    /// What kind of message is wanted.
    pub generation: GenerationType,
    /// Decides what chance decides.
    pub seed: u64,
    /// Characters of all activated texts, but those that are exempt.
    pub max_chars: usize,
}

/// An entry that was activated, ready for a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Activated {
    /// The book.
    pub world: String,
    /// The entry's id in it.
    pub uid: String,
    /// Its name; may be empty.
    pub title: String,
    /// Whether it applies whatever the chat says.
    pub constant: bool,
    /// Where it goes.
    pub position: EntryPosition,
    /// Messages after it, where it goes between messages.
    pub depth: u32,
    /// Who says it there.
    pub role: Role,
    /// Lower comes first in the prompt.
    pub order: i64,
    /// The text, with its macros replaced.
    pub content: String,
}

/// What a scan found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScanResult {
    /// In the order of activation.
    pub entries: Vec<Activated>,
    /// What could not be looked at, or was left out.
    pub issues: Vec<ScanIssue>,
}

impl ScanResult {
    /// Leaves out what a front end has activated already.
    pub fn leave_out(&mut self, captured: &Activation) {
        let is_there = |entry: &Activated| {
            captured
                .entry(&format!("worldinfo:{}#{}", entry.world, entry.uid))
                .is_some()
        };
        self.entries.retain(|entry| !is_there(entry));
    }

    /// The `worldInfoActivation` of a prompt snapshot.
    #[must_use]
    pub fn to_activation(&self, timestamp_ms: u64, trigger: GenerationType) -> Value {
        let entries = self.entries.iter().map(|entry| {
            json!({
                "world": entry.world,
                "uid": entry.uid,
                "displayName": entry.title,
                "constant": entry.constant,
                "position": entry.position,
                "content": entry.content,
            })
        });
        json!({
            "timestampMs": timestamp_ms,
            "trigger": trigger.as_str(),
            "entries": entries.collect::<Vec<_>>(),
        })
    }
}

/// Which entries of the books the chat activates.
#[must_use]
pub fn activate(books: &[Book], input: ScanInput<'_>) -> ScanResult {
    let mut scan = Scan::new(books, input);
    scan.run();
    scan.result
}

/// A walk over all candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pass {
    /// Over the chat.
    First,
    /// Over the chat and what was activated; entries up to this level may come in.
    Again { level: u32 },
}

struct Scan<'a> {
    input: ScanInput<'a>,
    candidates: Vec<Candidate<'a>>,
    texts: Texts<'a>,
    /// Characters that are left.
    budget: usize,
    /// Characters that entries without a budget may still take.
    exempt: usize,
    work: u64,
    is_budget_spent: bool,
    /// Characters that each book still has, where it sets a budget of its own.
    book_budgets: HashMap<&'a str, usize>,
    result: ScanResult,
}

impl<'a> Scan<'a> {
    fn new(books: &'a [Book], input: ScanInput<'a>) -> Self {
        let mut candidates: Vec<Candidate<'a>> =
            books.iter().flat_map(|book| Candidate::of_book(book, &input)).collect();
        candidates.sort_by_key(Candidate::rank);
        Self {
            texts: Texts::new(input),
            budget: input.max_chars,
            exempt: MAX_ACTIVATED_CHARS,
            work: 0,
            is_budget_spent: false,
            book_budgets: books
                .iter()
                .filter_map(|book| Some((book.name.as_str(), book.max_chars?)))
                .collect(),
            result: ScanResult::default(),
            candidates,
            input,
        }
    }

    fn run(&mut self) {
        let mut pass = Pass::First;
        // Entries of the lowest level come in as soon as any may be brought in by others.
        let mut level = self.next_level(0).unwrap_or(0);
        for _ in 0..MAX_PASSES {
            let found = self.find(pass);
            let found = groups::settle(&mut self.candidates, found, self.input.seed);
            let brings_more = self.take(&found);
            if self.work >= MAX_WORK {
                return self.result.issues.push(ScanIssue::WorkSpent);
            }
            let opens_level = pass == Pass::First && level > 0;
            if !(brings_more || opens_level) {
                let Some(next) = self.next_level(level) else { return };
                level = next;
            }
            pass = Pass::Again { level };
        }
        self.result.issues.push(ScanIssue::PassesSpent);
    }

    /// The lowest level above this one that an entry waits for.
    fn next_level(&self, level: u32) -> Option<u32> {
        let waiting = self
            .candidates
            .iter()
            .filter(|candidate| candidate.state == State::Waiting);
        waiting
            .map(|candidate| candidate.entry.level)
            .filter(|other| *other > level)
            .min()
    }

    /// The entries whose time has come in this pass.
    fn find(&mut self, pass: Pass) -> Vec<usize> {
        let mut found = Vec::new();
        for (index, candidate) in self.candidates.iter_mut().enumerate() {
            if self.work >= MAX_WORK {
                break;
            }
            if candidate.state != State::Waiting || !is_in_pass(candidate, pass) {
                continue;
            }
            let mut issues = Vec::new();
            if !candidate.is_met(&mut self.texts, &mut self.work, &mut issues) {
                candidate.state = if candidate.is_unusable() {
                    State::Dropped
                } else {
                    State::Waiting
                };
            } else if candidate.is_lucky(self.input.seed) {
                found.push(index);
            } else {
                candidate.state = State::Dropped;
            }
            for issue in issues {
                tell(&mut self.result.issues, issue);
            }
        }
        found
    }

    /// Takes what fits; whether any of it can bring in more.
    fn take(&mut self, found: &[usize]) -> bool {
        let mut brings_more = false;
        for index in found {
            let Some(candidate) = self.candidates.get_mut(*index) else {
                continue;
            };
            let entry = candidate.entry;
            let content = self.input.names.expand(entry.content.trim());
            let chars = content.chars().count();
            let purse = if entry.ignores_budget {
                &mut self.exempt
            } else {
                &mut self.budget
            };
            let is_over = self.is_budget_spent && !entry.ignores_budget;
            let book_budget = self.book_budgets.get_mut(candidate.book.name.as_str());
            if is_over || chars > *purse || book_budget.as_ref().is_some_and(|left| chars > **left) {
                candidate.state = State::Dropped;
                // Once one does not fit, lesser ones don't slip in behind it.
                self.is_budget_spent |= !entry.ignores_budget && chars > *purse;
                let reference = candidate.reference();
                tell(
                    &mut self.result.issues,
                    ScanIssue::NoRoom {
                        entry: reference,
                        chars,
                    },
                );
                continue;
            }
            *purse = purse.saturating_sub(chars);
            if let Some(left) = book_budget {
                *left = left.saturating_sub(chars);
            }
            candidate.state = State::Active;
            if candidate.book.is_recursive && !entry.brings_none {
                self.texts.add(&content);
                brings_more = true;
            }
            self.result.entries.push(candidate.activated(content));
        }
        brings_more
    }
}

fn tell(issues: &mut Vec<ScanIssue>, issue: ScanIssue) {
    if issues.len() < MAX_ISSUES {
        return issues.push(issue);
    }
    if let Some(ScanIssue::More { count }) = issues.last_mut() {
        *count = count.saturating_add(1);
    } else {
        issues.push(ScanIssue::More { count: 1 });
    }
}

fn is_in_pass(candidate: &Candidate<'_>, pass: Pass) -> bool {
    match pass {
        Pass::First => candidate.entry.level == 0,
        Pass::Again { level } => !candidate.entry.not_by_others && candidate.entry.level <= level,
    }
}

#[cfg(test)]
mod tests;
