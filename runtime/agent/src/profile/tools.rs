//! The tools of a profile: which there are, which it offers, what it says about them.
//!
//! Tools are compared by their whole id; a model's name for a tool means nothing in a profile.

use std::collections::BTreeMap;

use innkeeper_protocol::id::{Provider, ToolId, ToolIdError};
use innkeeper_protocol::tool::ToolSpec;
use serde_json::{Map, Value};

use super::abilities::{ToolText, Tools};
use super::error::ProfileError;
use super::field::{NumberField, Requirement, ToolList};
use super::resolve::require;
use super::resolved::ResolvedTools;

pub(super) const AGENT_LIST: &str = "builtin:agent.list";
pub(super) const AGENT_DELEGATE: &str = "builtin:agent.delegate";
pub(super) const AGENT_AWAIT: &str = "builtin:agent.await";
pub(super) const AGENT_HANDOFF: &str = "builtin:agent.handoff";
pub(super) const WORKSPACE_COMMIT: &str = "builtin:workspace.commit";
pub(super) const WORKSPACE_FINISH: &str = "builtin:workspace.finish";
pub(super) const WORKSPACE_WRITE: &str = "builtin:workspace.write_file";
/// Given to delegated agents by the runtime. A profile that allowed it would let a run end as a task; one that denied it would leave
/// a task without an end.
pub(super) const TASK_RETURN: &str = "builtin:task.return";

/// Whether the profile offers the tool of this id.
pub(super) fn offers(tools: &ResolvedTools, id: &str) -> bool {
    let named = |list: &[ToolId]| list.iter().any(|tool| tool.as_str() == id);
    named(&tools.allow) && !named(&tools.deny)
}

pub(super) fn resolve(tools: &Tools, catalogue: &[ToolSpec]) -> Result<ResolvedTools, ProfileError> {
    if tools.allow.is_empty() {
        return Err(ProfileError::ToolsEmpty);
    }
    let catalogue = Catalogue(catalogue);
    let allow = catalogue.distinct(ToolList::Allow, &tools.allow)?;
    let absent = allow
        .iter()
        .filter(|tool| catalogue.spec(tool).is_none())
        .cloned()
        .collect();
    let mut resolved = ResolvedTools {
        absent,
        allow,
        deny: catalogue.distinct(ToolList::Deny, &tools.deny)?,
        ask: Vec::new(),
        on_denied: tools.on_denied,
        tool_descriptions: BTreeMap::new(),
        max_rounds: 0,
        max_calls_per_run: 0,
        max_calls_per_tool: BTreeMap::new(),
        mcp_result_inline_char_limit: 0,
        limits: None,
    };
    for name in &tools.ask {
        let tool = catalogue.offered(ToolList::Ask, name, &resolved)?;
        if !resolved.ask.contains(&tool) {
            resolved.ask.push(tool);
        }
    }
    for (name, text) in &tools.tool_descriptions {
        let tool = catalogue.offered(ToolList::Descriptions, name, &resolved)?;
        let text = catalogue.text(&tool, text)?;
        resolved.tool_descriptions.insert(tool, text);
    }
    resolved.max_rounds = NumberField::MaxRounds.check(tools.max_rounds)?;
    resolved.max_calls_per_run = NumberField::MaxCalls.check(tools.max_calls_per_run)?;
    for (name, value) in &tools.max_calls_per_tool {
        let tool = catalogue.offered(ToolList::Caps, name, &resolved)?;
        let cap = u32::try_from(*value).ok().filter(|cap| *cap > 0);
        let cap = cap.ok_or_else(|| ProfileError::ToolCap {
            tool: tool.clone(),
            value: *value,
        })?;
        resolved.max_calls_per_tool.insert(tool, cap);
    }
    resolved.mcp_result_inline_char_limit = NumberField::InlineChars.check(tools.mcp_result_inline_char_limit)?;
    resolved.limits = tools.limits.map(|limits| limits.check()).transpose()?;
    require(offers(&resolved, WORKSPACE_WRITE), Requirement::Writer)?;
    Ok(resolved)
}

