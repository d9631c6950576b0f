//! Placeholders and other people's words, in their order.

use serde_json::json;

use super::super::*;
use super::{FORECAST, default_profile, resolved, spec};

fn fills() -> Fills {
    let mut profile = default_profile();
    profile.workspace.writable_roots = vec!["output".to_owned(), "plan".to_owned()];
    Fills::of(&resolved(&profile))
}

fn text(description: Option<&str>, properties: &[(&str, &str)]) -> ToolText {
    let properties = properties
        .iter()
        .map(|(name, words)| ((*name).to_owned(), (*words).to_owned()))
        .collect();
    ToolText {
        description: description.map(str::to_owned),
        properties,
    }
}

#[test]
fn every_placeholder_is_filled_where_words_stand() {
    let mut tool = spec("builtin:workspace.write_file");
    tool.title = "Write in {writable-roots}".to_owned();
    tool.description = "See {visible-roots}. Draft: {message-path}. Skills: {read-budget}. {} {Other".to_owned();
    tool.input_schema = json!({
        "type": "object",
        "properties": {
            "description": {"type": "string", "description": "In {writable-roots}."},
            "items": {"type": "array", "items": {"type": "object", "description": "Like {message-path}."}},
            "mode": {"enum": ["{message-path}"], "default": "{message-path}"}
        }
    });
    let filled = fill(&tool, &fills(), &[]);
    assert_eq!(filled.title, "Write in `output/`, `plan/`");
    assert_eq!(
        filled.description,
        "See `output/`, `scratch/`, `plan/`, `summaries/`, `persist/`, `tool-results/`. Draft: output/main.md. \
         Skills: 20000 characters per call and 80000 in all. {} {Other"
    );
    let expected = json!({
        "type": "object",
        "properties": {
            "description": {"type": "string", "description": "In `output/`, `plan/`."},
            "items": {"type": "array", "items": {"type": "object", "description": "Like output/main.md."}},
            "mode": {"enum": ["{message-path}"], "default": "{message-path}"}
        }
    });
    assert_eq!(filled.input_schema, expected);
}

#[test]
fn what_is_filled_in_is_not_filled_again() {
    let mut fills = fills();
    fills.message_path = "output/{read-budget}.md".parse().unwrap();
    let mut tool = spec("builtin:workspace.commit");
    tool.description = "{message-path}".to_owned();
    assert_eq!(fill(&tool, &fills, &[]).description, "output/{read-budget}.md");
}

#[test]
fn the_last_override_stands_and_is_taken_as_it_is() {
    let tool = spec("builtin:workspace.commit");
    let registration = text(Some("Of the registration."), &[("path", "Of the registration.")]);
    let profile = text(Some("Of the profile: {message-path}."), &[("unheard", "x")]);
    let filled = fill(&tool, &fills(), &[&registration, &profile]);
    let mut expected = tool.clone();
    expected.description = "Of the profile: {message-path}.".to_owned();
    expected.input_schema["properties"]["path"]["description"] = json!("Of the registration.");
    assert_eq!(filled, expected);
}

#[test]
fn the_words_of_a_server_are_left_alone() {
    let mut tool = spec(FORECAST);
    tool.description = "Use {message-path} in your template.".to_owned();
    assert_eq!(fill(&tool, &fills(), &[]), tool);
}
