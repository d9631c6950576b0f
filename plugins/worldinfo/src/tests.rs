//! The spec: what the tool asks for and says of itself. Its words are not repeated here.

use innkeeper_tool::Tool as _;
use serde_json::{Value, json};

use crate::{Position, Tool};

#[test]
fn the_tool_uses_the_activation_and_changes_nothing() {
    let spec = Tool::ReadActivated.spec();
    assert_eq!(Tool::ALL.len(), 1);
    assert_eq!(
        (spec.name, spec.uses),
        ("worldinfo.read_activated", ["innkeeper:worldinfo/activated"].as_slice())
    );
    let said = spec.annotations;
    assert_eq!(
        (said.read_only, said.destructive, said.idempotent, said.open_world),
        (true, false, true, false)
    );
}

#[test]
fn the_schema_takes_entries_only_and_a_ref_of_each() {
    let mut schema: Value = serde_json::from_str(Tool::ReadActivated.spec().input_schema).expect("JSON");
    assert_eq!(schema["additionalProperties"], json!(false));
    let entries = schema["properties"]["entries"]["items"].take();
    let names = |object: &Value| -> Vec<String> {
        let mut names: Vec<String> = object.as_object().expect("an object").keys().cloned().collect();
        names.sort();
        names
    };
    assert_eq!(names(&schema["properties"]), ["entries"]);
    assert_eq!(
        names(&entries["properties"]),
        ["line_count", "max_chars", "ref", "start_char", "start_line"]
    );
    assert_eq!(
        (&entries["required"], &entries["additionalProperties"]),
        (&json!(["ref"]), &json!(false))
    );
}

#[test]
fn a_position_is_written_alike_for_models_and_programs() {
    use Position::{After, AnBottom, AnTop, Before, Depth, EmBottom, EmTop, Outlet};
    let written = [Before, After, AnTop, AnBottom, Depth, EmTop, EmBottom, Outlet].map(|position| {
        assert_eq!(json!(position), json!(position.to_string()));
        position.to_string()
    });
    let expected = [
        "before",
        "after",
        "an_top",
        "an_bottom",
        "depth",
        "em_top",
        "em_bottom",
        "outlet",
    ];
    assert_eq!(written, expected);
}
