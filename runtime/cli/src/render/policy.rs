//! The policy: its rules, what comes of them for each tool, and what a change did.

use innkeeper::protocol::tool::Permission;
use innkeeper::{PolicyChange, PolicyReport, PolicyReset, ReportedRule, ToolVerdict};

use super::paint::Paint;
use super::text::{fit, pad, plain};
use super::tools::permission_name;

const TABLE_COLUMNS: usize = 10;
const TARGET_COLUMNS: usize = 34;
const PERMISSION_COLUMNS: usize = 7;
/// Columns before the reason.
const INDENTED: usize = 2 + TARGET_COLUMNS + PERMISSION_COLUMNS;

/// The rules of the file, then every tool with what holds for it and why.
pub(crate) fn policy_text(report: &PolicyReport, paint: Paint, columns: Option<usize>) -> String {
    let file = plain(&report.file.to_string_lossy());
    let state = match (&report.problem, report.exists, report.rules.is_empty()) {
        (Some(_), ..) => paint.bad("cannot be used: every tool with an effect is denied"),
        (None, false, _) => paint.dim("does not exist, so the defaults hold"),
        (None, true, true) => paint.dim("has no rules, so the defaults hold"),
        (None, true, false) => String::new(),
    };
    let mut lines = vec![format!("{}  {state}", paint.strong(&file)).trim_end().to_owned()];
    lines.extend(report.rules.iter().map(|rule| rule_row(rule, paint)));
    lines.push(String::new());
    lines.push(paint.strong("tools, in runs whose profile allows them"));
    lines.extend(report.tools.iter().map(|tool| tool_row(tool, paint, columns)));
    lines.join("\n")
}

fn rule_row(rule: &ReportedRule, paint: Paint) -> String {
    let table = pad(&format!("[{}]", rule.table), TABLE_COLUMNS);
    let target = padded(&plain(&rule.target));
    let line = paint.dim(&format!("line {}", rule.line));
    format!(
        "  {table}  {}{}{line}",
        paint.name(&target),
        shown(rule.permission, paint)
    )
}

fn tool_row(tool: &ToolVerdict, paint: Paint, columns: Option<usize>) -> String {
    let name = padded(&plain(tool.id.as_str()));
    let mut reason = plain(&tool.reason);
    if !tool.offered_by_default && tool.permission != Permission::Deny {
        reason.push_str("; the default profile leaves it out");
    }
    let reason = columns.map_or_else(|| reason.clone(), |all| fit(&reason, all.saturating_sub(INDENTED)));
    format!(
        "  {}{}{}",
        paint.name(&name),
        shown(tool.permission, paint),
        paint.dim(&reason)
    )
}

/// A name is never cut: it is what one writes to change its rule.
fn padded(name: &str) -> String {
    format!(
        "{name:<width$}",
        width = TARGET_COLUMNS.max(name.len().saturating_add(2))
    )
}

fn shown(permission: Permission, paint: Paint) -> String {
    let text = pad(permission_name(permission), PERMISSION_COLUMNS);
    match permission {
        Permission::Allow => paint.good(&text),
        Permission::Ask => paint.odd(&text),
        Permission::Deny => paint.bad(&text),
    }
}

/// What the file says now, and the tools for which something stricter or closer holds.
pub(crate) fn policy_change(change: &PolicyChange, paint: Paint) -> String {
    let already = if change.changed { "" } else { " already" };
    let head = format!(
        "{}{} in {}{already}",
        paint.name(&padded(&plain(&change.target))),
        shown(change.permission, paint),
        plain(&change.file.to_string_lossy())
    );
    let others = change.tools.iter().filter(|tool| tool.permission != change.permission);
    let mut lines = vec![head];
    lines.extend(others.map(|tool| {
        let stays = format!("{} stays at {}", tool.id, permission_name(tool.permission));
        format!("  {}: {}", paint.odd(&plain(&stays)), plain(&tool.reason))
    }));
    let is_host = change.target.starts_with("http=");
    if change.tools.is_empty() && !is_host {
        lines.push(paint.dim("  This host has no such tool now; the rule holds as soon as it has one."));
    }
    lines.join("\n")
}

/// What a reset did.
pub(crate) fn policy_reset(reset: &PolicyReset) -> String {
    let file = plain(&reset.file.to_string_lossy());
    if !reset.existed {
        return format!("There is no {file}; the defaults hold.");
    }
    let rest = match reset.platform_rules {
        0 => "The defaults hold.",
        _ => "What the application says below [platform] still holds.",
    };
    match &reset.kept {
        None => format!("Your rules are gone from {file}. {rest}"),
        Some(kept) => format!(
            "The old file could not be used and is kept as {}. {rest}",
            plain(&kept.to_string_lossy())
        ),
    }
}

#[cfg(test)]
mod tests {
    use innkeeper::protocol::id::ToolId;

    use super::*;

    fn tool(id: &str, permission: Permission, reason: &str) -> ToolVerdict {
        ToolVerdict {
            id: ToolId::parse(id).unwrap(),
            permission,
            reason: reason.to_owned(),
            offered_by_default: id != "builtin:dice.roll",
        }
    }

    #[test]
    fn rules_come_first_and_then_what_comes_of_them() {
        let rule = ReportedRule {
            table: "source",
            target: "mcp/0f8fad5b-d9cb-469f-a165-70867728950e".to_owned(),
            permission: Permission::Ask,
            line: 4,
        };
        let report = PolicyReport {
            file: "/d/policy.toml".into(),
            exists: true,
            rules: vec![rule],
            problem: None,
            tools: vec![
                tool("builtin:dice.roll", Permission::Allow, "allowed by default"),
                tool(
                    "builtin:chat.search",
                    Permission::Deny,
                    "the user's policy denies this tool",
                ),
            ],
        };
        let expected = "\
/d/policy.toml
  [source]    mcp/0f8fad5b-d9cb-469f-a165-70867728950e  ask    line 4

tools, in runs whose profile allows them
  builtin:dice.roll                 allow  allowed by default; the default profile leaves it out
  builtin:chat.search               deny   the user's policy denies this tool";
        assert_eq!(policy_text(&report, Paint::new(false), None), expected);
    }

    #[test]
    fn a_change_tells_where_something_else_holds() {
        let change = PolicyChange {
            file: "/d/policy.toml".into(),
            target: "builtin".to_owned(),
            permission: Permission::Allow,
            changed: true,
            tools: vec![
                tool("builtin:dice.roll", Permission::Allow, "x"),
                tool(
                    "builtin:chat.search",
                    Permission::Deny,
                    "the application denies this tool",
                ),
            ],
        };
        let expected = "\
builtin                           allow   in /d/policy.toml
  builtin:chat.search stays at deny: the application denies this tool";
        assert_eq!(policy_change(&change, Paint::new(false)), expected);
    }
}
