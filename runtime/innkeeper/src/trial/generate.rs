//! Arguments made from a tool's own schema: at random, near the edges of what it allows, and from texts that are hard on programs.
//!
//! It understands the keywords that schemas of tools have. What it makes of others may not fit, so whoever calls with it asks the
//! tool's argument gate first.

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{RngCore as _, SeedableRng as _};
use serde_json::{Map, Number, Value, json};

/// How deep values are nested before only small ones are made.
const MAX_DEPTH: usize = 6;
/// Most elements of a list where the schema allows any number.
const MAX_ITEMS: u64 = 12;
/// Longest text in characters that a least length is obeyed for.
const MAX_PADDED_CHARS: u64 = 100_000;

/// Texts that an agent might send, and texts that a careless program trips over.
const PLAIN: [&str; 14] = [
    "",
    "a",
    "lantern",
    "Mira",
    "output/main.md",
    "plan/notes.md",
    "../../etc/passwd",
    "0",
    "-1",
    "line one\nline two\n",
    "\"quoted\" 'and' \\ back",
    "{\"json\": [1, 2]}",
    "<b>&amp;</b>",
    "%s {0} ${x} $(y)",
];

/// Texts that mean trouble to code that takes a character for a byte, a letter or a column.
const UNUSUAL: [&str; 16] = [
    "e\u{301}",
    "\u{e9}",
    "\u{202e}txet desrever",
    "a\u{0}b",
    "\u{feff}first",
    "\u{1f469}\u{200d}\u{1f469}\u{200d}\u{1f467}\u{200d}\u{1f466}",
    "\u{1f1e8}\u{1f1ed}\u{1f3f4}",
    "\u{10ffff}\u{fffe}\u{fdd0}",
    "\u{df} SS \u{130} \u{131} \u{3c2} \u{3c3}",
    "\u{6e21}\u{3057}\u{821f}\u{306e}\u{706f}",
    "one\r\ntwo\u{2028}three\u{85}four",
    "\u{1d518}\u{1d52b}\u{1d526}",
    "\u{fdfa}\u{fdfa}\u{fdfa}",
    "\u{0e01}\u{0e33}\u{0e49}",
    "\u{1b}[31mred\u{7}",
    "\u{ac00}\u{1100}\u{1161}",
];

/// Which texts are put into arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Texts {
    /// Those that an agent might send.
    Plain,
    /// Unusual Unicode.
    Unusual,
}

/// Makes arguments, the same ones for the same seed.
pub(super) struct Generator<'a> {
    root: &'a Value,
    texts: Texts,
    numbers: ChaCha20Rng,
}

impl<'a> Generator<'a> {
    /// Arguments for this schema.
    pub(super) fn new(schema: &'a Value, texts: Texts, seed: u64) -> Self {
        Self {
            root: schema,
            texts,
            numbers: ChaCha20Rng::seed_from_u64(seed),
        }
    }

    /// The next arguments.
    pub(super) fn arguments(&mut self) -> Value {
        self.value(self.root, 0)
    }

