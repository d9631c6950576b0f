//! A file cut into lines, each with its place, never more than one line's limit in memory.
//!
//! It knows no JSON. Bytes after the last line feed are counted, not returned.

use std::io::{self, BufRead, Read as _};

use super::line::MAX_LINE_BYTES;

/// A line that ended with a line feed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RawLine {
    /// Counted from 1, blank lines included; from the start of the read when that was not the start of the file.
    pub(crate) number: u64,
    /// Where it begins in the file.
    pub(crate) offset: u64,
    /// Its text without line feed and surrounding blanks; None when it is longer than the limit.
    pub(crate) text: Option<Vec<u8>>,
}

/// The lines of a file from some line's start on.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    input: R,
    number: u64,
    /// End of the last whole line.
    end: u64,
    torn: u64,
}

impl<R: BufRead> Lines<R> {
    /// Cuts what `input` gives; its first byte stands at `offset` in the file.
    pub(crate) fn new(input: R, offset: u64) -> Self {
        Self {
            input,
            number: 0,
            end: offset,
            torn: 0,
        }
    }

    /// Where the last whole line ended.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// Bytes after the last line feed; known at the end only.
    pub(crate) fn torn_bytes(&self) -> u64 {
        self.torn
    }

    /// The next whole line, blank ones included.
    pub(crate) fn next_line(&mut self) -> io::Result<Option<RawLine>> {
        let limit = MAX_LINE_BYTES as u64 + 1;
        let mut text = Vec::new();
        let mut bytes = (&mut self.input).take(limit).read_until(b'\n', &mut text)? as u64;
        let mut whole = text.last() == Some(&b'\n');
        let long = !whole && bytes == limit;
        if long {
            let (skipped, found) = skip_line(&mut self.input)?;
            bytes = bytes.saturating_add(skipped);
            whole = found;
        }
        if !whole {
            // At the end the same question may be asked again, and gives nothing more.
            self.torn = self.torn.saturating_add(bytes);
            return Ok(None);
        }
        self.number = self.number.saturating_add(1);
        let line = RawLine {
            number: self.number,
            offset: self.end,
            text: (!long).then(|| text.trim_ascii().to_vec()),
        };
        self.end = self.end.saturating_add(bytes);
        Ok(Some(line))
    }
}

/// Reads past the next line feed: how many bytes, and whether there was one.
pub(crate) fn skip_line(input: &mut impl BufRead) -> io::Result<(u64, bool)> {
    let mut skipped = 0_u64;
    loop {
        let block = input.fill_buf()?;
        let feed = block.iter().position(|byte| *byte == b'\n');
        let bytes = feed.map_or(block.len(), |at| at + 1);
        let ended = block.is_empty();
        input.consume(bytes);
        skipped = skipped.saturating_add(bytes as u64);
        if ended || feed.is_some() {
            return Ok((skipped, feed.is_some()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &[u8]) -> (Vec<RawLine>, u64, u64) {
        let mut lines = Lines::new(text, 0);
        let mut seen = Vec::new();
        while let Some(line) = lines.next_line().unwrap() {
            seen.push(line);
        }
        (seen, lines.end(), lines.torn_bytes())
    }

    fn raw(number: u64, offset: u64, text: &str) -> RawLine {
        RawLine {
            number,
            offset,
            text: Some(text.as_bytes().to_vec()),
        }
    }

    #[test]
    fn lines_have_their_place_and_a_torn_tail_is_only_counted() {
        let expected = (vec![raw(1, 0, "a"), raw(2, 2, ""), raw(3, 3, "bc")], 7, 3);
        assert_eq!(all(b"a\n\nbc\r\nxyz"), expected);
        assert_eq!(all(b""), (vec![], 0, 0));
    }

    #[test]
    fn a_line_above_the_limit_is_passed_over() {
        let mut text = vec![b'x'; MAX_LINE_BYTES + 5];
        text.extend_from_slice(b"\nok\n");
        let end = text.len() as u64;
        let long = RawLine {
            number: 1,
            offset: 0,
            text: None,
        };
        assert_eq!(all(&text), (vec![long, raw(2, end - 3, "ok")], end, 0));
    }

    #[test]
    fn a_file_without_a_line_feed_is_one_torn_tail() {
        assert_eq!(
            all(&vec![0; MAX_LINE_BYTES + 5]),
            (vec![], 0, MAX_LINE_BYTES as u64 + 5)
        );
    }

    #[test]
    fn a_line_of_exactly_the_limit_is_read() {
        let mut text = vec![b'x'; MAX_LINE_BYTES];
        text.push(b'\n');
        let (lines, ..) = all(&text);
        assert_eq!(
            lines.first().and_then(|line| line.text.as_ref()).map(Vec::len),
            Some(MAX_LINE_BYTES)
        );
    }
}
