//! Finds error codes in the sources: texts of the form `area.code`. Tests, comments and the names of tools are left out.
//!
//! It reads texts and not the enums, because some codes are given by guests and some only in passing; a code that is put together at
//! run time (those of extensions) cannot be found.

use std::collections::BTreeSet;

use super::sources::{files_below, relative, rust_files};
use crate::host;

/// First parts of codes.
const AREAS: [&str; 17] = [
    "agent",
    "card",
    "chat",
    "chat_completion",
    "cli",
    "dice",
    "extension",
    "mcp",
    "model",
    "network",
    "prompt_assembly",
    "sandbox",
    "skill",
    "store",
    "tool",
    "workspace",
    "worldinfo",
];

/// Endings of file names, which look like codes.
const FILE_ENDINGS: [&str; 6] = ["json", "jsonl", "lock", "md", "toml", "wasm"];

/// Where the tests of a file begin; those in a file of their own are left out by its name.
const TESTS_IN_FILE: &str = "#[cfg(test)]\nmod tests {";

/// Tools that are no components.
const RUNTIME_TOOLS: [&str; 5] = [
    "agent.list",
    "agent.delegate",
    "agent.await",
    "agent.handoff",
    "task.return",
];

/// Every code, in order.
pub fn in_sources() -> BTreeSet<String> {
    below("")
}

/// Every code in files whose path begins so.
pub fn below(folder: &str) -> BTreeSet<String> {
    let tools = tool_names();
    let is_code = |text: &&str| is_dotted(text) && !tools.contains(*text);
    let mut codes = BTreeSet::new();
    for (path, text) in rust_files() {
        if !path.starts_with(folder) || path.starts_with("tests/") || is_test(&path) {
            continue;
        }
        let shipped = text.split(TESTS_IN_FILE).next().unwrap_or_default();
        let lines = shipped.lines().filter(|line| !line.trim_start().starts_with("//"));
        codes.extend(
            lines
                .flat_map(|line| line.split('"').skip(1).step_by(2))
                .filter(is_code)
                .map(str::to_owned),
        );
    }
    codes
}

fn is_test(path: &str) -> bool {
    let in_tests = path
        .split('/')
        .any(|part| matches!(part, "tests" | "benches" | "testkit" | "build"));
    in_tests
        || ["tests.rs", "testing.rs", "fake.rs", "fixture.rs", "properties.rs"]
            .iter()
            .any(|ending| path.ends_with(ending))
}

fn is_dotted(text: &str) -> bool {
    let Some((area, code)) = text.split_once('.') else {
        return false;
    };
    let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    AREAS.contains(&area) && !code.is_empty() && code.chars().all(is_word) && !FILE_ENDINGS.contains(&code)
}

/// The tools of the guests are named after their folder and their file.
fn tool_names() -> BTreeSet<String> {
    let files = files_below(&host::repository().join("plugins"));
    let name = |path: &std::path::PathBuf| {
        let path = relative(path);
        let (family, file) = path.strip_prefix("plugins/")?.split_once("/tool/")?;
        Some(format!("{family}.{}", file.strip_suffix(".md")?))
    };
    files
        .iter()
        .filter_map(name)
        .chain(RUNTIME_TOOLS.map(str::to_owned))
        .collect()
}

#[test]
fn texts_that_only_look_like_codes_are_left_out() {
    assert!(is_dotted("tool.timeout") && is_dotted("chat_completion.invalid_response"));
    assert!(!is_dotted("chat.jsonl") && !is_dotted("tool.") && !is_dotted("other.code") && !is_dotted("tool.Time"));
    assert!(tool_names().contains("dice.roll"));
}
