//! One schema as a file: complete in itself, named, and worded for readers who do not see the Rust types.
//!
//! Which types there are is not known here.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value, json};

/// The dialect of every schema.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";
/// Where a schema refers to definitions of its own.
const DEFINITIONS: &str = "#/$defs/";

/// A schema with a name.
#[derive(Debug)]
pub(super) struct Document {
    folder: &'static str,
    stem: String,
    schema: Map<String, Value>,
}

impl Document {
    /// What a command takes.
    pub(super) fn input<T: JsonSchema>(name: &str) -> Self {
        Self::of::<T>("input", name, SchemaSettings::draft2020_12().for_deserialize())
    }

    /// What a command gives.
    pub(super) fn output<T: JsonSchema>(name: &str) -> Self {
        Self::of::<T>("output", name, SchemaSettings::draft2020_12().for_serialize())
    }

    fn of<T: JsonSchema>(folder: &'static str, name: &str, settings: SchemaSettings) -> Self {
        let schema = settings.into_generator().into_root_schema_for::<T>();
        Self::new(folder, name, name, members(schema.to_value()))
    }

    /// What a command takes whose arguments are no type of their own: an object of them.
    pub(super) fn arguments(name: &str, command: &str, arguments: &[Argument]) -> Self {
        let mut generator = SchemaSettings::draft2020_12().for_deserialize().into_generator();
        let properties: Map<String, Value> = arguments
            .iter()
            .map(|argument| (argument.name.to_owned(), (argument.schema)(&mut generator)))
            .collect();
        let required = arguments.iter().filter(|argument| argument.is_required);
        let schema = json!({
            "description": format!("The arguments of `{command}`, by name."),
            "type": "object",
            "properties": properties,
            "required": required.map(|argument| argument.name).collect::<Vec<_>>(),
            "additionalProperties": false,
            "$defs": generator.take_definitions(true),
        });
        Self::new("input", name, name, members(schema))
    }

    /// A file whose name is not the title of what is in it.
    pub(super) fn new(folder: &'static str, stem: &str, title: &str, schema: Map<String, Value>) -> Self {
        let id = format!("urn:innkeeper:schema:{folder}:{stem}");
        let head = [
            ("$schema", DIALECT.to_owned()),
            ("$id", id),
            ("title", title.to_owned()),
        ];
        let head = head.map(|(name, text)| (name.to_owned(), Value::String(text)));
        let rest = schema
            .into_iter()
            .filter(|(name, _)| !matches!(name.as_str(), "$schema" | "title"));
        let mut schema = Value::Object(head.into_iter().chain(rest).collect());
        join_lines(&mut schema);
        Self {
            folder,
            stem: stem.to_owned(),
            schema: members(schema),
        }
    }

    /// Where the file lies.
    pub(super) fn path(&self) -> String {
        format!("{}/{}.json", self.folder, self.stem)
    }

    /// The path and the schema.
    pub(super) fn into_file(self) -> (String, Value) {
        (self.path(), Value::Object(self.schema))
    }
}

/// An argument of a command that takes them one by one.
pub(super) struct Argument {
    name: &'static str,
    is_required: bool,
    schema: fn(&mut SchemaGenerator) -> Value,
}

/// An argument that must be given.
pub(super) fn required<T: JsonSchema>(name: &'static str) -> Argument {
    Argument {
        name,
        is_required: true,
        schema: |generator| generator.subschema_for::<T>().to_value(),
    }
}

/// An argument that may be left out or null.
pub(super) fn optional<T: JsonSchema>(name: &'static str) -> Argument {
    Argument {
        is_required: false,
        ..required::<Option<T>>(name)
    }
}

/// The members of a schema; `true` has none.
pub(super) fn members(schema: Value) -> Map<String, Value> {
    match schema {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

/// Those definitions that a schema refers to, directly or through others.
pub(super) fn used_definitions(schema: &Value, definitions: &Map<String, Value>) -> Map<String, Value> {
    let (mut used, mut open) = (BTreeSet::new(), Vec::new());
    collect_references(schema, &mut open);
    while let Some(name) = open.pop() {
        if let Some(definition) = definitions.get(&name)
            && used.insert(name)
        {
            collect_references(definition, &mut open);
        }
    }
    let used = definitions.iter().filter(|(name, _)| used.contains(*name));
    used.map(|(name, definition)| (name.clone(), definition.clone()))
        .collect()
}

fn collect_references(schema: &Value, found: &mut Vec<String>) {
    match schema {
        Value::Object(members) => {
            let target = members.get("$ref").and_then(Value::as_str);
            found.extend(
                target
                    .and_then(|target| target.strip_prefix(DEFINITIONS))
                    .map(str::to_owned),
            );
            members.values().for_each(|member| collect_references(member, found));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_references(item, found)),
        _ => {}
    }
}

/// Descriptions come out of comments, whose lines end where the source's do.
fn join_lines(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                match member {
                    Value::String(text) if name == "description" => *text = text.replace('\n', " "),
                    member => join_lines(member),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(join_lines),
        _ => {}
    }
}