    /// A number below a bound, 0 for a bound of 0.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.numbers.next_u64().checked_rem(bound).unwrap_or(0)
    }

    fn pick<'v, T>(&mut self, from: &'v [T]) -> Option<&'v T> {
        let at = self.below(from.len() as u64);
        from.get(usize::try_from(at).unwrap_or_default())
    }

    fn value(&mut self, schema: &Value, depth: usize) -> Value {
        let Value::Object(keys) = schema else {
            return json!(null);
        };
        if let Some(constant) = keys.get("const") {
            return constant.clone();
        }
        if let Some(Value::Array(values)) = keys.get("enum") {
            return self.pick(values).cloned().unwrap_or_default();
        }
        if let Some(target) = keys.get("$ref").and_then(Value::as_str) {
            let found = target.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
            return match found {
                Some(found) if depth < MAX_DEPTH => self.value(found, depth + 1),
                _ => json!(null),
            };
        }
        for choice in ["anyOf", "oneOf"] {
            if let Some(Value::Array(schemas)) = keys.get(choice) {
                let chosen = self.pick(schemas).cloned().unwrap_or_default();
                return self.value(&merged(keys, &[chosen], choice), depth + 1);
            }
        }
        if let Some(Value::Array(schemas)) = keys.get("allOf") {
            return self.value(&merged(keys, schemas, "allOf"), depth + 1);
        }
        let kind = self.kind(keys);
        self.of_kind(&kind, keys, depth)
    }

    /// The type to make; guessed from the other keywords where none is given.
    fn kind(&mut self, keys: &Map<String, Value>) -> String {
        match keys.get("type") {
            Some(Value::String(kind)) => kind.clone(),
            Some(Value::Array(kinds)) => {
                let kind = self.pick(kinds).and_then(Value::as_str);
                kind.unwrap_or("null").to_owned()
            }
            _ if keys.contains_key("properties") => "object".to_owned(),
            _ if keys.contains_key("items") => "array".to_owned(),
            _ => {
                let any = ["string", "integer", "boolean", "null", "number"];
                self.pick(&any).copied().unwrap_or("null").to_owned()
            }
        }
    }

    fn of_kind(&mut self, kind: &str, keys: &Map<String, Value>, depth: usize) -> Value {
        match kind {
            "object" => self.object(keys, depth),
            "array" => self.array(keys, depth),
            "string" => Value::String(self.text(keys)),
            "integer" => self.integer(keys),
            "number" => self.number(keys),
            "boolean" => Value::Bool(self.below(2) == 0),
            _ => Value::Null,
        }
    }

    /// All that is required, and about half of the rest.
    fn object(&mut self, keys: &Map<String, Value>, depth: usize) -> Value {
        let required: Vec<&str> = match keys.get("required") {
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let mut made = Map::new();
        if let Some(Value::Object(properties)) = keys.get("properties") {
            for (name, schema) in properties {
                let is_wanted = depth < MAX_DEPTH && self.below(2) == 0;
                if required.contains(&name.as_str()) || is_wanted {
                    made.insert(name.clone(), self.value(schema, depth + 1));
                }
            }
        }
        Value::Object(made)
    }

    fn array(&mut self, keys: &Map<String, Value>, depth: usize) -> Value {
        let bound = |key: &str| keys.get(key).and_then(Value::as_u64);
        let least = bound("minItems").unwrap_or(0);
        let most = bound("maxItems").unwrap_or(least + MAX_ITEMS);
        let most = if depth < MAX_DEPTH {
            most.min(least.saturating_add(1_000))
        } else {
            least
        };
        // At the edges more often than chance has it.
        let count = match self.below(4) {
            0 => least,
            1 => most,
            _ => least.saturating_add(self.below(most.saturating_sub(least).min(MAX_ITEMS).saturating_add(1))),
        };
        let items = keys.get("items").cloned().unwrap_or_else(|| json!({}));
        let made = (0..count).map(|_| self.value(&items, depth + 1));
        Value::Array(made.collect())
    }

    fn text(&mut self, keys: &Map<String, Value>) -> String {
        let given = ["examples", "default"].iter().find_map(|key| keys.get(*key));
        if let (Some(given), 0) = (given, self.below(3)) {
            let examples = given.as_array().map_or(std::slice::from_ref(given), Vec::as_slice);
            if let Some(text) = self.pick(examples).and_then(Value::as_str) {
                return text.to_owned();
            }
        }
        let pool: &[&str] = match self.texts {
            Texts::Plain => &PLAIN,
            Texts::Unusual => &UNUSUAL,
        };
        let piece = self.pick(pool).copied().unwrap_or_default().to_owned();
        let text = match self.below(8) {
            0 => piece.repeat(200),
            1 => format!("{piece} {}", self.pick(pool).copied().unwrap_or_default()),
            _ => piece,
        };
        fitted(text, keys)
    }

    fn integer(&mut self, keys: &Map<String, Value>) -> Value {
        let (least, most) = (
            edge(keys, "minimum", "exclusiveMinimum", 1),
            edge(keys, "maximum", "exclusiveMaximum", -1),
        );
        let step = keys.get("multipleOf").and_then(Value::as_i64).unwrap_or(1).max(1);
        let low = least.unwrap_or(i64::MIN);
        let high = most.unwrap_or(i64::MAX);
        let edges = [
            low,
            low.saturating_add(step),
            high,
            high.saturating_sub(step),
            0,
            1,
            -1,
            7,
            i64::from(u32::MAX),
            1 << 53,
        ];
        let number = self.pick(&edges).copied().unwrap_or_default().clamp(low, high.max(low));
        // The multiple below, or the one above where that is too small.
        let below = number.saturating_sub(number.checked_rem_euclid(step).unwrap_or(0));
        json!(if below < low { below.saturating_add(step) } else { below })
    }

    fn number(&mut self, keys: &Map<String, Value>) -> Value {
        let bound = |key: &str| keys.get(key).and_then(Value::as_f64);
        let (least, most) = (bound("minimum"), bound("maximum"));
        let edges = [
            least.unwrap_or(-1e300),
            most.unwrap_or(1e300),
            0.0,
            0.1,
            -0.5,
            1e-9,
            3.0,
        ];
        let number = self.pick(&edges).copied().unwrap_or_default();
        let number = number.max(least.unwrap_or(number)).min(most.unwrap_or(f64::MAX));
        Number::from_f64(number).map_or(json!(0), Value::Number)
    }
}

/// A schema with others merged into it, without the keyword that named them. Properties and what is required are united.
fn merged(keys: &Map<String, Value>, others: &[Value], without: &str) -> Value {
    let mut merged = keys.clone();
    merged.remove(without);
    for other in others.iter().filter_map(Value::as_object) {
        for (key, value) in other {
            match (merged.get_mut(key), value) {
                (Some(Value::Object(present)), Value::Object(more)) if key == "properties" => {
                    present.extend(more.clone())
                }
                (Some(Value::Array(present)), Value::Array(more)) if key == "required" => present.extend(more.clone()),
                _ => _ = merged.insert(key.clone(), value.clone()),
            }
        }
    }
    Value::Object(merged)
}

