//! Finding an event's line in a long journal by halving, because numbers rise from line to line.
//!
//! It reads a few lines and believes their numbers. Anything odd on the way ends the search without an answer; it judges nothing.

use std::fs::File;
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom};

use super::line::decode_seq;
use super::lines::{Lines, RawLine, skip_line};

/// A line that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Found {
    /// Where it begins.
    pub(crate) offset: u64,
    /// The number of its event.
    pub(crate) seq: u64,
}

/// The first line that begins in a part of the file.
enum Probe {
    /// No line begins there.
    Empty,
    /// This line, which ends at `end`.
    Line { found: Found, end: u64 },
    /// A line that has no number.
    Odd,
}

/// The last line whose number is at most `seq`; `Some(None)` when every number is greater, None when a line on the way has none.
pub(crate) fn last_line_at_most(file: &mut File, seq: u64) -> io::Result<Option<Option<Found>>> {
    let (mut low, mut high) = (0, file.seek(SeekFrom::End(0))?);
    let mut best = None;
    while low < high {
        let middle = low + (high - low) / 2;
        match first_line(file, middle, high)? {
            Probe::Odd => return Ok(None),
            Probe::Line { found, end } if found.seq <= seq => {
                best = Some(found);
                low = end;
            }
            Probe::Line { .. } | Probe::Empty => high = middle,
        }
    }
    Ok(Some(best))
}

/// The first line that is not blank and begins at `from` or later, before `until`.
fn first_line(file: &mut File, from: u64, until: u64) -> io::Result<Probe> {
    // A line begins at `from` exactly when a line feed stands before it.
    let before = from.saturating_sub(1);
    file.seek(SeekFrom::Start(before))?;
    let mut input = BufReader::new(file);
    let mut start = 0;
    if from > 0 {
        let (skipped, found) = skip_line(&mut (&mut input).take(until - before))?;
        if !found {
            return Ok(Probe::Empty);
        }
        start = before.saturating_add(skipped);
    }
    let mut lines = Lines::new(input, start);
    while let Some(RawLine { offset, text, .. }) = lines.next_line()? {
        if offset >= until {
            break;
        }
        let Some(text) = text else { return Ok(Probe::Odd) };
        if text.is_empty() {
            continue;
        }
        let line = |seq| Probe::Line {
            found: Found { offset, seq },
            end: lines.end(),
        };
        return Ok(decode_seq(&text).map_or(Probe::Odd, line));
    }
    Ok(Probe::Empty)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn file(text: &str) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file
    }

    #[test]
    fn every_number_is_found_whatever_the_lines_look_like() {
        let mut text = String::new();
        let mut starts = Vec::new();
        for seq in 1..=200_u64 {
            starts.push(text.len() as u64);
            let padding = "x".repeat(usize::try_from(seq * 37 % 300).unwrap());
            text.push_str(&format!("{{\"seq\":{seq},\"payload\":\"{padding}\"}}\n"));
            if seq % 7 == 0 {
                text.push_str("\n  \n");
            }
        }
        text.push_str("{\"seq\":201,\"torn");
        let mut file = file(&text);
        assert_eq!(last_line_at_most(&mut file, 0).unwrap(), Some(None));
        for (offset, seq) in starts.iter().copied().zip(1..) {
            assert_eq!(
                last_line_at_most(&mut file, seq).unwrap(),
                Some(Some(Found { offset, seq }))
            );
        }
        let last = Found {
            offset: *starts.last().unwrap(),
            seq: 200,
        };
        assert_eq!(last_line_at_most(&mut file, u64::MAX).unwrap(), Some(Some(last)));
    }

    #[test]
    fn a_line_without_a_number_ends_the_search() {
        assert_eq!(last_line_at_most(&mut file("garbage\n"), 1).unwrap(), None);
        assert_eq!(last_line_at_most(&mut file(""), 1).unwrap(), Some(None));
        assert_eq!(
            last_line_at_most(&mut file("no line feed at all"), 1).unwrap(),
            Some(None)
        );
    }
}
