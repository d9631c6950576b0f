//! Where in a file an error is to be corrected.
//!
//! It knows errors and profiles, and nothing of the text of a file: lines and columns are not told.

use super::super::error::ProfileError;
use super::super::field::{Requirement, TextField, ToolList};
use super::super::json_path::JsonPath;
use super::super::schema::{Artifact, Profile};
use super::super::tools::TASK_RETURN;

/// The place; the list as a whole where the profile is not known well enough to name one entry.
pub(super) fn of(error: &ProfileError, profile: Option<&Profile>) -> JsonPath {
    let at = JsonPath::dotted;
    match error {
        ProfileError::ContractInvalid { path, .. } => path.clone(),
        ProfileError::SchemaUnsupported { .. } => at("schemaVersion"),
        ProfileError::KindInvalid { .. } => at("kind"),
        ProfileError::IdEmpty
        | ProfileError::IdTooLong { .. }
        | ProfileError::IdInvalid { .. }
        | ProfileError::IdMismatch { .. } => at("id"),
        ProfileError::MigrationTwice { member, tool } => at("tools").key(member).key(tool),
        ProfileError::Blank { field } => text(*field, profile),
        ProfileError::ModelExtraFields { .. } => at("model"),
        ProfileError::Number { field, .. } => at(&field.to_string()),
        ProfileError::ModelRetry { .. } => at("run.modelRetry"),
        ProfileError::SkillBudget { .. } => at("skills.maxReadCharsPerCall"),
        ProfileError::PlanMode { .. } => at("plan.mode"),
        ProfileError::PlanNodes { .. } => at("plan.nodes"),
        ProfileError::ToolsEmpty => at("tools.allow"),
        ProfileError::UnknownTool { list, tool, .. } => named(*list, tool, profile),
        ProfileError::DuplicateTool { list, tool } => last_named(*list, tool.as_str(), profile),
        ProfileError::TaskReturn { list } => named(*list, TASK_RETURN, profile),
        ProfileError::HiddenTool { list, tool } => named(*list, tool.as_str(), profile),
        ProfileError::ToolCap { tool, .. } => at("tools.maxCallsPerTool").key(tool.as_str()),
        ProfileError::ToolLimit { name, .. } => at("tools.limits").key(name),
        ProfileError::ToolTextBlank { tool } => at("tools.toolDescriptions").key(tool.as_str()).key("description"),
        ProfileError::NoProperties { tool } => at("tools.toolDescriptions").key(tool.as_str()).key("properties"),
        ProfileError::PropertyTextBlank { tool, property } | ProfileError::UnknownProperty { tool, property, .. } => {
            let tool = at("tools.toolDescriptions").key(tool.as_str());
            tool.key("properties").key(property)
        }
        ProfileError::CallersEmpty => at("delegation.allowedCallers"),
        ProfileError::CallerInvalid { caller } => entry(
            at("delegation.allowedCallers"),
            profile.map(|profile| &profile.delegation.allowed_callers),
            caller,
        ),
        ProfileError::Requires(requirement) => requires(*requirement),
        ProfileError::SkillsEmpty => at("skills.visible"),
        ProfileError::SkillName { name } => skill(name, profile),
        ProfileError::RootsEmpty => at("workspace.visibleRoots"),
        ProfileError::RootUnknown { root } => entry(
            at("workspace.visibleRoots"),
            profile.map(|profile| &profile.workspace.visible_roots),
            root,
        ),
        ProfileError::RootHidden { root } => entry(
            at("workspace.writableRoots"),
            profile.map(|profile| &profile.workspace.writable_roots),
            root,
        ),
        ProfileError::ArtifactsEmpty | ProfileError::MessageBodyMissing => at("output.artifacts"),
        ProfileError::ArtifactId { id } => artifact(profile, |artifact| artifact.id == *id, "id"),
        ProfileError::ArtifactIdTwice { id } => last_artifact(profile, |artifact| artifact.id == *id, "id"),
        ProfileError::ArtifactPath { id, .. } => artifact(profile, |artifact| artifact.id == *id, "path"),
        ProfileError::ArtifactPathTwice { path } => {
            last_artifact(profile, |artifact| artifact.path == path.as_str(), "path")
        }
        ProfileError::ArtifactPathDenied { path } => {
            artifact(profile, |artifact| artifact.path == path.as_str(), "path")
        }
        ProfileError::MessageBodyTwice { second, .. } => artifact(profile, |artifact| artifact.id == *second, "target"),
    }
}

