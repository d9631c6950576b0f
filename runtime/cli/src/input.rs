//! Reading what the person names: a file, the standard input, or JSON written out.
//!
//! Only regular files are read, so that nothing hangs on a pipe; the one exception is the standard input, asked for with `-`. Every
//! size has a cap.

use std::fs::File;
use std::io::{self, IsTerminal as _, Read};
use std::path::Path;

use serde::de::DeserializeOwned;

use crate::failure::Failure;

/// Most bytes of arguments or a script of calls: what all writes of one call may hold together, so nothing useful is refused.
pub(crate) const MAX_JSON_BYTES: u64 = 16 * MIB;
/// Most bytes of a profile; real ones have a few thousand.
pub(crate) const MAX_PROFILE_BYTES: u64 = MIB;
/// Most bytes of a prompt snapshot, which may hold images as text.
const MAX_SNAPSHOT_BYTES: u64 = 64 * MIB;
/// Most bytes of a component, the sandbox's own limit.
const MAX_COMPONENT_BYTES: u64 = 64 * MIB;
const MIB: u64 = 1024 * 1024;
/// Characters of a broken line that an error shows on each side of the place.
const EXCERPT_CHARS: usize = 30;

/// Reads a regular file of at most `cap` bytes. `what` names it in an error, as `the profile`.
pub(crate) fn read_file(what: &str, path: &Path, cap: u64) -> Result<Vec<u8>, Failure> {
    let bytes = read_capped(what, open(what, path)?, cap)?;
    bytes.ok_or_else(|| too_large("cli.file_too_large", what, cap))
}

fn open(what: &str, path: &Path) -> Result<File, Failure> {
    let shown = path.display();
    let unreadable = |error: io::Error| {
        let hint = match error.kind() {
            io::ErrorKind::NotFound => "Check the path.",
            _ => "Check the path and its permissions.",
        };
        Failure::usage("cli.file_unreadable", format!("{what} {shown} cannot be read: {error}")).hint(hint)
    };
    // Asked before opening: opening a pipe would wait for someone to write into it.
    let kind = std::fs::metadata(path).map_err(unreadable)?.file_type();
    if !kind.is_file() {
        let found = if kind.is_dir() { "a folder" } else { "a pipe or device" };
        let message = format!("{what} {shown} cannot be read: it is {found}, not a regular file");
        return Err(Failure::usage("cli.file_not_regular", message).hint("Give the path of a file."));
    }
    File::open(path).map_err(unreadable)
}

/// Reads a component file.
pub(crate) fn read_component(path: &Path) -> Result<Vec<u8>, Failure> {
    let what = "the component";
    let bytes = read_capped(what, open(what, path)?, MAX_COMPONENT_BYTES)?;
    bytes.ok_or_else(|| too_large("extension.too_large", what, MAX_COMPONENT_BYTES))
}

/// What a front end captured of the world info that it activated.
pub(crate) fn read_activation(path: &Path) -> Result<serde_json::Value, Failure> {
    let bytes = read_file("the activation", path, MAX_JSON_BYTES)?;
    parse_json("the activation", &bytes)
}

/// A front end's own prompt.
pub(crate) fn read_snapshot(path: &Path) -> Result<serde_json::Value, Failure> {
    let bytes = read_file("the prompt snapshot", path, MAX_SNAPSHOT_BYTES)?;
    parse_json("the prompt snapshot", &bytes)
}

/// Reads the standard input to its end, at most `cap` bytes.
pub(crate) fn read_standard_input(what: &str, cap: u64) -> Result<Vec<u8>, Failure> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        crate::console::note("reading JSON from the terminal; end it with Ctrl-D");
    }
    let bytes = read_capped(what, stdin.lock(), cap)?;
    bytes.ok_or_else(|| too_large("cli.file_too_large", what, cap))
}

/// Everything up to the end, or nothing where that is beyond the cap.
fn read_capped(what: &str, source: impl Read, cap: u64) -> Result<Option<Vec<u8>>, Failure> {
    let mut bytes = Vec::new();
    source
        .take(cap.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::usage("cli.file_unreadable", format!("{what} cannot be read: {error}")))?;
    let is_whole = u64::try_from(bytes.len()).unwrap_or(u64::MAX) <= cap;
    Ok(is_whole.then_some(bytes))
}

