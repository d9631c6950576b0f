//! A JSON object or array taken apart into raw pieces: setting one key or element and rendering again gives back every other byte.
//!
//! It does not interpret values, sort keys or drop repetitions. Of repeated keys the last one counts, as in JavaScript; only that
//! one is read or replaced, and removing a key removes all of them.

use std::borrow::Cow;

use super::json::{Fault, Scanner, decode_string, encode_string};

/// One key with its value and the white space around both.
#[derive(Debug, Clone)]
struct Member<'a> {
    lead: &'a str,
    key: Cow<'a, str>,
    colon: &'a str,
    value: Cow<'a, str>,
    trail: &'a str,
}

/// An object, taken apart.
#[derive(Debug, Clone)]
pub(super) struct RawObject<'a> {
    before: &'a str,
    members: Vec<Member<'a>>,
    hollow: &'a str,
    after: &'a str,
}

impl<'a> RawObject<'a> {
    /// `{}`.
    pub(super) fn empty() -> Self {
        Self {
            before: "",
            members: Vec::new(),
            hollow: "",
            after: "",
        }
    }

    /// Takes apart a text that holds one object and white space, nothing else.
    pub(super) fn parse(text: &'a str) -> Result<Self, Fault> {
        let mut scan = Scanner::new(text);
        let before = scan.white_space();
        if !scan.eat(b'{') {
            return scan.fault("expected an object");
        }
        let hollow = scan.white_space();
        let mut object = Self {
            before: scan.slice(before),
            members: Vec::new(),
            hollow: scan.slice(hollow),
            after: "",
        };
        if !scan.eat(b'}') {
            object.members(&mut scan)?;
        }
        object.after = rest(&mut scan)?;
        Ok(object)
    }

    /// The object in `value`, or an empty one when there is none.
    pub(super) fn of(value: Option<&'a str>) -> Self {
        value
            .and_then(|text| Self::parse(text).ok())
            .unwrap_or_else(Self::empty)
    }

    fn members(&mut self, scan: &mut Scanner<'a>) -> Result<(), Fault> {
        // The white space after `{` belongs to the first member.
        let mut lead = std::mem::take(&mut self.hollow);
        loop {
            let key = scan.string()?;
            let colon_start = scan.pos();
            scan.white_space();
            if !scan.eat(b':') {
                return scan.fault("expected `:`");
            }
            scan.white_space();
            let colon = colon_start..scan.pos();
            let value = scan.value()?;
            let trail = scan.white_space();
            self.members.push(Member {
                lead,
                key: Cow::Borrowed(scan.slice(key)),
                colon: scan.slice(colon),
                value: Cow::Borrowed(scan.slice(value)),
                trail: scan.slice(trail),
            });
            if scan.eat(b'}') {
                return Ok(());
            }
            if !scan.eat(b',') {
                return scan.fault("expected `,` or `}`");
            }
            let span = scan.white_space();
            lead = scan.slice(span);
        }
    }

    /// The raw value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.members
            .iter()
            .rev()
            .find(|member| member.is(key))
            .map(|member| member.value.as_ref())
    }

    /// The text of a key whose value is a string.
    pub(super) fn text(&self, key: &str) -> Option<Cow<'_, str>> {
        self.get(key).and_then(decode_string)
    }

    /// The object below a key; empty when there is none.
    pub(super) fn object(&self, key: &str) -> RawObject<'_> {
        RawObject::of(self.get(key))
    }

    /// The array below a key; empty when there is none.
    pub(super) fn array(&self, key: &str) -> RawArray<'_> {
        RawArray::of(self.get(key))
    }

    /// Whether a key is there at all.
    pub(super) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Replaces a key's raw value in its place, or adds the key at the end.
    pub(super) fn set(&mut self, key: &str, value: impl Into<Cow<'a, str>>) {
        let value = value.into();
        if let Some(member) = self.members.iter_mut().rev().find(|member| member.is(key)) {
            member.value = value;
            return;
        }
        let key = Cow::Owned(encode_string(key));
        self.members.push(Member {
            lead: "",
            key,
            colon: ":",
            value,
            trail: "",
        });
    }

    /// Removes every occurrence of a key.
    pub(super) fn remove(&mut self, key: &str) {
        self.members.retain(|member| !member.is(key));
    }

    /// The object as text again.
    pub(super) fn render(&self) -> String {
        let mut text = format!("{}{{{}", self.before, self.hollow);
        for (position, member) in self.members.iter().enumerate() {
            if position > 0 {
                text.push(',');
            }
            for part in [member.lead, &member.key, member.colon, &member.value, member.trail] {
                text.push_str(part);
            }
        }
        text.push('}');
        text.push_str(self.after);
        text
    }
}

impl Member<'_> {
    fn is(&self, key: &str) -> bool {
        decode_string(&self.key).is_some_and(|own| own == key)
    }
}

/// An array, taken apart.
#[derive(Debug, Clone)]
pub(super) struct RawArray<'a> {
    items: Vec<Item<'a>>,
    hollow: &'a str,
}

#[derive(Debug, Clone)]
struct Item<'a> {
    lead: &'a str,
    value: Cow<'a, str>,
    trail: &'a str,
}