/// The tools that there are.
struct Catalogue<'a>(&'a [ToolSpec]);

impl Catalogue<'_> {
    fn spec(&self, tool: &ToolId) -> Option<&ToolSpec> {
        self.0.iter().find(|spec| spec.id == *tool)
    }

    /// The tools that a list names: each of them known, none of them twice.
    fn distinct(&self, list: ToolList, names: &[String]) -> Result<Vec<ToolId>, ProfileError> {
        let mut tools: Vec<ToolId> = Vec::with_capacity(names.len());
        for name in names {
            let tool = self.known(list, name)?;
            if tools.contains(&tool) {
                return Err(ProfileError::DuplicateTool { list, tool });
            }
            tools.push(tool);
        }
        Ok(tools)
    }

    /// A known tool that the profile offers.
    fn offered(&self, list: ToolList, name: &str, tools: &ResolvedTools) -> Result<ToolId, ProfileError> {
        let tool = self.known(list, name)?;
        if tools.offers(&tool) {
            Ok(tool)
        } else {
            Err(ProfileError::HiddenTool { list, tool })
        }
    }

    fn known(&self, list: ToolList, name: &str) -> Result<ToolId, ProfileError> {
        let unknown = |advice| ProfileError::UnknownTool {
            list,
            tool: name.chars().take(200).collect(),
            advice,
        };
        let tool = ToolId::parse(name).map_err(|error| unknown(self.advice_on(name, &error)))?;
        if tool.as_str() == TASK_RETURN {
            return Err(ProfileError::TaskReturn { list });
        }
        // Servers and extensions come and go without anybody touching the profile; our own tools do not.
        if matches!(tool.provider(), Provider::Builtin) && self.spec(&tool).is_none() {
            return Err(unknown(
                "`innkeeper tools list` shows the tools that there are".to_owned(),
            ));
        }
        Ok(tool)
    }

    /// What to write for a name that is no id: the built-in tool of that name, where there is one.
    fn advice_on(&self, name: &str, error: &ToolIdError) -> String {
        let meant = ToolId::parse(&format!("builtin:{name}"))
            .ok()
            .filter(|id| self.spec(id).is_some());
        meant.map_or_else(|| error.to_string(), |id| format!("write `{id}`"))
    }

    /// Other words for a tool, trimmed; arguments are compared only where the tool is there.
    fn text(&self, tool: &ToolId, text: &ToolText) -> Result<ToolText, ProfileError> {
        let description = text.description.as_deref().map(str::trim);
        if description == Some("") {
            return Err(ProfileError::ToolTextBlank { tool: tool.clone() });
        }
        let properties = match self.spec(tool) {
            Some(spec) if !text.properties.is_empty() => Some(properties_of(spec)?),
            _ => None,
        };
        let mut trimmed = ToolText {
            description: description.map(str::to_owned),
            properties: BTreeMap::new(),
        };
        for (name, words) in &text.properties {
            if let Some(known) = properties.filter(|known| !known.contains_key(name)) {
                return Err(unknown_property(tool, name, known));
            }
            let words = words.trim();
            if words.is_empty() {
                return Err(ProfileError::PropertyTextBlank {
                    tool: tool.clone(),
                    property: name.clone(),
                });
            }
            trimmed.properties.insert(name.clone(), words.to_owned());
        }
        Ok(trimmed)
    }
}

/// The top-level arguments of a tool, each of which must be an object to have a description.
fn properties_of(spec: &ToolSpec) -> Result<&Map<String, Value>, ProfileError> {
    let properties = spec.input_schema.get("properties").and_then(Value::as_object);
    let described = properties.filter(|properties| properties.values().all(Value::is_object));
    described.ok_or_else(|| ProfileError::NoProperties { tool: spec.id.clone() })
}

fn unknown_property(tool: &ToolId, property: &str, known: &Map<String, Value>) -> ProfileError {
    let known: Vec<&str> = known.keys().map(String::as_str).collect();
    ProfileError::UnknownProperty {
        tool: tool.clone(),
        property: property.to_owned(),
        known: known.join(", "),
    }
}
