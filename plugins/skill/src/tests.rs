//! The specs: what each tool asks for and says of itself. Their words are not repeated here.

use innkeeper_tool::Tool as _;
use serde_json::{Value, json};

use crate::Tool;

#[test]
fn each_tool_uses_the_library_and_changes_nothing() {
    let specs: Vec<_> = Tool::ALL.iter().map(|tool| tool.spec()).collect();
    let names: Vec<&str> = specs.iter().map(|spec| spec.name).collect();
    assert_eq!(names, ["skill.list", "skill.read", "skill.search"]);
    for spec in specs {
        let said = spec.annotations;
        assert_eq!(spec.uses, ["innkeeper:skills/library"]);
        assert_eq!(
            (said.read_only, said.destructive, said.idempotent, said.open_world),
            (true, false, true, false),
            "{}",
            spec.name
        );
    }
}

#[test]
fn the_tools_that_spend_the_read_budget_name_it() {
    let named = Tool::ALL
        .iter()
        .filter(|tool| tool.spec().description.contains("{read-budget}"));
    let named: Vec<Tool> = named.copied().collect();
    assert_eq!(named, [Tool::Read, Tool::Search]);
}

#[test]
fn the_schemas_name_every_argument_and_what_is_required() {
    let table = [
        (vec![], json!(null)),
        (
            vec!["line_count", "max_chars", "name", "path", "start_char", "start_line"],
            json!(["name"]),
        ),
        (
            vec!["context_lines", "limit", "name", "path", "query"],
            json!(["name", "query"]),
        ),
    ];
    for (tool, (arguments, required)) in Tool::ALL.iter().zip(table) {
        let schema: Value = serde_json::from_str(tool.spec().input_schema).expect("JSON");
        let properties = schema["properties"].as_object();
        let mut found: Vec<&String> = properties.into_iter().flat_map(|found| found.keys()).collect();
        found.sort();
        assert_eq!(found, arguments, "{tool:?}");
        assert_eq!(schema["required"], required, "{tool:?}");
        assert_eq!(schema["additionalProperties"], json!(false), "{tool:?}");
    }
}