fn text(field: TextField, profile: Option<&Profile>) -> JsonPath {
    match field {
        TextField::ArtifactKind => artifact(profile, |artifact| artifact.kind.trim().is_empty(), "kind"),
        field => JsonPath::dotted(&field.to_string()),
    }
}

/// The setting to change first; the message names the others.
fn requires(requirement: Requirement) -> JsonPath {
    JsonPath::dotted(match requirement {
        Requirement::Writer | Requirement::Finish | Requirement::Commit => "tools.allow",
        Requirement::Callable | Requirement::TargetMode | Requirement::SomebodyStartsIt => "delegation.callable",
        Requirement::ListNeedsDelegation | Requirement::DelegateNeedsDelegation => "delegation.canDelegate",
        Requirement::HandoffNeedsHandoff => "delegation.canHandoff",
        Requirement::SubagentInBackground => "run.presentation",
    })
}

/// The entry of a list of tools, or the member of a map of tools.
fn named(list: ToolList, tool: &str, profile: Option<&Profile>) -> JsonPath {
    let place = JsonPath::dotted(&list.to_string());
    match list {
        ToolList::Descriptions | ToolList::Caps => place.key(tool),
        ToolList::Allow => entry(place, profile.map(|profile| &profile.tools.allow), tool),
        ToolList::Deny => entry(place, profile.map(|profile| &profile.tools.deny), tool),
        ToolList::Ask => entry(place, profile.map(|profile| &profile.tools.ask), tool),
    }
}

fn last_named(list: ToolList, tool: &str, profile: Option<&Profile>) -> JsonPath {
    let names = profile.and_then(|profile| match list {
        ToolList::Allow => Some(&profile.tools.allow),
        ToolList::Deny => Some(&profile.tools.deny),
        ToolList::Ask | ToolList::Descriptions | ToolList::Caps => None,
    });
    let last = names.and_then(|names| names.iter().rposition(|name| name == tool));
    let place = JsonPath::dotted(&list.to_string());
    last.map_or(place.clone(), |index| place.index(index))
}

fn skill(name: &str, profile: Option<&Profile>) -> JsonPath {
    let Some(skills) = profile.map(|profile| &profile.skills) else {
        return JsonPath::dotted("skills");
    };
    if skills.visible.iter().any(|visible| visible == name) {
        return entry(JsonPath::dotted("skills.visible"), Some(&skills.visible), name);
    }
    entry(JsonPath::dotted("skills.deny"), Some(&skills.deny), name)
}

/// The first entry of this name. A message may have cut a long name.
fn entry(list: JsonPath, names: Option<&Vec<String>>, name: &str) -> JsonPath {
    let index = names.and_then(|names| names.iter().position(|other| other.starts_with(name)));
    let exact = names.and_then(|names| names.iter().position(|other| other == name));
    exact.or(index).map_or(list.clone(), |index| list.index(index))
}

fn artifact(profile: Option<&Profile>, is_it: impl Fn(&Artifact) -> bool, member: &str) -> JsonPath {
    let index = profile.and_then(|profile| profile.output.artifacts.iter().position(is_it));
    artifact_member(index, member)
}

fn last_artifact(profile: Option<&Profile>, is_it: impl Fn(&Artifact) -> bool, member: &str) -> JsonPath {
    let index = profile.and_then(|profile| profile.output.artifacts.iter().rposition(is_it));
    artifact_member(index, member)
}

fn artifact_member(index: Option<usize>, member: &str) -> JsonPath {
    let list = JsonPath::dotted("output.artifacts");
    index.map_or(list.clone(), |index| list.index(index).key(member))
}
