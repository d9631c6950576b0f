//! One entry of a book, read from either of the two forms.
//!
//! SillyTavern's own codes hide in the `extensions` of a card's entry and win there, because its export writes the official fields
//! with less precision.

use innkeeper_protocol::model::Role;
use innkeeper_protocol::worldinfo::EntryPosition;
use serde_json::{Map, Value};

use super::decorators;
use crate::fields::{Fields, WrongType, split_at_commas};

const DEFAULT_ORDER: i64 = 100;
const DEFAULT_DEPTH: u32 = 4;
const DEFAULT_GROUP_WEIGHT: u32 = 100;
const CERTAIN: u32 = 100;

/// How secondary keys decide, once a primary key was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Logic {
    /// At least one of them is there.
    AndAny,
    /// At least one of them is missing.
    NotAll,
    /// None of them is there.
    NotAny,
    /// All of them are there.
    AndAll,
}

/// Texts beside the chat that an entry's keys are looked for in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct AlsoIn {
    pub(super) description: bool,
    pub(super) personality: bool,
    pub(super) note: bool,
    pub(super) scenario: bool,
    pub(super) creator_notes: bool,
}

/// For whom an entry is; empty for everybody.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CharacterFilter {
    pub(super) excludes: bool,
    pub(super) names: Vec<String>,
    pub(super) tags: Vec<String>,
}

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) uid: String,
    pub(super) title: String,
    pub(super) content: String,
    pub(super) keys: Vec<String>,
    pub(super) secondary: Vec<String>,
    pub(super) logic: Logic,
    pub(super) constant: bool,
    pub(super) enabled: bool,
    pub(super) order: i64,
    pub(super) position: EntryPosition,
    pub(super) depth: u32,
    pub(super) role: Role,
    pub(super) ignores_budget: bool,
    /// Not to be brought in by another entry.
    pub(super) not_by_others: bool,
    /// Not to bring in others.
    pub(super) brings_none: bool,
    /// Only to be brought in by others, from this level on; 0 for an ordinary entry.
    pub(super) level: u32,
    /// In percent.
    pub(super) probability: u32,
    pub(super) groups: Vec<String>,
    pub(super) group_override: bool,
    pub(super) group_weight: u32,
    pub(super) scan_depth: Option<u32>,
    pub(super) case_sensitive: Option<bool>,
    pub(super) whole_words: Option<bool>,
    /// Messages that a chat must have.
    pub(super) delay: u32,
    pub(super) also_in: AlsoIn,
    pub(super) filter: CharacterFilter,
    pub(super) triggers: Vec<String>,
}

impl Entry {
    /// Reads an entry; `key` is the name under which the book keeps it, for entries without an id.
    pub(super) fn parse(object: &Map<String, Value>, key: &str) -> Result<Self, WrongType> {
        let mut entry = if object.contains_key("keys") {
            Self::of_card(object, key)?
        } else {
            Self::of_book(object, key)?
        };
        decorators::apply(&mut entry);
        Ok(entry)
    }

    /// As `worlds/*.json` has it.
    fn of_book(object: &Map<String, Value>, key: &str) -> Result<Self, WrongType> {
        let own = Fields::new(object, "");
        let secondary = own.texts("keysecondary")?;
        Ok(Self {
            uid: id(own, "uid", key),
            title: own.text("comment")?,
            keys: own.texts("key")?,
            secondary: if own.flag("selective").unwrap_or(true) {
                secondary
            } else {
                Vec::new()
            },
            enabled: !own.flag("disable").unwrap_or(false),
            order: own.number("order").unwrap_or(DEFAULT_ORDER),
            position: own
                .number("position")
                .and_then(position)
                .unwrap_or(EntryPosition::Before),
            case_sensitive: own.flag("caseSensitive"),
            ..Self::shared(own, own, &CAMEL)?
        })
    }

    /// As a card's `character_book` has it.
    fn of_card(object: &Map<String, Value>, key: &str) -> Result<Self, WrongType> {
        let own = Fields::new(object, "");
        let none = Map::new();
        let extensions = own.object("extensions").ok().flatten().unwrap_or(&none);
        let more = Fields::new(extensions, "extensions.");
        let title = own.text("comment")?;
        let secondary = own.texts("secondary_keys")?;
        Ok(Self {
            uid: id(own, "id", key),
            title: if title.trim().is_empty() {
                own.text("name")?
            } else {
                title
            },
            keys: own.texts("keys")?,
            secondary: if own.flag("selective").unwrap_or(false) {
                secondary
            } else {
                Vec::new()
            },
            enabled: own.flag("enabled").unwrap_or(true),
            order: own.number("insertion_order").unwrap_or(DEFAULT_ORDER),
            position: more
                .number("position")
                .and_then(position)
                .unwrap_or_else(|| named_position(own)),
            case_sensitive: more.flag("case_sensitive").or_else(|| own.flag("case_sensitive")),
            ..Self::shared(own, more, &SNAKE)?
        })
    }

