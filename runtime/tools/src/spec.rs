//! From the specification that a component gives to the one that the host works with; everything is checked on the way.

use innkeeper_capabilities::Interface;
use innkeeper_protocol::id::ToolName;
use innkeeper_protocol::tool::{
    Annotations, Budget, Cost, Permission, Source, ToolSpec, Visibility, unknown_placeholder,
};
use innkeeper_sandbox::{Compiled, wire};
use serde_json::Value;

use crate::catalogue::Origin;
use crate::error::ToolsError;

/// Most bytes of one text of a specification.
const MAX_SPEC_TEXT_BYTES: usize = 1024 * 1024;

/// Checks one specification of a component.
pub(crate) fn accept(
    component: &str,
    origin: &Origin,
    compiled: &Compiled,
    spec: wire::Spec,
) -> Result<ToolSpec, ToolsError> {
    let tool = spec.name.clone();
    let bad = |reason: String| ToolsError::BadSpec {
        component: component.to_owned(),
        tool: tool.clone(),
        reason,
    };
    let native_name = ToolName::parse(&spec.name).map_err(|e| bad(e.to_string()))?;
    let input_schema = schema("input schema", &spec.input_schema).map_err(&bad)?;
    if input_schema.get("type").and_then(Value::as_str) != Some("object") {
        return Err(bad(
            "the root of its input schema must have the type \"object\"".to_owned()
        ));
    }
    let output_schema = spec
        .output_schema
        .as_deref()
        .map(|text| schema("output schema", text))
        .transpose();
    let output_schema = output_schema.map_err(&bad)?;
    if spec.title.trim().is_empty() || spec.description.trim().is_empty() {
        return Err(bad("it has no title or no description".to_owned()));
    }
    check_placeholders(component, &tool, &spec.description, &input_schema)?;
    check_uses(&spec, compiled).map_err(&bad)?;
    Ok(ToolSpec {
        id: origin.tool_id(&native_name).map_err(|e| bad(e.to_string()))?,
        native_name,
        title: spec.title,
        description: spec.description,
        input_schema,
        output_schema,
        annotations: annotations(&spec.annotations),
        visibility: match spec.visibility {
            wire::Visibility::Model => Visibility::Model,
            wire::Visibility::User => Visibility::User,
        },
        permission: match spec.permission {
            wire::Permission::Allow => Permission::Allow,
            wire::Permission::Ask => Permission::Ask,
            wire::Permission::Deny => Permission::Deny,
        },
        budget: Budget {
            max_calls: spec.budget.max_calls,
            max_output_chars: spec.budget.max_output_chars,
            timeout_ms: spec.budget.timeout_ms,
        },
        source: match origin {
            Origin::Builtin => Source::Builtin,
            Origin::Extension(_) => Source::Extension,
        },
        uses: spec.uses,
    })
}

fn annotations(wire: &wire::Annotations) -> Annotations {
    Annotations {
        read_only: wire.read_only,
        destructive: wire.destructive,
        idempotent: wire.idempotent,
        open_world: wire.open_world,
        cost: match wire.cost {
            wire::Cost::Low => Cost::Low,
            wire::Cost::Normal => Cost::Normal,
            wire::Cost::High => Cost::High,
        },
    }
}

fn schema(what: &str, text: &str) -> Result<Value, String> {
    if text.len() > MAX_SPEC_TEXT_BYTES {
        return Err(format!("its {what} has more than {MAX_SPEC_TEXT_BYTES} bytes"));
    }
    let value: Value = serde_json::from_str(text).map_err(|e| format!("its {what} is not JSON: {e}"))?;
    jsonschema::meta::validate(&value).map_err(|e| format!("its {what} is no JSON Schema: {e}"))?;
    Ok(value)
}

/// Texts for the model stand in the description and in the descriptions of the schema.
fn check_placeholders(component: &str, tool: &str, description: &str, schema: &Value) -> Result<(), ToolsError> {
    let found = unknown_placeholder(description)
        .map(str::to_owned)
        .or_else(|| unknown_in(schema));
    match found {
        None => Ok(()),
        Some(placeholder) => Err(ToolsError::UnknownPlaceholder {
            component: component.to_owned(),
            tool: tool.to_owned(),
            placeholder,
        }),
    }
}

fn unknown_in(schema: &Value) -> Option<String> {
    match schema {
        Value::Object(map) => {
            let own = map
                .get("description")
                .and_then(Value::as_str)
                .and_then(unknown_placeholder);
            own.map(str::to_owned).or_else(|| map.values().find_map(unknown_in))
        }
        Value::Array(items) => items.iter().find_map(unknown_in),
        _ => None,
    }
}

fn check_uses(spec: &wire::Spec, compiled: &Compiled) -> Result<(), String> {
    let imported: Vec<_> = compiled
        .imports
        .iter()
        .filter_map(|name| Interface::parse(name))
        .collect();
    for used in &spec.uses {
        let interface =
            Interface::parse(used).ok_or_else(|| format!("it uses `{used}`, which this host does not have"))?;
        if !imported.contains(&interface) {
            return Err(format!("it uses `{used}`, which its component does not import"));
        }
        let changes = matches!(interface, Interface::WorkspaceWriter | Interface::RunControl);
        if spec.annotations.read_only && changes {
            return Err(format!("it says that it only reads, but uses `{used}`"));
        }
    }
    Ok(())
}