impl<'a> RawArray<'a> {
    /// The array in `value`, or an empty one when there is none.
    pub(super) fn of(value: Option<&'a str>) -> Self {
        value.and_then(|text| Self::parse(text).ok()).unwrap_or(Self {
            items: Vec::new(),
            hollow: "",
        })
    }

    /// Takes apart a text that holds one array.
    pub(super) fn parse(text: &'a str) -> Result<Self, Fault> {
        let mut scan = Scanner::new(text);
        if !scan.eat(b'[') {
            return scan.fault("expected an array");
        }
        let hollow = scan.white_space();
        let mut array = Self {
            items: Vec::new(),
            hollow: scan.slice(hollow),
        };
        if !scan.eat(b']') {
            array.items(&mut scan)?;
        }
        rest(&mut scan)?;
        Ok(array)
    }

    fn items(&mut self, scan: &mut Scanner<'a>) -> Result<(), Fault> {
        let mut lead = std::mem::take(&mut self.hollow);
        loop {
            let value = scan.value()?;
            let trail = scan.white_space();
            self.items.push(Item {
                lead,
                value: Cow::Borrowed(scan.slice(value)),
                trail: scan.slice(trail),
            });
            if scan.eat(b']') {
                return Ok(());
            }
            if !scan.eat(b',') {
                return scan.fault("expected `,` or `]`");
            }
            let span = scan.white_space();
            lead = scan.slice(span);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// The raw element at a position.
    pub(super) fn get(&self, position: usize) -> Option<&str> {
        self.items.get(position).map(|item| item.value.as_ref())
    }

    /// The raw elements in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.items.iter().map(|item| item.value.as_ref())
    }

    /// Replaces an element; nothing happens beyond the end.
    pub(super) fn set(&mut self, position: usize, value: String) {
        if let Some(item) = self.items.get_mut(position) {
            item.value = Cow::Owned(value);
        }
    }

    /// Adds an element at the end.
    pub(super) fn push(&mut self, value: String) {
        self.items.push(Item {
            lead: "",
            value: Cow::Owned(value),
            trail: "",
        });
    }

    /// Drops the elements from `len` on.
    pub(super) fn truncate(&mut self, len: usize) {
        self.items.truncate(len);
    }

    /// The array as text again.
    pub(super) fn render(&self) -> String {
        let mut text = format!("[{}", self.hollow);
        for (position, item) in self.items.iter().enumerate() {
            if position > 0 {
                text.push(',');
            }
            for part in [item.lead, &item.value, item.trail] {
                text.push_str(part);
            }
        }
        text.push(']');
        text
    }
}

/// White space up to the end, and nothing else.
fn rest<'a>(scan: &mut Scanner<'a>) -> Result<&'a str, Fault> {
    let span = scan.white_space();
    if scan.peek().is_some() {
        return scan.fault("more text after the value");
    }
    Ok(scan.slice(span))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ODD: &str = "  { \"a\" : 1234567890123456789012345 ,\"b\":NaN, \"\\u0061\":\"last\" , \"c\" :[ 1, {} ] }\t";

    #[test]
    fn rendering_gives_every_byte_back() {
        for text in [ODD, "{}", "{ }", r#"{"a":{}}"#] {
            assert_eq!(
                RawObject::parse(text).map(|object| object.render()).as_deref(),
                Ok(text)
            );
        }
        for text in ["[]", "[ ]", "[1 , 2]", "[[ ],\n{}]"] {
            assert_eq!(RawArray::parse(text).map(|array| array.render()).as_deref(), Ok(text));
        }
    }

    #[test]
    fn setting_a_repeated_key_replaces_the_one_that_counts() {
        let mut object = RawObject::parse(ODD).unwrap();
        assert_eq!(object.text("a").as_deref(), Some("last"));
        object.set("a", "true");
        object.set("new \"key\"", "1");
        let expected = ODD
            .replace("\"last\"", "true")
            .replace("[ 1, {} ] }", "[ 1, {} ] ,\"new \\\"key\\\"\":1}");
        assert_eq!(object.render(), expected);
    }

    #[test]
    fn removing_takes_all_repetitions() {
        let mut object = RawObject::parse(r#"{"a":1, "b":2,"a":3}"#).unwrap();
        object.remove("a");
        assert_eq!(object.render(), r#"{ "b":2}"#);
        object.remove("b");
        assert_eq!(object.render(), "{}");
    }

    #[test]
    fn text_after_the_value_is_refused() {
        assert_eq!(
            RawObject::parse("{} x").map(|_| ()),
            Err(Fault {
                offset: 3,
                what: "more text after the value"
            })
        );
        assert_eq!(
            RawObject::parse("[1]").map(|_| ()),
            Err(Fault {
                offset: 0,
                what: "expected an object"
            })
        );
    }

    #[test]
    fn arrays_grow_and_shrink_in_place() {
        let mut array = RawArray::parse("[ 1, 2 ]").unwrap();
        array.push("3".into());
        array.set(0, "9".into());
        assert_eq!(array.render(), "[ 9, 2 ,3]");
        array.truncate(1);
        assert_eq!((array.len(), array.render()), (1, "[ 9]".into()));
    }
}
