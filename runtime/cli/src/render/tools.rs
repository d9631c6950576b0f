//! The catalogue: tools by component, and one tool in detail. How a specification is told is in `spec`.

use innkeeper::Tool;
use innkeeper::protocol::tool::{Permission, Source, ToolSpec};

use super::calls::bytes;
use super::paint::Paint;
use super::spec::spec_lines;
use super::text::{fit, pad, plain, width, wrap};

/// The longest name of a built-in tool has 24.
const NAME_COLUMNS: usize = 25;
const TITLE_COLUMNS: usize = 26;
const SOURCE_COLUMNS: usize = 9;
/// `permission`, the head of its column.
const PERMISSION_COLUMNS: usize = 10;
/// Terminals that are narrower show no titles, so that there is room for what a tool may reach.
const MIN_COLUMNS_WITH_TITLE: usize = 110;
/// Digits of a digest that are enough to tell components apart.
const SHORT_DIGEST: usize = 8;

/// The tools as a table with a head, each component with its tools below it. `is_default` tells what a run offers unless a profile says
/// otherwise; the permission is the author's suggestion, as long as no policy or profile has another.
pub(crate) fn tool_table(
    tools: &[std::sync::Arc<Tool>],
    is_default: impl Fn(&ToolSpec) -> bool,
    paint: Paint,
    columns: Option<usize>,
) -> String {
    let head = Row {
        name: "tool",
        title: "title",
        source: "source",
        permission: "permission",
        reach: "may reach",
    };
    let mut lines = vec![paint.dim(&head.text(Paint::new(false), columns))];
    let mut component = None;
    for tool in tools {
        let info = tool.component();
        if component.as_ref() != Some(&info.sha256) {
            let size = bytes(u64::try_from(info.bytes).unwrap_or(u64::MAX));
            lines.push(String::new());
            lines.push(paint.dim(&format!("component {}  {size}", short(info.sha256.as_str()))));
            component = Some(info.sha256);
        }
        lines.push(tool_row(&tool.spec, is_default(&tool.spec), paint, columns));
    }
    lines.join("\n")
}

/// One line of the table, not laid out yet.
struct Row<'a> {
    name: &'a str,
    title: &'a str,
    source: &'a str,
    permission: &'a str,
    reach: &'a str,
}

impl Row<'_> {
    /// The line, cut to the columns if there is a limit.
    fn text(&self, paint: Paint, columns: Option<usize>) -> String {
        let mut cells = vec![pad(self.name, NAME_COLUMNS)];
        if columns.is_none_or(|all| all >= MIN_COLUMNS_WITH_TITLE) {
            cells.push(pad(self.title, TITLE_COLUMNS));
        }
        cells.push(pad(self.source, SOURCE_COLUMNS));
        cells.push(pad(self.permission, PERMISSION_COLUMNS));
        let used: usize = cells.iter().map(|cell| width(cell) + 2).sum();
        let reach = columns.map_or_else(
            || self.reach.to_owned(),
            |all| fit(self.reach, all.saturating_sub(used + 2)),
        );
        let (name, rest) = cells
            .split_first()
            .map_or(("", &[][..]), |(name, rest)| (name.as_str(), rest));
        let line = format!("  {}  {}  {}", paint.name(name), rest.join("  "), paint.dim(&reach));
        line.trim_end().to_owned()
    }
}

fn tool_row(spec: &ToolSpec, is_default: bool, paint: Paint, columns: Option<usize>) -> String {
    let uses = spec.uses.iter().map(|name| name.trim_start_matches("innkeeper:"));
    let mut reach: Vec<String> = uses.map(plain).collect();
    if !is_default {
        reach.push("off by default".to_owned());
    }
    let row = Row {
        name: spec.native_name.as_str(),
        title: &plain(&spec.title),
        source: source_name(spec.source),
        permission: permission_name(spec.permission),
        reach: &reach.join(", "),
    };
    row.text(paint, columns)
}

const fn source_name(source: Source) -> &'static str {
    match source {
        Source::Builtin => "builtin",
        Source::Mcp => "mcp",
        Source::Extension => "extension",
    }
}

/// The word for a permission.
pub(super) const fn permission_name(permission: Permission) -> &'static str {
    match permission {
        Permission::Allow => "allow",
        Permission::Ask => "ask",
        Permission::Deny => "deny",
    }
}

fn short(digest: &str) -> &str {
    digest.get(..SHORT_DIGEST).unwrap_or(digest)
}

/// One tool: names, words, arguments, hints, component.
pub(crate) fn tool_details(tool: &Tool, alias: &str, paint: Paint, columns: usize) -> String {
    let spec = &tool.spec;
    let info = tool.component();
    let mut lines = vec![
        format!("{}  {}", paint.strong(spec.native_name.as_str()), plain(&spec.title)),
        paint.dim(&format!("{}, to a model {alias}", spec.id)),
        String::new(),
    ];
    lines.extend(spec_lines(spec, paint, columns));
    lines.push(String::new());
    lines.push(paint.strong("component"));
    lines.push(format!(
        "  {}  {}",
        info.sha256,
        bytes(u64::try_from(info.bytes).unwrap_or(u64::MAX))
    ));
    lines.push(wrap(&format!("imports {}", info.imports.join(", ")), columns, 2));
    lines.push(wrap(&format!("exports {}", info.exports.join(", ")), columns, 2));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: Row<'static> = Row {
        name: "tide.table",
        title: "Tide table",
        source: "extension",
        permission: "ask",
        reach: "workspace/reader, random/random, log/log",
    };

    #[test]
    fn a_narrow_terminal_has_no_titles_and_no_line_too_long() {
        let plain = Paint::new(false);
        let name = "  tide.table                 ";
        let rest = "extension  ask         workspace/reader, random/random, log/log";
        let title = "Tide table                  ";
        assert_eq!(ROW.text(plain, None), format!("{name}{title}{rest}"));
        assert_eq!(ROW.text(plain, Some(120)), format!("{name}{title}{rest}"));
        let narrow = ROW.text(plain, Some(80));
        assert_eq!(
            narrow,
            format!("{name}extension  ask         workspace/reader, random/ra\u{2026}")
        );
        assert_eq!(width(&narrow), 80);
    }
}
