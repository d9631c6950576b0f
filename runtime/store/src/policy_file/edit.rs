//! Changes to the file's text that leave everything else in it as a person wrote it.
//!
//! Nothing is read or written here.

use innkeeper_protocol::tool::Permission;
use toml_edit::{DocumentMut, Item, RawString, Table, Value};

use super::form::{Flaw, Party, Place, syntax, word};

/// What a new file begins with.
pub(super) const HEAD: &str = "\
# What tools may do: \"allow\", \"ask\" or \"deny\". A deny beats every allow.
# A name is a tool, as \"builtin:dice.roll\", or where tools come from: builtin, mcp, \"mcp/<uuid>\", extension, \"extension/<id>\".
";

/// Sets what is said of a target, wherever the user says it already, else in `home`.
pub(super) fn set(text: &str, home: Party, target: &str, permission: Permission) -> Result<String, Flaw> {
    let mut document: DocumentMut = text.parse().map_err(|error| syntax(text, &error))?;
    let says = |party: &Party| {
        let table = document.get(party.name()).and_then(Item::as_table_like);
        table.is_some_and(|table| table.contains_key(target))
    };
    let mut parties: Vec<Party> = [Party::User, Party::Source].into_iter().filter(says).collect();
    if parties.is_empty() {
        parties.push(home);
    }
    for party in parties {
        put(&mut document, party, target, permission)?;
    }
    Ok(document.to_string())
}

fn put(document: &mut DocumentMut, party: Party, target: &str, permission: Permission) -> Result<(), Flaw> {
    if !document.contains_key(party.name()) {
        add_table(document, party);
    }
    let table = document.get_mut(party.name()).and_then(Item::as_table_like_mut);
    let table = table.ok_or_else(|| Flaw {
        place: Place { line: 1, column: 1 },
        problem: format!("`{}` is no table", party.name()),
    })?;
    let mut value = Value::from(word(permission));
    match table.get_mut(target).and_then(Item::as_value_mut) {
        Some(old) if old.as_str() == Some(word(permission)) => {}
        Some(old) => {
            // The spaces and the comment around it.
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
        None => {
            table.insert(target, Item::Value(value));
        }
    }
    Ok(())
}

/// Adds a table at the end. What stands after everything else, such as the only comment of a file without rules, stays before it.
fn add_table(document: &mut DocumentMut, party: Party) {
    let trailing = document.trailing().as_str().unwrap_or_default().to_owned();
    document.set_trailing(RawString::from(""));
    let is_first = document.is_empty() && trailing.is_empty();
    let mut table = Table::new();
    let gap = if is_first { "" } else { "\n" };
    let ends_line = trailing.is_empty() || trailing.ends_with('\n');
    let end = if ends_line { "" } else { "\n" };
    table.decor_mut().set_prefix(format!("{trailing}{end}{gap}"));
    document.insert(party.name(), Item::Table(table));
}

/// The text without anything that the user has said: what the application says stays. `None` for a text that is no TOML.
pub(super) fn without_user(text: &str) -> Option<String> {
    let mut document: DocumentMut = text.parse().ok()?;
    let others = |name: &&str| *name != Party::Platform.name();
    let names: Vec<String> = document
        .iter()
        .map(|(name, _)| name)
        .filter(others)
        .map(str::to_owned)
        .collect();
    for name in names {
        let is_ours = [Party::User, Party::Source].iter().any(|party| party.name() == name);
        match document.get_mut(&name).and_then(Item::as_table_mut) {
            // The heading stays, with the comment above it.
            Some(table) if is_ours && !table.is_dotted() => table.clear(),
            _ => {
                document.remove(&name);
            }
        }
    }
    Some(document.to_string())
}
