//! What a tool file may look like, and what is refused.

use super::*;

const HEAD: &str = r#"name = "dice.roll"
title = "Roll"
[annotations]
read-only = true
destructive = false
idempotent = false
open-world = false
cost = "low"
"#;

fn parse(front: &str, description: &str) -> Result<Document, DocumentError> {
    Document::parse("roll", &format!("+++\n{HEAD}{front}+++\n{description}"))
}

#[test]
fn defaults_are_a_free_tool_for_the_model() {
    let document = parse("", "\nRolls.\n").expect("a tool");
    assert_eq!(document.description, "Rolls.");
    assert_eq!(document.front.visibility, Visibility::Model);
    assert_eq!(document.front.permission, Permission::Allow);
    assert_eq!(document.front.budget, Budget::default());
}

#[test]
fn wrapped_lines_are_joined_and_lists_kept() {
    let document = parse("", "One\ntwo.\n\nThree:\n- a\n- b\n").expect("a tool");
    assert_eq!(document.description, "One two.\n\nThree:\n- a\n- b");
}

#[test]
fn mistakes_are_refused() {
    assert_eq!(Document::parse("roll", "name"), Err(DocumentError::NoFrontMatter));
    assert_eq!(parse("", " \n"), Err(DocumentError::NoDescription));
    assert!(matches!(parse("colour = 1\n", "x"), Err(DocumentError::Toml(_))));
    let other = Document::parse("toss", &format!("+++\n{HEAD}+++\nx"));
    assert!(matches!(other, Err(DocumentError::Name { .. })), "{other:?}");
}

#[test]
fn arguments_must_make_sense() {
    let argument = |rest: &str| format!("[[argument]]\nname = \"a\"\ndescription = \"A.\"\n{rest}\n");
    for bad in [
        "type = \"array\"",
        "type = \"integer\"\nvalues = [\"x\"]",
        "type = \"string\"\n[[argument.item]]\nname = \"b\"\ntype = \"string\"\ndescription = \"B.\"",
    ] {
        let refused = parse(&argument(bad), "x");
        assert!(
            matches!(refused, Err(DocumentError::Argument { .. })),
            "{bad}: {refused:?}"
        );
    }
    assert!(parse(&argument("type = \"string\"\nvalues = [\"x\"]"), "x").is_ok());
}

#[test]
fn names_are_lower_case_segments() {
    assert!(["roll", "dice.roll", "a1.b_2"].into_iter().all(is_tool_name));
    assert!(
        !["", "Dice.roll", "dice..roll", "1dice", "dice-roll"]
            .into_iter()
            .any(is_tool_name)
    );
}
