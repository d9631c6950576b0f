//! What a person is told of a call before it is made, and what the answer binds to.
//!
//! Whether anybody is asked is decided by policy; what an answer covers is kept elsewhere.

use innkeeper_capabilities::Interface;
use innkeeper_protocol::approval::ApprovalBinding;
use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::shown::{escape_invisible, is_invisible};
use innkeeper_protocol::tool::{Cost, Source};
use serde_json::{Map, Value, json};

use crate::catalogue::Tool;

/// Largest integer up to which a double, and so a canonical JSON number, holds every one.
const MAX_EXACT_INTEGER: u64 = 1 << 53;

/// The arguments of a call, for a person to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownArguments {
    /// The whole, as indented JSON in which nothing is invisible.
    pub text: String,
    /// Whether something had to be spelled out. What is approved then should be approved once: nobody reads it the same way twice.
    pub was_escaped: bool,
}

impl ShownArguments {
    /// Makes arguments readable. Nothing is left out.
    #[must_use]
    pub fn new(arguments: &Value) -> Self {
        // A value can always be written.
        let text = serde_json::to_string_pretty(arguments).unwrap_or_default();
        Self {
            text: escape_invisible(&text).into_owned(),
            was_escaped: hides_something(arguments),
        }
    }
}

/// Whether a text in here holds what nobody sees. Line feeds are seen, and a tab is where text is indented.
fn hides_something(value: &Value) -> bool {
    let hidden = |text: &str| text.contains(|scalar| is_invisible(scalar) && !matches!(scalar, '\n' | '\t'));
    match value {
        Value::String(text) => hidden(text),
        Value::Array(items) => items.iter().any(hides_something),
        Value::Object(members) => members
            .iter()
            .any(|(name, value)| hidden(name) || hides_something(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

impl Tool {
    /// What an approval of a call binds to: this tool in this form, and exactly these arguments.
    #[must_use]
    pub fn approval_binding(&self, arguments: &Value) -> ApprovalBinding {
        ApprovalBinding {
            tool_digest: self.identity_digest(),
            arguments_digest: canonical_digest(arguments),
        }
    }

    fn identity_digest(&self) -> Sha256 {
        let spec = &self.spec;
        let mut identity = json!({
            "toolId": spec.id,
            "source": spec.source,
            "component": self.component_digest(),
            "title": spec.title,
            "description": spec.description,
            "inputSchema": spec.input_schema,
            "annotations": spec.annotations,
        });
        if let (Value::Object(members), hosts @ [_, ..]) = (&mut identity, &self.hosts()[..]) {
            // Who agreed to a call agreed to where it could go.
            members.insert("hosts".to_owned(), json!(hosts));
        }
        canonical_digest(&identity)
    }

    /// Hosts that a call may send requests to.
    fn hosts(&self) -> Vec<String> {
        let uses = self.interfaces.contains(&Interface::HttpFetch);
        let hosts = self.grants.hosts.iter().filter(|_| uses);
        hosts.map(ToString::to_string).collect()
    }

    /// What a call may do, in words. Only our own tools are believed when they say that they do little.
    #[must_use]
    pub fn side_effect(&self) -> String {
        let uses = |interface: &str| self.spec.uses.iter().any(|name| name.starts_with(interface));
        let is_ours = self.spec.source == Source::Builtin;
        let hosts = self.hosts();
        let mut parts: Vec<&str> = Vec::new();
        let reached = format!("It reaches other systems over the network: {}.", hosts.join(", "));
        if !hosts.is_empty() {
            parts.push(&reached);
        } else if uses("innkeeper:http/") || (!is_ours && self.spec.annotations.open_world) {
            parts.push("It reaches other systems over the network.");
        }
        if uses("innkeeper:workspace/writer") {
            parts.push("It changes files in this run's workspace.");
        }
        if uses("innkeeper:run/control") {
            parts.push("It asks the host to change the chat or to end the run.");
        }
        if self.spec.annotations.destructive {
            parts.push("It may overwrite or remove what is there.");
        }
        if self.spec.annotations.cost == Cost::High {
            parts.push("A call is costly.");
        }
        if parts.is_empty() {
            parts.push("It reads and computes; it can change nothing.");
        }
        parts.join(" ")
    }
}

/// Digest of a value in the canonical form of RFC 8785: the order of members does not matter, and every value does.
#[must_use]
pub fn canonical_digest(value: &Value) -> Sha256 {
    // A value without numbers that a double cannot hold can always be written in this form.
    let bytes = serde_jcs::to_vec(&exact(value)).unwrap_or_else(|_| value.to_string().into_bytes());
    Sha256::of(&bytes)
}

/// The canonical form writes numbers as doubles, in which large integers run together; they are told apart by their digits.
fn exact(value: &Value) -> Value {
    match value {
        Value::Number(number) => {
            let is_large = number.as_u64().is_some_and(|n| n > MAX_EXACT_INTEGER)
                || number.as_i64().is_some_and(|n| n.unsigned_abs() > MAX_EXACT_INTEGER);
            if is_large {
                json!({ "integer": number.to_string() })
            } else {
                value.clone()
            }
        }
        Value::Array(items) => items.iter().map(exact).collect(),
        Value::Object(members) => {
            let members: Map<String, Value> = members
                .iter()
                .map(|(name, value)| (name.clone(), exact(value)))
                .collect();
            members.into()
        }
        Value::Null | Value::Bool(_) | Value::String(_) => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_members_does_not_matter_and_every_value_does() {
        let digest = |text: &str| canonical_digest(&serde_json::from_str(text).unwrap());
        assert_eq!(
            digest(r#"{"a": 1, "b": [true, null]}"#),
            digest(r#"{"b":[true,null],"a":1.0}"#)
        );
        assert_ne!(digest(r#"{"a": 1}"#), digest(r#"{"a": "1"}"#));
        assert_ne!(digest("9007199254740993"), digest("9007199254740992"));
        assert_ne!(digest("-9007199254740993"), digest("-9007199254740994"));
        assert_ne!(digest(r#"["e\u0301"]"#), digest(r#"["\u00e9"]"#));
    }

    #[test]
    fn arguments_are_whole_and_nothing_in_them_is_hidden() {
        let shown = ShownArguments::new(&json!({"path": "output/\u{202e}dm.exe", "content": "one\ntwo"}));
        let text = "{\n  \"path\": \"output/\\u{202e}dm.exe\",\n  \"content\": \"one\\ntwo\"\n}";
        assert_eq!((shown.text.as_str(), shown.was_escaped), (text, true));
        let long = json!({ "content": "\t".repeat(400) });
        let shown = ShownArguments::new(&long);
        assert_eq!((shown.text.matches("\\t").count(), shown.was_escaped), (400, false));
    }
}
