//! Reading a journal without owning it: whole, folded, or one page.
//!
//! A torn tail is left out, because its event was never promised to anyone. Damage is reported beside the events around it. Nothing
//! is changed.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Seek as _, SeekFrom};

use innkeeper_protocol::envelope::Envelope;

use super::error::{JournalError, JournalIssue};
use super::files::{self, Access, Location};
use super::scan::{Scan, Seen};
use super::scope;
use super::seek;

/// Events of a page when nothing is asked for.
const DEFAULT_LIMIT: u64 = 100;
/// Most events of a page; a reader asks for the next page instead.
const MAX_LIMIT: u64 = 500;

/// Which events a reader wants.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageQuery {
    /// Only events after this number, the first `limit` of them.
    pub after_seq: Option<u64>,
    /// Only events before this number, the last `limit` of them; wins over `after_seq`.
    pub before_seq: Option<u64>,
    /// Most events; 100 when absent, brought into 1 to 500.
    pub limit: Option<u64>,
    /// Only events about this invocation. Filters before the limit counts.
    pub invocation: Option<String>,
}

/// Events in order, and the damaged places that were met while they were read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Page {
    /// The events, ascending by number.
    pub events: Vec<Envelope>,
    /// Damaged places in the part that was read.
    pub issues: Vec<JournalIssue>,
}

/// What a fold met besides events.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    /// Damaged places.
    pub issues: Vec<JournalIssue>,
    /// Bytes up to the end of the last whole line.
    pub bytes: u64,
    /// Whether the lines have links; None when there is no event.
    pub chained: Option<bool>,
}

/// Reads every event. Memory grows with the journal: use [`fold`] or [`read_page`] for long ones.
///
/// # Errors
/// `agent.not_found` when the run has no folder; others when the file cannot be read. A run without a journal has no events.
pub fn read(location: &Location) -> Result<Page, JournalError> {
    let mut events = Vec::new();
    let reading = fold(location, &mut |event| events.push(event))?;
    Ok(Page {
        events,
        issues: reading.issues,
    })
}

/// Hands every event to `each`, in order.
///
/// # Errors
/// As [`read`].
pub fn fold(location: &Location, each: &mut dyn FnMut(Envelope)) -> Result<Reading, JournalError> {
    let Some(file) = open(location)? else {
        return Ok(Reading::default());
    };
    run(location, Scan::from_start(BufReader::new(file), &location.run_id), each)
}

/// Hands every event that stands at or after byte `offset` to `each`. None when no line begins there: then only a whole [`fold`]
/// tells the truth.
///
/// # Errors
/// As [`read`].
pub fn fold_from(
    location: &Location,
    offset: u64,
    each: &mut dyn FnMut(Envelope),
) -> Result<Option<Reading>, JournalError> {
    let Some(before) = offset.checked_sub(1) else {
        return fold(location, each).map(Some);
    };
    let Some(file) = open(location)? else { return Ok(None) };
    let unreadable = |source| JournalError::Io {
        path: location.events(),
        source,
    };
    let mut input = BufReader::new(file);
    input.seek(SeekFrom::Start(before)).map_err(unreadable)?;
    if input.fill_buf().map_err(unreadable)?.first() != Some(&b'\n') {
        return Ok(None);
    }
    input.consume(1);
    run(location, Scan::from_middle(input, &location.run_id, offset), each).map(Some)
}

/// Reads one page. Without an invocation filter the cost does not depend on the journal's length, as long as the part that is read
/// is sound; `issues` then holds the damaged places of that part only.
///
/// # Errors
/// As [`read`], and `agent.read_events_invocation_id_invalid` for a filter that is blank or holds a path separator.
pub fn read_page(location: &Location, query: &PageQuery) -> Result<Page, JournalError> {
    let invocation = query.invocation.as_deref().map(check_invocation).transpose()?;
    let limit = query.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
    let Some(mut file) = open(location)? else {
        return Ok(Page::default());
    };
    let unreadable = |source| JournalError::Io {
        path: location.events(),
        source,
    };
    if invocation.is_none()
        && let Some(events) = read_near(location, &mut file, query, limit).map_err(unreadable)?
    {
        return Ok(Page {
            events,
            issues: Vec::new(),
        });
    }
    file.rewind().map_err(unreadable)?;
    let scan = Scan::from_start(BufReader::new(file), &location.run_id);
    read_through(scan, query, limit, invocation.as_deref()).map_err(unreadable)
}

