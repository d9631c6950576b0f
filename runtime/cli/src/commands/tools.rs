//! `tools list` and `tools show`: the catalogue, whether or not a profile offers it.

use innkeeper::profile::Profile;
use innkeeper::protocol::tool::ToolSpec;
use innkeeper::{HostError, ListedTool, Tool, ToolList, usual_alias};

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
        console.json_value(&ToolList::of(&catalogue))?;
    } else {
        let profile = host.default_profile();
        let table = tool_table(tools, |spec| is_offered(&profile, spec), console.paint, console.columns);
        console.line(&table)?;
        for diagnostic in diagnostics {
            console.line(&format!(
                "\n{}",
                diagnostic_text(diagnostic, console.paint, console.wrap_columns())
            ))?;
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
        let list = ToolList {
            tools: vec![ListedTool::of(tool)],
            diagnostics: Vec::new(),
        };
        console.json_value(&list)?;
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
