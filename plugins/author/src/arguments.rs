//! From the JSON text of a call to typed arguments, and from their type to the schema that the host checks them against.
//!
//! The host has checked a call before it comes here, so what fails here is what a schema cannot say.

use std::fmt::Write as _;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_path_to_error::{Path, Segment};

use crate::ToolError;

/// Reads the arguments of a call.
pub(crate) fn read<A: DeserializeOwned>(json: &str) -> Result<A, ToolError> {
    let mut source = serde_json::Deserializer::from_str(json);
    serde_path_to_error::deserialize(&mut source).map_err(|error| {
        let pointer = pointer(error.path());
        ToolError::invalid_arguments(format!(
            "Argument {pointer} cannot be used: {}. Correct it and call again.",
            without_position(error.inner())
        ))
    })
}

/// The JSON Schema (2020-12) of a type, as a host wants it: without references, and without the name that only this code knows.
pub(crate) fn schema<A: JsonSchema>() -> String {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<A>();
    schema.remove("title");
    // What the type's comment says is for whoever reads the code; a tool has a description of its own.
    schema.remove("description");
    schema.as_value().to_string()
}

/// What is wrong, without the place in the JSON text: a model sees the pointer, not the text.
fn without_position(error: &serde_json::Error) -> String {
    let words = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    words.strip_suffix(&position).unwrap_or(&words).to_owned()
}

/// A path as a JSON pointer (RFC 6901); the whole document is `/`, which reads better than nothing.
fn pointer(path: &Path) -> String {
    let mut text = String::new();
    for segment in path {
        // Writing to a `String` cannot fail.
        match segment {
            Segment::Seq { index } => _ = write!(text, "/{index}"),
            Segment::Map { key } => _ = write!(text, "/{}", key.replace('~', "~0").replace('/', "~1")),
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    if text.is_empty() { "/".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::{Value, json};

    use super::*;

    /// Said to nobody.
    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Search {
        /// What to look for.
        query: String,
        /// At most so many.
        #[schemars(range(min = 1, max = 50))]
        limit: Option<u32>,
        places: Option<Vec<Place>>,
    }

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Place {
        Chat,
        Files,
    }

    #[test]
    fn the_schema_is_that_of_the_type() {
        let schema: Value = serde_json::from_str(&schema::<Search>()).unwrap();
        assert_eq!(
            schema,
            json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["query"],
                "properties": {
                    "query": {"type": "string", "description": "What to look for."},
                    "limit": {"type": ["integer", "null"], "format": "uint32", "minimum": 1, "maximum": 50, "description": "At most so many."},
                    "places": {"type": ["array", "null"], "items": {"type": "string", "enum": ["chat", "files"]}},
                },
            })
        );
    }

    #[test]
    fn a_fault_names_its_place() {
        let error = read::<Search>(r#"{"query": "x", "places": ["chat", "sky"]}"#).unwrap_err();
        assert_eq!(error.code(), "invalid_arguments");
        assert!(
            error
                .message()
                .starts_with("Argument /places/1 cannot be used: unknown variant `sky`"),
            "{}",
            error.message()
        );
        let error = read::<Search>("{}").unwrap_err();
        assert_eq!(
            error.message(),
            "Argument / cannot be used: missing field `query`. Correct it and call again."
        );
    }

    #[test]
    fn good_arguments_are_read() {
        let read = read(r#"{"query": "x", "limit": 3}"#);
        assert_eq!(
            read,
            Ok(Search {
                query: "x".to_owned(),
                limit: Some(3),
                places: None
            })
        );
    }
}
