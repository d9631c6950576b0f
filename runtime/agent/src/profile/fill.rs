//! The words of a tool as one invocation reads them: placeholders filled, then other people's words put in place.
//!
//! The spec in the catalogue is never changed, and neither are names, argument shapes or limits. An unknown placeholder has been
//! refused long before, when the component was loaded; here it would stay as it is.

use innkeeper_protocol::path::{RootName, WorkspacePath};
use innkeeper_protocol::tool::{Placeholder, Source, ToolSpec};
use serde_json::Value;

use super::abilities::ToolText;
use super::resolved::ResolvedProfile;

/// Keys of a JSON Schema whose values are data and not words for the model.
const DATA_KEYS: [&str; 4] = ["const", "default", "enum", "examples"];

/// What the placeholders of an invocation stand for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fills {
    /// Roots that can be read, in their order.
    pub visible_roots: Vec<RootName>,
    /// Roots that can be written, in their order.
    pub writable_roots: Vec<RootName>,
    /// Where the message is drafted.
    pub message_path: WorkspacePath,
    /// How much of skills can be read.
    pub read_budget: ReadBudget,
}

/// How much of skills can be read, in Unicode scalars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadBudget {
    /// In one call.
    pub per_call: u32,
    /// In all calls of the invocation.
    pub per_run: u32,
}

impl Fills {
    /// What the placeholders stand for in an invocation of this profile that sees its workspace as it is.
    #[must_use]
    pub fn of(profile: &ResolvedProfile) -> Self {
        Self {
            visible_roots: profile.readable_roots().collect(),
            writable_roots: profile.workspace().writable_roots.clone(),
            message_path: profile.message_path().clone(),
            read_budget: ReadBudget {
                per_call: profile.skills().max_read_chars_per_call,
                per_run: profile.skills().max_read_chars_per_run,
            },
        }
    }

    fn text(&self, placeholder: Placeholder) -> String {
        match placeholder {
            Placeholder::VisibleRoots => roots(&self.visible_roots),
            Placeholder::WritableRoots => roots(&self.writable_roots),
            Placeholder::MessagePath => self.message_path.to_string(),
            Placeholder::ReadBudget => {
                let ReadBudget { per_call, per_run } = self.read_budget;
                format!("{per_call} characters per call and {per_run} in all")
            }
        }
    }

    /// The text with every placeholder filled, in one pass: what is put in is not looked at again.
    fn fill(&self, text: &str) -> String {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, from)) = rest.find('{').and_then(|at| rest.split_at_checked(at)) {
            filled.push_str(before);
            let found = Placeholder::ALL
                .into_iter()
                .find_map(|p| Some((p, from.strip_prefix(p.token())?)));
            rest = match found {
                Some((placeholder, after)) => {
                    filled.push_str(&self.text(placeholder));
                    after
                }
                None => {
                    filled.push('{');
                    from.strip_prefix('{').unwrap_or_default()
                }
            };
        }
        filled.push_str(rest);
        filled
    }
}

fn roots(roots: &[RootName]) -> String {
    if roots.is_empty() {
        return "no folder".to_owned();
    }
    let named: Vec<String> = roots.iter().map(|root| format!("`{root}/`")).collect();
    named.join(", ")
}

/// The spec as one invocation reads it. Placeholders come first, then the `overrides` one after the other: those of an MCP
/// registration before those of the profile, so that the profile has the last word. Overrides are taken as they are.
///
/// The texts of MCP servers hold no placeholders of ours and are left alone.
#[must_use]
pub fn fill(spec: &ToolSpec, fills: &Fills, overrides: &[&ToolText]) -> ToolSpec {
    let mut filled = spec.clone();
    if spec.source != Source::Mcp {
        filled.title = fills.fill(&spec.title);
        filled.description = fills.fill(&spec.description);
        fill_schema(&mut filled.input_schema, fills);
    }
    for text in overrides {
        put_in_place(&mut filled, text);
    }
    filled
}

/// Fills the descriptions of a schema, at every depth. An argument that is itself called `description` is an object and no text.
fn fill_schema(schema: &mut Value, fills: &Fills) {
    match schema {
        Value::Object(members) => {
            for (key, value) in members {
                match value {
                    Value::String(text) if key == "description" => *text = fills.fill(text),
                    _ if DATA_KEYS.contains(&key.as_str()) && !value.is_object() => {}
                    _ => fill_schema(value, fills),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| fill_schema(item, fills)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn put_in_place(spec: &mut ToolSpec, text: &ToolText) {
    if let Some(description) = &text.description {
        spec.description.clone_from(description);
    }
    let Some(arguments) = spec.input_schema.get_mut("properties").and_then(Value::as_object_mut) else {
        return;
    };
    for (name, words) in &text.properties {
        if let Some(argument) = arguments.get_mut(name).and_then(Value::as_object_mut) {
            argument.insert("description".to_owned(), Value::String(words.clone()));
        }
    }
}
