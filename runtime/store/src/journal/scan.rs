//! A journal read from front to back: every event, and every place where a line is not the one that was written.
//!
//! It repairs nothing and never stops at damage; what is read around a damaged place is what can still be trusted.

use std::io::{self, BufRead};

use innkeeper_protocol::envelope::Envelope;
use innkeeper_protocol::id::RunId;

use super::chain::Chain;
use super::error::{DAMAGED_CODE, Damage, JournalIssue};
use super::line::{StoredLine, decode};
use super::lines::{Lines, RawLine};

/// What one line gave: an event, an issue, or an event that is not quite trusted.
#[derive(Debug)]
pub(crate) struct Seen {
    /// The event, unless the line holds none that belongs here.
    pub(crate) event: Option<Envelope>,
    /// What is wrong with the line.
    pub(crate) issue: Option<JournalIssue>,
}

/// A line that is not blank, decoded.
#[derive(Debug)]
struct Candidate {
    number: u64,
    offset: u64,
    text: Vec<u8>,
    content: Result<StoredLine, Damage>,
}

/// Where the reader stands between two lines.
#[derive(Debug)]
struct Position {
    /// The number that comes next; None before the first line of a read that began in the middle.
    expected: Option<u64>,
    /// Links that the next line may follow: the stored one and, after a broken line, the computed one, because either the line or
    /// its link was altered. Empty: not known.
    bases: Vec<Chain>,
    /// Whether the journal's lines have links; None before the first.
    chained: Option<bool>,
    /// Lines since the last good one that held no event of ours: each may be one that is missing.
    lost: u64,
}

/// The reader.
#[derive(Debug)]
pub(crate) struct Scan<R> {
    lines: Lines<R>,
    run_id: RunId,
    ahead: Option<Candidate>,
    position: Position,
}

impl<R: BufRead> Scan<R> {
    /// Reads a whole journal.
    pub(crate) fn from_start(input: R, run_id: &RunId) -> Self {
        let position = Position {
            expected: Some(1),
            bases: vec![Chain::START],
            chained: None,
            lost: 0,
        };
        Self {
            lines: Lines::new(input, 0),
            run_id: run_id.clone(),
            ahead: None,
            position,
        }
    }

    /// Reads on from the start of a line in the middle, which is taken as it is.
    pub(crate) fn from_middle(input: R, run_id: &RunId, offset: u64) -> Self {
        let position = Position {
            expected: None,
            bases: Vec::new(),
            chained: None,
            lost: 0,
        };
        Self {
            lines: Lines::new(input, offset),
            run_id: run_id.clone(),
            ahead: None,
            position,
        }
    }

    /// What the next line gives; None at the end.
    pub(crate) fn next_seen(&mut self) -> io::Result<Option<Seen>> {
        let Some(current) = (match self.ahead.take() {
            Some(candidate) => Some(candidate),
            None => next_candidate(&mut self.lines)?,
        }) else {
            return Ok(None);
        };
        self.ahead = next_candidate(&mut self.lines)?;
        let next_seq = self
            .ahead
            .as_ref()
            .and_then(|next| next.content.as_ref().ok())
            .map(|line| line.envelope.seq);
        Ok(Some(self.position.take(current, &self.run_id, next_seq)))
    }

    /// The number of the last event that was taken; 0 before the first.
    pub(crate) fn last_seq(&self) -> u64 {
        self.position.expected.map_or(0, |expected| expected.saturating_sub(1))
    }

    /// The link that the next line must follow; only meaningful when there was no issue.
    pub(crate) fn chain(&self) -> Option<Chain> {
        self.position.bases.first().copied()
    }

    /// Whether the lines have links; None when there was no event.
    pub(crate) fn chained(&self) -> Option<bool> {
        self.position.chained
    }

    /// Where the last whole line ended; known at the end only.
    pub(crate) fn end(&self) -> u64 {
        self.lines.end()
    }

    /// Bytes after the last line feed; known at the end only.
    pub(crate) fn torn_bytes(&self) -> u64 {
        self.lines.torn_bytes()
    }
}

fn next_candidate<R: BufRead>(lines: &mut Lines<R>) -> io::Result<Option<Candidate>> {
    while let Some(RawLine { number, offset, text }) = lines.next_line()? {
        let content = match &text {
            Some(text) if text.is_empty() => continue,
            Some(text) => decode(text).ok_or(Damage::NotAnEvent),
            None => Err(Damage::TooLong),
        };
        return Ok(Some(Candidate {
            number,
            offset,
            text: text.unwrap_or_default(),
            content,
        }));
    }
    Ok(None)
}

impl Position {
    fn take(&mut self, line: Candidate, run_id: &RunId, next_seq: Option<u64>) -> Seen {
        let issue = |damage| {
            Some(JournalIssue {
                code: DAMAGED_CODE,
                line: line.number,
                offset: line.offset,
                damage,
            })
        };
        let stored = match line.content {
            Ok(stored) if stored.envelope.run_id == run_id.as_str() => stored,
            Ok(_) => {
                self.lost = self.lost.saturating_add(1);
                return Seen {
                    event: None,
                    issue: issue(Damage::ForeignRun),
                };
            }
            Err(damage) => {
                self.lost = self.lost.saturating_add(1);
                return Seen {
                    event: None,
                    issue: issue(damage),
                };
            }
        };
        let seq = stored.envelope.seq;
        let expected = self.expected.unwrap_or(seq);
        if seq < expected || seq > expected.saturating_add(self.lost) {
            let damage = Damage::Sequence { expected, found: seq };
            // A jump forward is a gap when the lines after it go on from it; else this one line is misplaced or altered.
            let gap = seq > expected && next_seq.is_none_or(|next| Some(next) == seq.checked_add(1));
            if gap {
                self.step(&stored, &[]);
            } else {
                self.lost = self.lost.saturating_add(1);
            }
            return Seen {
                event: gap.then_some(stored.envelope),
                issue: issue(damage),
            };
        }
        let damage = self.follow(&stored, &line.text, seq == expected);
        Seen {
            event: Some(stored.envelope),
            issue: damage.and_then(issue),
        }
    }

    /// Checks the link of a line that stands in its place, and goes on from it.
    fn follow(&mut self, stored: &StoredLine, text: &[u8], adjacent: bool) -> Option<Damage> {
        let chained = *self.chained.get_or_insert(stored.chain.is_some());
        let computed: Vec<Chain> = self.bases.iter().map(|base| stored.link_after(*base, text)).collect();
        let known = adjacent && chained && !computed.is_empty();
        let holds = match stored.chain {
            Some(link) => chained && (!known || computed.contains(&link)),
            None => !chained,
        };
        if holds {
            self.step(stored, &[]);
            return None;
        }
        self.step(stored, &computed);
        Some(Damage::Chain)
    }

    fn step(&mut self, stored: &StoredLine, also: &[Chain]) {
        self.expected = Some(stored.envelope.seq.saturating_add(1));
        self.bases = stored.chain.into_iter().chain(also.iter().copied().take(1)).collect();
        self.lost = 0;
    }
}

#[cfg(test)]
mod tests;