    /// What both forms say alike, under other names and in another place.
    fn shared(own: Fields<'_>, more: Fields<'_>, names: &Names) -> Result<Self, WrongType> {
        let is_set = |name: &str| more.flag(name).unwrap_or(false);
        let by_chance = more.flag(names.use_probability).unwrap_or(true);
        let probability = more.count("probability").unwrap_or(CERTAIN);
        Ok(Self {
            uid: String::new(),
            title: String::new(),
            content: own.text("content")?,
            keys: Vec::new(),
            secondary: Vec::new(),
            logic: logic(more.number("selectiveLogic")),
            constant: own.flag("constant").unwrap_or(false),
            enabled: true,
            order: DEFAULT_ORDER,
            position: EntryPosition::Before,
            depth: more.count("depth").unwrap_or(DEFAULT_DEPTH),
            role: role(more.number("role")),
            ignores_budget: is_set(names.ignore_budget),
            not_by_others: is_set(names.exclude_recursion),
            brings_none: is_set(names.prevent_recursion),
            level: level(more, names.delay_until_recursion),
            probability: if by_chance { probability } else { CERTAIN },
            groups: more
                .text("group")
                .map(|text| split_at_commas(&text))
                .unwrap_or_default(),
            group_override: is_set(names.group_override),
            group_weight: more.count(names.group_weight).unwrap_or(DEFAULT_GROUP_WEIGHT),
            scan_depth: more.count(names.scan_depth),
            case_sensitive: None,
            whole_words: more.flag(names.whole_words),
            delay: more.count("delay").unwrap_or(0),
            also_in: AlsoIn {
                description: is_set(names.also_in[0]),
                personality: is_set(names.also_in[1]),
                note: is_set(names.also_in[2]),
                scenario: is_set(names.also_in[3]),
                creator_notes: is_set(names.also_in[4]),
            },
            filter: filter(own),
            triggers: more.texts("triggers").unwrap_or_default(),
        })
    }
}

/// The same fields, as each form spells them.
struct Names {
    use_probability: &'static str,
    ignore_budget: &'static str,
    exclude_recursion: &'static str,
    prevent_recursion: &'static str,
    delay_until_recursion: &'static str,
    group_override: &'static str,
    group_weight: &'static str,
    scan_depth: &'static str,
    whole_words: &'static str,
    also_in: [&'static str; 5],
}

const CAMEL: Names = Names {
    use_probability: "useProbability",
    ignore_budget: "ignoreBudget",
    exclude_recursion: "excludeRecursion",
    prevent_recursion: "preventRecursion",
    delay_until_recursion: "delayUntilRecursion",
    group_override: "groupOverride",
    group_weight: "groupWeight",
    scan_depth: "scanDepth",
    whole_words: "matchWholeWords",
    also_in: [
        "matchCharacterDescription",
        "matchCharacterPersonality",
        "matchCharacterDepthPrompt",
        "matchScenario",
        "matchCreatorNotes",
    ],
};

const SNAKE: Names = Names {
    // The one that keeps its capitals in a card.
    use_probability: "useProbability",
    ignore_budget: "ignore_budget",
    exclude_recursion: "exclude_recursion",
    prevent_recursion: "prevent_recursion",
    delay_until_recursion: "delay_until_recursion",
    group_override: "group_override",
    group_weight: "group_weight",
    scan_depth: "scan_depth",
    whole_words: "match_whole_words",
    also_in: [
        "match_character_description",
        "match_character_personality",
        "match_character_depth_prompt",
        "match_scenario",
        "match_creator_notes",
    ],
};

fn id(own: Fields<'_>, name: &str, key: &str) -> String {
    match own.get(name) {
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::String(text)) if !text.trim().is_empty() => text.trim().to_owned(),
        _ => key.to_owned(),
    }
}

const fn logic(code: Option<i64>) -> Logic {
    match code {
        Some(1) => Logic::NotAll,
        Some(2) => Logic::NotAny,
        Some(3) => Logic::AndAll,
        _ => Logic::AndAny,
    }
}

const fn role(code: Option<i64>) -> Role {
    match code {
        Some(1) => Role::User,
        Some(2) => Role::Assistant,
        _ => Role::System,
    }
}

const fn position(code: i64) -> Option<EntryPosition> {
    Some(match code {
        0 => EntryPosition::Before,
        1 => EntryPosition::After,
        2 => EntryPosition::AnTop,
        3 => EntryPosition::AnBottom,
        4 => EntryPosition::Depth,
        5 => EntryPosition::EmTop,
        6 => EntryPosition::EmBottom,
        7 => EntryPosition::Outlet,
        _ => return None,
    })
}

fn named_position(own: Fields<'_>) -> EntryPosition {
    match own.get("position").and_then(Value::as_str) {
        Some("after_char") => EntryPosition::After,
        _ => EntryPosition::Before,
    }
}

/// A number, or in older files a flag, which means the first level.
fn level(more: Fields<'_>, name: &str) -> u32 {
    match more.flag(name) {
        Some(is_delayed) => u32::from(is_delayed),
        None => more.count(name).unwrap_or(0),
    }
}

fn filter(own: Fields<'_>) -> CharacterFilter {
    let Ok(Some(found)) = own.object("characterFilter") else {
        return CharacterFilter::default();
    };
    let found = Fields::new(found, "");
    CharacterFilter {
        excludes: found.flag("isExclude").unwrap_or(false),
        names: found.texts("names").unwrap_or_default(),
        tags: found.texts("tags").unwrap_or_default(),
    }
}
