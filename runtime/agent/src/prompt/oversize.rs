//! Results that are too long to be shown: a readable file, and a preview that says where it is and how to read on.
//!
//! Built-in tools page by limits of their own and never come here. What is stored as the result stays whole.

use innkeeper_protocol::call::ToolResult;
use innkeeper_protocol::id::Provider;
use innkeeper_protocol::path::WorkspacePath;

use super::template::fill_in;

const NOTICE: &str = include_str!("oversize_notice.md");
const READ: &str = include_str!("oversize_read.md");
const UNREADABLE: &str = include_str!("oversize_unreadable.md");
const SEARCH: &str = include_str!("oversize_search.md");
const PREVIEW: &str = include_str!("oversize_preview.md");
/// Unicode scalars of the preview.
const PREVIEW_CHARS: usize = 3_000;
/// Longest line of the readable file in Unicode scalars, so that tools that page by lines can read it.
const MAX_LINE_CHARS: usize = 3_000;

/// The tools that a model could read the file with, by their aliases in this invocation.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReadingTools<'a> {
    /// Reads a file.
    pub read: Option<&'a str>,
    /// Searches files.
    pub search: Option<&'a str>,
}

/// The readable file of a result that has more than `limit` Unicode scalars; none for a shorter one, or a built-in tool's.
///
/// A line break is put in where a line would have more than 3,000 Unicode scalars; nothing else changes.
#[must_use]
pub fn readable_view(result: &ToolResult, limit: u32) -> Option<String> {
    let is_builtin = *result.tool_id.provider() == Provider::Builtin;
    let is_long = result.model_text.chars().nth(limit as usize).is_some();
    (!is_builtin && is_long).then(|| wrapped(&result.model_text))
}

fn wrapped(text: &str) -> String {
    let mut view = String::with_capacity(text.len() + text.len() / MAX_LINE_CHARS + 1);
    let mut in_line = 0;
    for c in text.chars() {
        if c == '\n' {
            in_line = 0;
        } else {
            if in_line == MAX_LINE_CHARS {
                view.push('\n');
                in_line = 0;
            }
            in_line += 1;
        }
        view.push(c);
    }
    view
}

/// What the model reads instead: a notice, advice on reading and searching, and the beginning of the text.
#[must_use]
pub fn preview(text: &str, limit: u32, view: &WorkspacePath, tools: ReadingTools<'_>) -> String {
    let chars = text.chars().count().to_string();
    let shown = PREVIEW_CHARS.to_string();
    let beginning: String = text.chars().take(PREVIEW_CHARS).collect();
    let mut parts = vec![fill_in(
        NOTICE,
        &[
            ("chars", &chars),
            ("limit", &limit.to_string()),
            ("path", view.as_str()),
        ],
    )];
    parts.push(match tools.read {
        Some(alias) => fill_in(READ, &[("read", alias)]),
        None => fill_in(UNREADABLE, &[]),
    });
    parts.extend(tools.search.map(|alias| fill_in(SEARCH, &[("search", alias)])));
    parts.push(fill_in(
        PREVIEW,
        &[("shown", &shown), ("chars", &chars), ("text", &beginning)],
    ));
    parts.join("\n\n")
}

#[cfg(test)]
mod tests {
    use innkeeper_protocol::call::ToolError;
    use innkeeper_protocol::id::{CallId, ToolId};

    use super::*;

    fn result(tool: &str, text: &str) -> ToolResult {
        let error = ToolError::new("x.y", "");
        let mut result = ToolResult::of_error(CallId::parse("c").unwrap(), ToolId::parse(tool).unwrap(), error);
        text.clone_into(&mut result.model_text);
        result
    }

    #[test]
    fn the_limit_itself_is_still_shown_whole() {
        assert_eq!(readable_view(&result("extension/a:b", "12345"), 5), None);
        assert_eq!(
            readable_view(&result("extension/a:b", "123456"), 5).as_deref(),
            Some("123456")
        );
        assert_eq!(readable_view(&result("builtin:a.b", "123456"), 5), None);
    }

    #[test]
    fn long_lines_are_broken_and_nothing_else_changes() {
        let text = format!("{}\n{}ß", "a".repeat(3_000), "ü".repeat(3_000));
        let view = wrapped(&text);
        assert_eq!(
            view.lines().map(|line| line.chars().count()).collect::<Vec<_>>(),
            [3_000, 3_000, 1]
        );
        assert_eq!(view.replace('\n', ""), text.replace('\n', ""));
    }

    #[test]
    fn the_preview_says_where_and_how() {
        let path = WorkspacePath::parse("tool-results/call_1.txt").unwrap();
        let tools = ReadingTools {
            read: Some("workspace_read_file"),
            search: None,
        };
        let text = preview(&"x{path}".repeat(1_000), 50, &path, tools);
        assert!(text.starts_with("The result has 7000 characters, more than the 50 that are shown at once."));
        assert!(text.contains("`tool-results/call_1.txt`") && text.contains("with workspace_read_file"));
        assert!(!text.contains("Search it"));
        assert!(
            text.ends_with(&"x{path}".repeat(500)[..3_000]),
            "the beginning is passed on as it is"
        );
        let blind = preview("abc", 1, &path, ReadingTools::default());
        assert!(blind.contains("No tool to read it"));
    }
}
