//! The schema of nested arguments and the names of variants.

use super::*;

const NESTED: &str = r#"+++
name = "chat.read_messages"
title = "Read"
[annotations]
read-only = true
destructive = false
idempotent = true
open-world = false
cost = "low"
[[argument]]
name = "zeta"
type = "string"
values = ["a", "b"]
description = "Z."
[[argument]]
name = "alpha"
type = "array"
required = true
description = "A."
[[argument.item]]
name = "index"
type = "integer"
required = true
description = "I."
+++
Reads "it".
"#;

#[test]
fn the_schema_keeps_order_and_closes_every_level() {
    let document = Document::parse("read_messages", NESTED).expect("a tool");
    let expected = concat!(
        r#"{"type":"object","properties":{"zeta":{"type":"string","enum":["a","b"],"description":"Z."},"#,
        r#""alpha":{"type":"array","description":"A.","items":{"type":"object","properties":{"index":"#,
        r#"{"type":"integer","description":"I."}},"required":["index"],"additionalProperties":false}}},"#,
        r#""required":["alpha"],"additionalProperties":false}"#
    );
    assert_eq!(schema::object(&document.front.argument).to_string(), expected);
}

#[test]
fn a_variant_is_the_last_segment_in_camel_case() {
    let document = Document::parse("read_messages", NESTED).expect("a tool");
    let source = generate(&[document]);
    assert!(source.contains("    ReadMessages,\n}"), "{source}");
    assert!(source.contains(r#"description: "Reads \"it\".","#), "{source}");
}