/// A text of an allowed length.
fn fitted(text: String, keys: &Map<String, Value>) -> String {
    let bound = |key: &str| keys.get(key).and_then(Value::as_u64);
    let least = bound("minLength").unwrap_or(0).min(MAX_PADDED_CHARS);
    let most = bound("maxLength").unwrap_or(u64::MAX);
    let length = text.chars().count() as u64;
    if length < least {
        let padding = usize::try_from(least - length).unwrap_or_default();
        return text + &"x".repeat(padding);
    }
    text.chars().take(usize::try_from(most).unwrap_or(usize::MAX)).collect()
}

/// A whole bound, whichever way it is written.
fn edge(keys: &Map<String, Value>, inclusive: &str, exclusive: &str, inwards: i64) -> Option<i64> {
    let whole = |key: &str| {
        let number = keys.get(key)?;
        number.as_i64().or_else(|| number.as_u64().map(|_| i64::MAX))
    };
    whole(inclusive).or_else(|| whole(exclusive).map(|edge| edge.saturating_add(inwards)))
}

#[cfg(test)]
mod tests {
    use innkeeper_tools::ArgumentGate;
    use proptest::prelude::*;

    use super::*;

    fn made(schema: &Value, texts: Texts, seed: u64) -> Value {
        Generator::new(schema, texts, seed).arguments()
    }

    fn rich() -> Value {
        json!({
            "type": "object", "additionalProperties": false, "required": ["name", "mode", "spans"],
            "properties": {
                "name": {"type": "string", "minLength": 3, "maxLength": 20},
                "mode": {"enum": ["replace", "append"]},
                "limit": {"type": ["integer", "null"], "minimum": 1, "maximum": 50},
                "even": {"type": "integer", "multipleOf": 2, "exclusiveMinimum": 10, "maximum": 20},
                "share": {"type": "number", "minimum": 0, "maximum": 1},
                "spans": {"type": "array", "minItems": 1, "maxItems": 4, "items": {"$ref": "#/$defs/span"}},
                "who": {"anyOf": [{"const": "me"}, {"type": "string", "maxLength": 5}]},
                "both": {"allOf": [
                    {"type": "object", "required": ["a"], "properties": {"a": {"type": "boolean"}}},
                    {"required": ["b"], "properties": {"b": {"type": "integer", "minimum": 0}}},
                ]},
            },
            "$defs": {"span": {"type": "object", "required": ["start"], "additionalProperties": false,
                "properties": {"start": {"type": "integer", "minimum": 0, "maximum": 9}}}},
        })
    }

    proptest! {
        #[test]
        fn what_is_made_fits_the_schema(seed: u64) {
            let (schema, gate) = (rich(), ArgumentGate::new(&rich()).unwrap());
            for texts in [Texts::Plain, Texts::Unusual] {
                let arguments = made(&schema, texts, seed);
                prop_assert!(gate.check(&arguments).is_ok(), "{arguments}: {:?}", gate.check(&arguments));
            }
        }
    }

    #[test]
    fn a_seed_gives_the_same_arguments() {
        assert_eq!(made(&rich(), Texts::Plain, 7), made(&rich(), Texts::Plain, 7));
    }

    #[test]
    fn both_edges_of_a_list_and_of_a_number_are_met() {
        let schema = json!({"type": "object", "required": ["list", "number"], "properties": {
            "list": {"type": "array", "minItems": 1, "maxItems": 40, "items": {"const": 0}},
            "number": {"type": "integer", "minimum": -3, "maximum": 900},
        }});
        let mut generator = Generator::new(&schema, Texts::Plain, 1);
        let all: Vec<Value> = (0..200).map(|_| generator.arguments()).collect();
        let lengths: Vec<usize> = all
            .iter()
            .filter_map(|made| Some(made["list"].as_array()?.len()))
            .collect();
        assert!(lengths.contains(&1) && lengths.contains(&40), "{lengths:?}");
        for edge in [-3, 900] {
            assert!(all.iter().any(|made| made["number"] == edge), "{edge}");
        }
    }

    #[test]
    fn a_schema_that_never_ends_and_one_that_says_nothing_give_something() {
        let endless = json!({"type": "object", "required": ["next"], "properties": {"next": {"$ref": "#"}}});
        assert!(made(&endless, Texts::Plain, 3).is_object());
        for odd in [
            json!(true),
            json!({"$ref": "#/nowhere"}),
            json!({"enum": []}),
            json!({"type": []}),
            json!({"anyOf": []}),
        ] {
            let _ = made(&odd, Texts::Unusual, 3);
        }
        let vast = json!({"type": "object", "required": ["t"], "properties": {"t": {"type": "string", "minLength": 99_999_999_999_u64}}});
        assert!(made(&vast, Texts::Plain, 3)["t"].as_str().unwrap().chars().count() >= 100_000);
    }
}