fn too_large(code: &str, what: &str, cap: u64) -> Failure {
    Failure::usage(code, format!("{what} is larger than {} MiB", cap / MIB)).hint("Give a smaller one.")
}

/// Parses JSON and points at the place where it is wrong.
pub(crate) fn parse_json<T: DeserializeOwned>(what: &str, bytes: &[u8]) -> Result<T, Failure> {
    let fail = |message: String| Failure::usage("cli.invalid_json", message);
    // Editors on Windows put a byte-order mark in front, which RFC 8259 lets a reader ignore.
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| {
        fail(format!(
            "{what} cannot be used: it is not UTF-8 text (byte {})",
            error.valid_up_to()
        ))
        .hint("JSON is UTF-8; convert the file, or check that it is the right one.")
    })?;
    serde_json::from_str(text).map_err(|error| {
        let place = excerpt(text, error.line(), error.column());
        let hint = place.map_or_else(
            || "Correct it at that place.".to_owned(),
            |near| format!("Correct it near: {near}"),
        );
        fail(format!("{what} cannot be used: {error}")).hint(hint)
    })
}

/// What stands around a line and column, both counted from 1, the column in bytes.
fn excerpt(text: &str, line: usize, column: usize) -> Option<String> {
    let line = text.lines().nth(line.checked_sub(1)?)?;
    let mut at = column.saturating_sub(1).min(line.len());
    while !line.is_char_boundary(at) {
        at = at.saturating_sub(1);
    }
    let (before, after) = line.split_at_checked(at)?;
    let head: String = before
        .chars()
        .rev()
        .take(EXCERPT_CHARS)
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .collect();
    let tail: String = after.chars().take(EXCERPT_CHARS).collect();
    let shown = crate::render::plain(&format!("{head}\u{25b6}{tail}"));
    (!shown.trim().is_empty()).then_some(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_json_is_pointed_at() {
        let failure = parse_json::<serde_json::Value>("--args", "{\"a\": 1,\n \"b\" 2}".as_bytes()).unwrap_err();
        assert_eq!(
            failure.message,
            "--args cannot be used: expected `:` at line 2 column 6"
        );
        assert_eq!(failure.hint.as_deref(), Some("Correct it near: \"b\" \u{25b6}2}"));
    }

    #[test]
    fn a_place_inside_a_wide_character_is_no_trouble() {
        assert_eq!(excerpt("\"灯灯\"x", 1, 3).as_deref(), Some("\"\u{25b6}灯灯\"x"));
        assert_eq!(excerpt("", 1, 0), None);
        assert_eq!(excerpt("abc", 0, usize::MAX), None);
    }

    #[test]
    fn binary_is_named_as_such_and_nesting_is_bounded() {
        let binary = parse_json::<serde_json::Value>("the script", b"\xff\xfe{}").unwrap_err();
        assert_eq!(
            binary.message,
            "the script cannot be used: it is not UTF-8 text (byte 0)"
        );
        let deep = "[".repeat(100_000);
        let failure = parse_json::<serde_json::Value>("--args", deep.as_bytes()).unwrap_err();
        assert!(
            failure.message.contains("recursion limit exceeded"),
            "{}",
            failure.message
        );
    }

    #[test]
    fn a_folder_and_a_file_above_the_cap_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let code = |result: Result<Vec<u8>, Failure>| result.unwrap_err().code;
        assert_eq!(
            code(read_file("the profile", folder.path(), 10)),
            "cli.file_not_regular"
        );
        let file = folder.path().join("f");
        assert_eq!(code(read_file("the profile", &file, 10)), "cli.file_unreadable");
        std::fs::write(&file, "12345678901").unwrap();
        assert_eq!(code(read_file("the profile", &file, 10)), "cli.file_too_large");
        assert_eq!(read_file("the profile", &file, 11).unwrap().len(), 11);
    }
}
