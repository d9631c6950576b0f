//! Server-sent events out of bytes (WHATWG HTML, 9.2): the data of each, in whatever pieces the bytes come.
//!
//! Event names, ids and retry times are left out: the formats repeat in their data what matters. Unlike the readers of libraries it is
//! fed with bytes, and keeps an event whose last blank line never comes, as many servers end their streams.

/// The data with which chat completions end their stream. It ends nothing by itself.
pub(super) const DONE: &[u8] = b"[DONE]";

/// The events so far, up to the one that is not whole.
#[derive(Default)]
pub(super) struct Events {
    line: Vec<u8>,
    data: Option<Vec<u8>>,
    is_past_first_line: bool,
}

impl Events {
    /// Takes bytes that end no line; tells whether they are such. The smallest pieces cost little more than their copy.
    pub(super) fn keeps(&mut self, bytes: &[u8]) -> bool {
        let is_within = !bytes.contains(&b'\n');
        if is_within {
            self.line.extend_from_slice(bytes);
        }
        is_within
    }

    /// Takes bytes; gives the data of the events that they complete.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut complete = Vec::new();
        let mut rest = bytes;
        while let Some((line, after)) = rest
            .iter()
            .position(|byte| *byte == b'\n')
            .and_then(|at| rest.split_at_checked(at))
        {
            self.line.extend_from_slice(line);
            complete.extend(self.end_line());
            rest = after.get(1..).unwrap_or_default();
        }
        self.line.extend_from_slice(rest);
        complete
    }

    /// The data of an event that the end of the stream completes: many servers leave out the last blank line.
    pub(super) fn finish(&mut self) -> Vec<Vec<u8>> {
        let before = self.end_line();
        before.into_iter().chain(self.take_data()).collect()
    }

    /// An event without data is none.
    fn take_data(&mut self) -> Option<Vec<u8>> {
        self.data.take().filter(|data| !data.is_empty())
    }

    /// Takes the line that is complete, and leaves its room for the next one.
    fn end_line(&mut self) -> Option<Vec<u8>> {
        let mut line = std::mem::take(&mut self.line);
        let event = self.take_line(&line);
        line.clear();
        self.line = line;
        event
    }

    /// Takes a line; gives an event's data where it is the blank line after it.
    fn take_line(&mut self, line: &[u8]) -> Option<Vec<u8>> {
        let mut line = line.strip_suffix(b"\r").unwrap_or(line);
        if !std::mem::replace(&mut self.is_past_first_line, true) {
            line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        }
        if line.is_empty() {
            return self.take_data();
        }
        // A comment begins with the colon, and so has a field without a name.
        let value = line.strip_prefix(b"data").and_then(|rest| match rest {
            [] => Some(rest),
            [b':', b' ', value @ ..] | [b':', value @ ..] => Some(value),
            _ => None,
        })?;
        match &mut self.data {
            Some(data) => {
                data.push(b'\n');
                data.extend_from_slice(value);
            }
            None => self.data = Some(value.to_vec()),
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(pieces: &[&[u8]]) -> Vec<String> {
        let mut events = Events::default();
        let mut all: Vec<Vec<u8>> = pieces.iter().flat_map(|piece| events.feed(piece)).collect();
        all.extend(events.finish());
        all.into_iter().map(|data| String::from_utf8(data).unwrap()).collect()
    }

    const STREAM: &[u8] =
        "\u{FEFF}: hello\r\nevent: a\r\ndata: é1\r\n\r\n:\n\ndata:two\ndata: lines\nid: 7\n\ndatax: no\n\ndata\n\n\
        data:  kept\n\n\ndata: last"
            .as_bytes();

    #[test]
    fn data_lines_of_an_event_are_joined_and_everything_else_is_left_out() {
        assert_eq!(events(&[STREAM]), ["é1", "two\nlines", " kept", "last"]);
    }

    #[test]
    fn every_split_gives_the_same_events() {
        let whole = events(&[STREAM]);
        for at in 0..=STREAM.len() {
            let (before, after) = STREAM.split_at(at);
            assert_eq!(events(&[before, after]), whole, "{at}");
        }
        let bytes: Vec<&[u8]> = STREAM.chunks(1).collect();
        assert_eq!(events(&bytes), whole);
    }

    #[test]
    fn nothing_gives_nothing() {
        assert_eq!(events(&[]), [""; 0]);
        assert_eq!(events(&[b"\n\n\n"]), [""; 0]);
    }
}
