//! A tool's specification for people: its words, its arguments, what it may do, what its author suggests.
//!
//! The words may be a stranger's: everything is made harmless for a terminal, and long texts are cut.

use innkeeper::protocol::tool::{Annotations, Budget, Permission, ToolSpec, Visibility};
use serde_json::{Map, Value};

use super::paint::Paint;
use super::text::{counted, plain, plain_lines, wrap};

/// Characters of a description that are shown; those of real tools have fewer.
const MAX_WORDS_CHARS: usize = 4_000;
/// Members of a schema that are shown.
const MAX_MEMBERS: usize = 40;
/// Choices of an argument that are shown.
const MAX_CHOICES: usize = 12;

/// Description, arguments, result and behaviour. Names and title are not among them.
pub(super) fn spec_lines(spec: &ToolSpec, paint: Paint, columns: usize) -> Vec<String> {
    let mut lines = vec![
        wrap(&words(&spec.description), columns, 2),
        String::new(),
        paint.strong("arguments"),
    ];
    lines.extend(member_lines(&spec.input_schema, paint, columns));
    if let Some(schema) = &spec.output_schema {
        lines.push(String::new());
        lines.push(paint.strong("result"));
        lines.extend(member_lines(schema, paint, columns));
    }
    lines.push(String::new());
    lines.push(paint.strong("behaviour"));
    let uses: Vec<String> = spec.uses.iter().map(|name| plain(name)).collect();
    let reach = match uses.is_empty() {
        true => "nothing".to_owned(),
        false => uses.join(", "),
    };
    lines.push(wrap(&hints(&spec.annotations), columns, 2));
    lines.push(wrap(&format!("may reach {reach}"), columns, 2));
    lines.push(wrap(&suggestion(spec), columns, 2));
    lines
}

/// The members of an object's schema, one below the other.
fn member_lines(schema: &Value, paint: Paint, columns: usize) -> Vec<String> {
    let empty = Map::new();
    let members = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    if members.is_empty() {
        return vec![paint.dim("  none")];
    }
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let member = |(name, property): (&String, &Value)| {
        let need = match required.contains(&name.as_str()) {
            true => ", required",
            false => "",
        };
        let kind = paint.dim(&format!("{}{need}", kind(property)));
        let head = format!("  {} {kind}", paint.name(&plain(name)));
        match property.get("description").and_then(Value::as_str) {
            None | Some("") => head,
            Some(text) => format!("{head}\n{}", wrap(&words(text), columns, 6)),
        }
    };
    let mut lines: Vec<String> = members.iter().take(MAX_MEMBERS).map(member).collect();
    if let Some(more) = members.len().checked_sub(MAX_MEMBERS).filter(|more| *more > 0) {
        lines.push(paint.dim(&format!("  and {more} more, which --json shows")));
    }
    lines
}

/// `string`, `string or null`, `"a" or "b"`.
fn kind(property: &Value) -> String {
    if let Some(choices) = property.get("enum").and_then(Value::as_array)
        && choices.len() <= MAX_CHOICES
    {
        let choices: Vec<String> = choices.iter().map(|choice| plain(&choice.to_string())).collect();
        return choices.join(" or ");
    }
    match property.get("type") {
        Some(Value::String(name)) => plain(name),
        Some(Value::Array(names)) => {
            let names: Vec<String> = names.iter().filter_map(Value::as_str).map(plain).collect();
            names.join(" or ")
        }
        _ => "any".to_owned(),
    }
}

fn hints(annotations: &Annotations) -> String {
    let Annotations {
        read_only,
        destructive,
        idempotent,
        open_world,
        cost,
    } = annotations;
    let mut hints = vec![if *read_only { "only reads" } else { "changes things" }];
    hints.extend(destructive.then_some("may overwrite"));
    hints.extend(idempotent.then_some("may be repeated without further effect"));
    hints.extend(open_world.then_some("reaches outside the host"));
    let cost = serde_json::to_value(cost).ok();
    let cost = cost.as_ref().and_then(Value::as_str).unwrap_or("normal");
    format!("{}, {cost} cost", hints.join(", "))
}