fn check_invocation(text: &str) -> Result<String, JournalError> {
    let id = text.trim();
    if id.is_empty() || id.contains(['/', '\\']) {
        return Err(JournalError::InvocationIdInvalid {
            value: text.chars().take(200).collect(),
        });
    }
    Ok(id.to_owned())
}

/// The journal; None when the run's folder has none.
fn open(location: &Location) -> Result<Option<File>, JournalError> {
    match files::open(&location.events(), Access::Read) {
        Ok(file) => Ok(Some(file)),
        Err(JournalError::NotFound { .. }) if location.dir.is_dir() => Ok(None),
        Err(error) => Err(error),
    }
}

fn run(
    location: &Location,
    mut scan: Scan<BufReader<File>>,
    each: &mut dyn FnMut(Envelope),
) -> Result<Reading, JournalError> {
    let mut issues = Vec::new();
    while let Some(Seen { event, issue }) = scan.next_seen().map_err(|source| JournalError::Io {
        path: location.events(),
        source,
    })? {
        issues.extend(issue);
        if let Some(event) = event {
            each(event);
        }
    }
    Ok(Reading {
        issues,
        bytes: scan.end(),
        chained: scan.chained(),
    })
}

/// Reads the page from the place where it begins. None: something there is not as it should be, and the whole file decides.
fn read_near(
    location: &Location,
    file: &mut File,
    query: &PageQuery,
    limit: u64,
) -> std::io::Result<Option<Vec<Envelope>>> {
    let (after, until) = match query.before_seq {
        None => (query.after_seq.unwrap_or(0), u64::MAX),
        Some(before) => {
            let Some(last) = seek::last_line_at_most(file, u64::MAX)? else {
                return Ok(None);
            };
            let until = last.map_or(0, |line| line.seq).min(before.saturating_sub(1));
            (until.saturating_sub(limit), until)
        }
    };
    let Some(start) = seek::last_line_at_most(file, after)? else {
        return Ok(None);
    };
    let offset = start.map_or(0, |line| line.offset);
    file.seek(SeekFrom::Start(offset))?;
    let input = BufReader::new(file);
    let mut scan = match start {
        None => Scan::from_start(input, &location.run_id),
        Some(_) => Scan::from_middle(input, &location.run_id, offset),
    };
    let mut events: Vec<Envelope> = Vec::new();
    while (events.len() as u64) < limit
        && let Some(seen) = scan.next_seen()?
    {
        let (Some(event), None) = (seen.event, seen.issue) else {
            return Ok(None);
        };
        if event.seq > until {
            break;
        }
        if event.seq > after {
            events.push(event);
        }
    }
    let begins_well = events
        .first()
        .is_none_or(|event| Some(event.seq) == after.checked_add(1));
    let ends_well = query.before_seq.is_none() || events.last().map_or(0, |event| event.seq) == until;
    Ok((begins_well && ends_well).then_some(events))
}

fn read_through(
    mut scan: Scan<BufReader<File>>,
    query: &PageQuery,
    limit: u64,
    invocation: Option<&str>,
) -> std::io::Result<Page> {
    let after = if query.before_seq.is_some() {
        0
    } else {
        query.after_seq.unwrap_or(0)
    };
    let mut issues = Vec::new();
    let mut events = VecDeque::new();
    while let Some(Seen { event, issue }) = scan.next_seen()? {
        issues.extend(issue);
        let Some(event) = event else { continue };
        if query.before_seq.is_some_and(|before| event.seq >= before) {
            break;
        }
        if event.seq <= after || invocation.is_some_and(|id| !scope::concerns(&event, id)) {
            continue;
        }
        events.push_back(event);
        if events.len() as u64 >= limit && query.before_seq.is_none() {
            break;
        }
        if events.len() as u64 > limit {
            events.pop_front();
        }
    }
    Ok(Page {
        events: events.into(),
        issues,
    })
}

#[cfg(test)]
mod tests;
