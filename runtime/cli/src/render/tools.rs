//! The catalogue: tools by component, and one tool in detail.

use innkeeper::Tool;
use innkeeper::protocol::tool::{Annotations, ToolSpec};
use serde_json::{Map, Value};

use super::calls::bytes;
use super::paint::Paint;
use super::text::{fit, pad, plain, plain_lines, wrap};

const NAME_COLUMNS: usize = 26;
const TITLE_COLUMNS: usize = 24;
/// Digits of a digest that are enough to tell components apart.
pub(super) const SHORT_DIGEST: usize = 8;

/// The tools, each component with its tools below it. `is_default` tells what a run offers unless a profile says otherwise.
pub(crate) fn tool_table(
    tools: &[std::sync::Arc<Tool>],
    is_default: impl Fn(&ToolSpec) -> bool,
    paint: Paint,
    columns: Option<usize>,
) -> String {
    let mut lines = Vec::new();
    let mut component = None;
    for tool in tools {
        let info = tool.component();
        if component.as_ref() != Some(&info.sha256) {
            if component.is_some() {
                lines.push(String::new());
            }
            let size = bytes(u64::try_from(info.bytes).unwrap_or(u64::MAX));
            lines.push(paint.dim(&format!("component {}  {size}", short(info.sha256.as_str()))));
            component = Some(info.sha256);
        }
        lines.push(tool_row(&tool.spec, is_default(&tool.spec), paint, columns));
    }
    lines.join("\n")
}

fn tool_row(spec: &ToolSpec, is_default: bool, paint: Paint, columns: Option<usize>) -> String {
    let name = pad(spec.native_name.as_str(), NAME_COLUMNS);
    let title = pad(&plain(&spec.title), TITLE_COLUMNS);
    let uses = spec.uses.iter().map(|name| name.trim_start_matches("innkeeper:"));
    let mut notes: Vec<String> = uses.map(plain).collect();
    if !is_default {
        notes.push("off by default".to_owned());
    }
    let notes = notes.join(", ");
    let notes = columns.map_or_else(
        || notes.clone(),
        |all| fit(&notes, all.saturating_sub(NAME_COLUMNS + TITLE_COLUMNS + 4)),
    );
    format!("  {}{title}  {}", paint.name(&name), paint.dim(&notes))
        .trim_end()
        .to_owned()
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
        wrap(&plain_lines(&spec.description), columns, 2),
        String::new(),
        paint.strong("arguments"),
    ];
    lines.extend(argument_lines(&spec.input_schema, paint, columns));
    lines.push(String::new());
    lines.push(paint.strong("behaviour"));
    lines.push(wrap(&hints(&spec.annotations), columns, 2));
    let uses: Vec<String> = spec.uses.iter().map(|name| plain(name)).collect();
    lines.push(wrap(
        &format!(
            "may reach {}",
            if uses.is_empty() {
                "nothing".to_owned()
            } else {
                uses.join(", ")
            }
        ),
        columns,
        2,
    ));
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

fn argument_lines(schema: &Value, paint: Paint, columns: usize) -> Vec<String> {
    let empty = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    if properties.is_empty() {
        return vec![paint.dim("  none")];
    }
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let argument = |(name, property): (&String, &Value)| {
        let kind = property.get("type").and_then(Value::as_str).unwrap_or("any");
        let need = if required.contains(&name.as_str()) {
            ", required"
        } else {
            ""
        };
        let words = property.get("description").and_then(Value::as_str).unwrap_or_default();
        let head = format!(
            "  {} {}",
            paint.name(&plain(name)),
            paint.dim(&format!("{}{need}", plain(kind)))
        );
        if words.is_empty() {
            head
        } else {
            format!("{head}\n{}", wrap(&plain_lines(words), columns, 6))
        }
    };
    properties.iter().map(argument).collect()
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_are_listed_with_type_and_need() {
        let schema = json!({
            "type": "object",
            "properties": {
                "formula": {"type": "string", "description": "Dice notation, such as `2d6`."},
                "times": {"type": "integer"},
            },
            "required": ["formula"],
        });
        insta::assert_snapshot!(argument_lines(&schema, Paint::new(false), 60).join("\n"));
        assert_eq!(
            argument_lines(&json!({"type": "object"}), Paint::new(false), 60),
            ["  none"]
        );
    }
}
