//! The specs: what each tool asks for and says of itself. Their words are not repeated here.

use innkeeper_tool::Tool as _;
use serde_json::Value;

use crate::Tool;

const READER: &str = "innkeeper:workspace/reader";
const WRITER: &str = "innkeeper:workspace/writer";
const CONTROL: &str = "innkeeper:run/control";

#[test]
fn each_tool_uses_what_it_needs_and_says_what_it_does() {
    let table = [
        (
            "workspace.apply_patch",
            [READER, WRITER].as_slice(),
            (false, true, false),
        ),
        ("workspace.commit", &[READER, CONTROL], (false, true, false)),
        ("workspace.finish", &[CONTROL], (false, false, false)),
        ("workspace.list_files", &[READER], (true, false, true)),
        ("workspace.read_file", &[READER], (true, false, true)),
        ("workspace.search_files", &[READER], (true, false, true)),
        ("workspace.write_file", &[READER, WRITER], (false, true, false)),
    ];
    let specs: Vec<_> = Tool::ALL.iter().map(|tool| tool.spec()).collect();
    assert_eq!(specs.len(), table.len());
    for (spec, (name, uses, hints)) in specs.into_iter().zip(table) {
        let said = spec.annotations;
        assert_eq!((spec.name, spec.uses), (name, uses));
        assert_eq!((said.read_only, said.destructive, said.idempotent), hints, "{name}");
        assert!(!said.open_world, "{name}");
    }
}

#[test]
fn the_schemas_name_every_argument_and_what_is_required() {
    let table = [
        ("path old_string new_string replace_all", "path old_string new_string"),
        ("path mode reason", ""),
        ("reason", ""),
        ("path depth", ""),
        ("path start_line line_count start_char max_chars", "path"),
        ("query path limit context_lines", "query"),
        ("path content mode", "path content"),
    ];
    for (tool, (arguments, required)) in Tool::ALL.iter().zip(table) {
        let schema: Value = serde_json::from_str(tool.spec().input_schema).unwrap();
        let mut found: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
        let mut expected: Vec<&str> = arguments.split(' ').collect();
        found.sort();
        expected.sort_unstable();
        assert_eq!(found, expected, "{}", tool.spec().name);
        let found: Vec<&str> = schema["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        assert_eq!(found.join(" "), required, "{}", tool.spec().name);
    }
}
