//! A command of the library, as the index shows it: what it takes, gives, tells and asks.
//!
//! Which commands there are stands in `surface`.

use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use super::document::{Argument, Document};

/// A command and its schemas, by the words of the index.
pub(super) struct Command {
    pub(super) name: &'static str,
    schemas: Vec<(&'static str, Document)>,
}

impl Command {
    /// A command that takes and gives nothing.
    pub(super) fn new(name: &'static str) -> Self {
        Self {
            name,
            schemas: Vec::new(),
        }
    }

    /// What it takes is this type.
    pub(super) fn takes<T: JsonSchema>(self) -> Self {
        self.with("input", Document::input::<T>(&T::schema_name()))
    }

    /// What it takes are these arguments.
    pub(super) fn takes_arguments(self, title: &str, arguments: &[Argument]) -> Self {
        let document = Document::arguments(title, self.name, arguments);
        self.with("input", document)
    }

    /// What it gives is this type.
    pub(super) fn gives<T: JsonSchema>(self) -> Self {
        let name = T::schema_name();
        self.gives_named::<T>(&name)
    }

    /// The same for a type without a name of its own.
    pub(super) fn gives_named<T: JsonSchema>(self, title: &str) -> Self {
        self.with("output", Document::output::<T>(title))
    }

    /// What it tells, again and again.
    pub(super) fn tells<T: JsonSchema>(self) -> Self {
        self.with("updates", Document::output::<T>(&T::schema_name()))
    }

    /// What it asks a person before it goes on.
    pub(super) fn asks<T: JsonSchema>(self) -> Self {
        self.with("asks", Document::output::<T>(&T::schema_name()))
    }

    fn with(mut self, role: &'static str, document: Document) -> Self {
        self.schemas.push((role, document));
        self
    }

    /// Its entry in the index.
    pub(super) fn index(&self) -> Value {
        let schemas = self.schemas.iter();
        Value::Object(Map::from_iter(
            schemas.map(|(role, document)| ((*role).to_owned(), json!(document.path()))),
        ))
    }

    /// Its schemas.
    pub(super) fn into_documents(self) -> impl Iterator<Item = Document> {
        self.schemas.into_iter().map(|(_, document)| document)
    }
}