/// Permission, audience and budget as the author suggests them.
fn suggestion(spec: &ToolSpec) -> String {
    let permission = match spec.permission {
        Permission::Allow => "calls without asking",
        Permission::Ask => "asking before each call",
        Permission::Deny => "no calls unless somebody allows them",
    };
    let audience = match spec.visibility {
        Visibility::Model => "",
        Visibility::User => ", for people and not for models",
    };
    format!("suggests {permission}{audience}; {}", ceilings(&spec.budget))
}

fn ceilings(budget: &Budget) -> String {
    let Budget {
        max_calls,
        max_output_chars,
        timeout_ms,
    } = budget;
    let mut parts = Vec::new();
    parts.extend(max_calls.map(|calls| counted(calls, "call")));
    parts.extend(max_output_chars.map(|chars| format!("{} a reply", counted(chars, "character"))));
    parts.extend(timeout_ms.map(|ms| format!("{ms} ms a call")));
    match parts.is_empty() {
        true => "the host's own limits".to_owned(),
        false => format!("at most {}", parts.join(", ")),
    }
}

/// A text of several lines, cut where it is longer than anybody reads.
fn words(text: &str) -> String {
    match text.char_indices().nth(MAX_WORDS_CHARS) {
        None => plain_lines(text),
        Some((end, _)) => format!("{}\u{2026}", plain_lines(text.get(..end).unwrap_or_default())),
    }
}

#[cfg(test)]
mod tests {
    use innkeeper::protocol::id::{ToolId, ToolName};
    use innkeeper::protocol::tool::{Cost, Source};
    use serde_json::json;

    use super::*;

    /// A tool that has something of everything.
    fn spec() -> ToolSpec {
        ToolSpec {
            id: ToolId::parse("extension/tide:tide.table").unwrap(),
            native_name: ToolName::parse("tide.table").unwrap(),
            title: "Tide table".to_owned(),
            description: "Tells when the river turns.\n\n\u{1b}[2JUse it before a crossing.".to_owned(),
            input_schema: json!({
                "type": "object",
                "properties": {
                    "bank": {"enum": ["near", "far"], "description": "Which bank, as the ferry sees it."},
                    "days": {"type": ["integer", "null"]},
                    "note": {"type": "string"},
                    "other": {},
                },
                "required": ["bank"],
            }),
            output_schema: Some(json!({"type": "object", "properties": {"high": {"type": "string"}}})),
            annotations: Annotations {
                read_only: false,
                destructive: true,
                idempotent: true,
                open_world: true,
                cost: Cost::High,
            },
            visibility: Visibility::User,
            permission: Permission::Ask,
            budget: Budget {
                max_calls: Some(1),
                max_output_chars: Some(2_000),
                timeout_ms: Some(500),
            },
            source: Source::Extension,
            uses: vec!["innkeeper:random/random".to_owned(), "innkeeper:log/log".to_owned()],
        }
    }

    #[test]
    fn a_specification_is_told_in_words() {
        insta::assert_snapshot!(spec_lines(&spec(), Paint::new(false), 60).join("\n"));
    }

    #[test]
    fn a_tool_of_few_words_is_told_too() {
        let terse = ToolSpec {
            input_schema: json!({"type": "object"}),
            output_schema: None,
            annotations: Annotations {
                read_only: true,
                destructive: false,
                idempotent: false,
                open_world: false,
                cost: Cost::Low,
            },
            visibility: Visibility::Model,
            permission: Permission::Allow,
            budget: Budget::default(),
            uses: Vec::new(),
            ..spec()
        };
        insta::assert_snapshot!(spec_lines(&terse, Paint::new(false), 60).join("\n"));
    }

    #[test]
    fn endless_words_and_members_are_cut() {
        assert_eq!(
            words(&"渡".repeat(MAX_WORDS_CHARS + 1)).chars().count(),
            MAX_WORDS_CHARS + 1
        );
        let members: Map<String, Value> = (0..MAX_MEMBERS + 3).map(|at| (format!("m{at}"), json!({}))).collect();
        let lines = member_lines(&json!({ "properties": members }), Paint::new(false), 60);
        assert_eq!(lines.len(), MAX_MEMBERS + 1);
        assert_eq!(
            lines.last().map(String::as_str),
            Some("  and 3 more, which --json shows")
        );
    }
}
