//! Writes the Rust source of the enum `Tool`: one variant per tool file, with its spec as constants.
//!
//! Text goes through `{:?}`, whose escapes are those of a Rust string literal.

use std::fmt::Write;

use crate::{document::Document, schema};

/// The source that `innkeeper_tool::tools!()` includes.
pub(crate) fn generate(documents: &[Document]) -> String {
    let mut out = String::new();
    // Writing to a `String` cannot fail.
    let _ = write_all(&mut out, documents);
    out
}

fn write_all(out: &mut String, documents: &[Document]) -> std::fmt::Result {
    writeln!(out, "/// The tools of this family.")?;
    writeln!(out, "#[derive(Clone, Copy, Debug, PartialEq, Eq)]")?;
    writeln!(out, "pub enum Tool {{")?;
    for document in documents {
        writeln!(out, "    /// `{}`", document.front.name)?;
        writeln!(out, "    {},", variant(document))?;
    }
    writeln!(out, "}}\n")?;
    writeln!(out, "impl innkeeper_tool::Tool for Tool {{")?;
    writeln!(out, "    const ALL: &'static [Self] = &[")?;
    for document in documents {
        writeln!(out, "        Self::{},", variant(document))?;
    }
    writeln!(out, "    ];\n")?;
    writeln!(out, "    fn spec(self) -> &'static innkeeper_tool::Spec {{")?;
    writeln!(out, "        match self {{")?;
    for document in documents {
        write_spec(out, document)?;
    }
    writeln!(out, "        }}\n    }}\n}}")
}

fn write_spec(out: &mut String, document: &Document) -> std::fmt::Result {
    let front = &document.front;
    let hints = &front.annotations;
    let budget = &front.budget;
    writeln!(
        out,
        "            Self::{} => &innkeeper_tool::Spec {{",
        variant(document)
    )?;
    writeln!(out, "                name: {:?},", front.name)?;
    writeln!(out, "                title: {:?},", front.title)?;
    writeln!(out, "                description: {:?},", document.description)?;
    let schema = schema::object(&front.argument).to_string();
    writeln!(out, "                input_schema: {schema:?},")?;
    writeln!(out, "                annotations: innkeeper_tool::Annotations {{")?;
    writeln!(out, "                    read_only: {},", hints.read_only)?;
    writeln!(out, "                    destructive: {},", hints.destructive)?;
    writeln!(out, "                    idempotent: {},", hints.idempotent)?;
    writeln!(out, "                    open_world: {},", hints.open_world)?;
    writeln!(out, "                    cost: innkeeper_tool::Cost::{:?},", hints.cost)?;
    writeln!(out, "                }},")?;
    writeln!(
        out,
        "                visibility: innkeeper_tool::Visibility::{:?},",
        front.visibility
    )?;
    writeln!(
        out,
        "                permission: innkeeper_tool::Permission::{:?},",
        front.permission
    )?;
    writeln!(out, "                budget: innkeeper_tool::Budget {{")?;
    writeln!(out, "                    max_calls: {:?},", budget.max_calls)?;
    writeln!(
        out,
        "                    max_output_chars: {:?},",
        budget.max_output_chars
    )?;
    writeln!(out, "                    timeout_ms: {:?},", budget.timeout_ms)?;
    writeln!(out, "                }},")?;
    writeln!(out, "                uses: &{:?},", front.uses)?;
    writeln!(out, "            }},")
}

/// `read_messages` of `chat.read_messages` as `ReadMessages`.
fn variant(document: &Document) -> String {
    let last = document.front.name.rsplit('.').next().unwrap_or_default();
    last.split('_')
        .map(|word| {
            let mut letters = word.chars();
            let first = letters.next().map(|letter| letter.to_ascii_uppercase());
            first.into_iter().chain(letters).collect::<String>()
        })
        .collect()
}

#[cfg(test)]
mod tests;
