//! `tools list` and `tools show`: the catalogue, whether or not a profile offers it.

use innkeeper::profile::Profile;
use innkeeper::{HostError, Tool, usual_alias};
use innkeeper_protocol::tool::ToolSpec;
use serde_json::{Value, json};

use super::host::{is_named, tools_only};
use crate::console::Console;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::place::DataRoot;
use crate::render::{diagnostic_text, tool_details, tool_table};

/// Lists every tool.
pub(super) async fn list(data: Option<&DataRoot>, console: &mut Console) -> Result<Exit, Failure> {
    let host = tools_only(data).await?;
    let catalogue = host.tools();
    let (tools, diagnostics) = (catalogue.tools(), catalogue.diagnostics());
    if console.json {
        let rows: Vec<Value> = tools.iter().map(|tool| tool_json(tool)).collect::<Result<_, _>>()?;
        console.json_value(&json!({ "tools": rows, "diagnostics": diagnostics }))?;
    } else {
        let profile = host.default_profile();
        let table = tool_table(tools, |spec| is_offered(&profile, spec), console.paint, console.columns);
        console.line(&table)?;
        for diagnostic in diagnostics {
            console.line(&format!("\n{}", diagnostic_text(diagnostic, console.paint, console.wrap_columns())))?;
        }
    }
    Ok(Exit::Done)
}

fn is_offered(profile: &Profile, spec: &ToolSpec) -> bool {
    profile.tools.allow.iter().any(|id| id == spec.id.as_str())
}

/// Shows one tool.
pub(super) async fn show(name: &str, data: Option<&DataRoot>, console: &mut Console) -> Result<Exit, Failure> {
    let host = tools_only(data).await?;
    let catalogue = host.tools();
    let tools = catalogue.tools();
    let tool = tools
        .iter()
        .find(|tool| is_named(&tool.spec, name))
        .ok_or_else(|| unknown(name, tools))?;
    if console.json {
        console.json_value(&json!({ "tools": [tool_json(tool)?], "diagnostics": [] }))?;
    } else {
        let columns = console.wrap_columns();
        console.line(&tool_details(tool, &alias(&tool.spec), console.paint, columns))?;
    }
    Ok(Exit::Done)
}

/// A tool that does not exist.
pub(super) fn unknown(name: &str, tools: &[std::sync::Arc<Tool>]) -> Failure {
    let known: Vec<&str> = tools.iter().map(|tool| tool.spec.native_name.as_str()).collect();
    let error = HostError::new("tool.not_found", format!("there is no tool {name:?}"));
    Failure::from(error).hint(format!("Tools here: {}.", known.join(", ")))
}

fn alias(spec: &ToolSpec) -> String {
    usual_alias(spec).map(String::from).unwrap_or_default()
}

/// The specification with the alias after the native name, and the component.
fn tool_json(tool: &Tool) -> Result<Value, Failure> {
    let unwritable = |error: serde_json::Error| Failure::machine("agent.internal_error", error.to_string());
    let spec = serde_json::to_value(&tool.spec).map_err(unwritable)?;
    let component = serde_json::to_value(tool.component()).map_err(unwritable)?;
    let alias = Value::String(alias(&tool.spec));
    let mut row = serde_json::Map::new();
    for (name, value) in spec.as_object().into_iter().flatten() {
        row.insert(name.clone(), value.clone());
        if name == "nativeName" {
            row.insert("modelAlias".to_owned(), alias.clone());
        }
    }
    row.insert("component".to_owned(), component);
    Ok(Value::Object(row))
}
