//! Every problem of a profile file at once, for people who write one by hand.
//!
//! After each problem the place is set to something acceptable, in a copy that nobody else sees, and the file is looked at again; so
//! the same code decides here and when a run starts. Nothing is repaired. What follows from an earlier problem may be missing or be told
//! as well: a file is right when it has no problem left.

mod mend;
mod place;

use innkeeper_protocol::id::{ProfileId, ToolId};
use innkeeper_protocol::run::Presentation;
use innkeeper_protocol::tool::ToolSpec;
use serde_json::{Map, Value};
use serde_path_to_error::{Path, Segment};

use super::defaults::default_writer;
use super::error::ProfileError;
use super::json_path::JsonPath;
use super::migrate::migrate;
use super::resolve::resolve;
use super::resolved::ResolvedProfile;
use super::schema::{Profile, SCHEMA_VERSION};
use super::shape;
use super::stored::present_value;
use super::tools::{WORKSPACE_COMMIT, WORKSPACE_FINISH, WORKSPACE_WRITE};

/// Problems of each kind, of the schema and of the rules, that are looked for in one file: who has that many begins with the first ones.
const MAX_STEPS: usize = 100;

/// Something in a profile file that has to be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The stable code.
    pub code: &'static str,
    /// Where.
    pub path: JsonPath,
    /// What is wrong, and what to write instead.
    pub message: String,
}

/// A profile file and everything that is wrong with it.
#[derive(Debug)]
pub struct Checked {
    /// The file and its checked form, where nothing is wrong with it.
    pub profile: Option<(Profile, ResolvedProfile)>,
    /// What is wrong, section by section in the order of the checks, what breaks the schema first; not more than some two hundred.
    pub problems: Vec<Problem>,
}

/// Checks a profile file of any version that is read; as the file of the profile `stem`, where its name counts.
#[must_use]
pub fn check(json: &[u8], stem: Option<&ProfileId>, catalogue: &[ToolSpec]) -> Checked {
    let mut found = Found::default();
    let checked = present_value(json)
        .and_then(|file| expect_version(&file).map(|()| file))
        .map_err(|error| found.tell(&error, place::of(&error, None)))
        .ok()
        .and_then(|file| fit_schema(file, &mut found))
        .and_then(|profile| rules(profile, stem, catalogue, &mut found));
    if found.problems.is_empty() {
        found.tell_if_unreadable(json);
    }
    Checked {
        profile: checked.filter(|_| found.problems.is_empty()),
        problems: found.problems,
    }
}

#[derive(Default)]
struct Found {
    problems: Vec<Problem>,
}

impl Found {
    /// Tells a problem, once.
    fn tell(&mut self, error: &ProfileError, path: JsonPath) {
        let problem = Problem {
            code: error.code(),
            path,
            message: error.to_string(),
        };
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// What is lost when JSON becomes a value, such as a member that is there twice, is only seen in the text.
    fn tell_if_unreadable(&mut self, json: &[u8]) {
        let read = migrate(json).and_then(|migrated| Profile::parse(migrated.as_deref().unwrap_or(json)));
        if let Err(error) = read {
            self.tell(&error, place::of(&error, None));
        }
    }
}

/// The rules of another version are not known, so nothing else can be said about such a file.
fn expect_version(file: &Value) -> Result<(), ProfileError> {
    match file.get("schemaVersion").and_then(Value::as_i64) {
        Some(found) if found != SCHEMA_VERSION => Err(ProfileError::SchemaUnsupported { found }),
        _ => Ok(()),
    }
}

/// The file as a profile, with something of a model in each place that does not fit.
fn fit_schema(mut file: Value, found: &mut Found) -> Option<Profile> {
    let model = serde_json::to_value(model()).ok()?;
    for _ in 0..MAX_STEPS {
        match serde_path_to_error::deserialize::<_, Profile>(&file) {
            Ok(profile) => {
                let fits = shape::check(&file, &profile);
                return fits
                    .map_err(|error| found.tell(&error, place::of(&error, None)))
                    .ok()
                    .map(|()| profile);
            }
            Err(error) => {
                let steps: Vec<Step> = steps(error.path());
                let error = ProfileError::contract(error);
                found.tell(&error, place::of(&error, None));
                if !fit(&mut file, &model, &steps) {
                    return None;
                }
            }
        }
    }
    None
}

/// A profile whose sections go with any others.
fn model() -> Profile {
    let tools = [WORKSPACE_WRITE, WORKSPACE_COMMIT, WORKSPACE_FINISH];
    let tools: Vec<ToolId> = tools.into_iter().filter_map(|id| ToolId::parse(id).ok()).collect();
    let mut model = default_writer(&tools);
    model.run.presentation = Presentation::Background;
    model
}

/// One step towards a place.
enum Step {
    Key(String),
    Index(usize),
}

fn steps(path: &Path) -> Vec<Step> {
    let step = |segment: &Segment| match segment {
        Segment::Map { key } => Some(Step::Key(key.clone())),
        Segment::Enum { variant } => Some(Step::Key(variant.clone())),
        Segment::Seq { index } => Some(Step::Index(*index)),
        Segment::Unknown => None,
    };
    path.iter().filter_map(step).collect()
}

/// Makes a place of the file like the model's. Each time one thing less is wrong: a member that is missing in the place is taken from the
/// model, a place that the model has is replaced by it, and any other place is removed. `false` when there is no such place.
fn fit(file: &mut Value, model: &Value, steps: &[Step]) -> bool {
    let Some((step, rest)) = steps.split_first() else {
        return fill(file, model);
    };
    let (inner, inner_model) = match step {
        Step::Key(key) => (file.get_mut(key), model.get(key)),
        Step::Index(index) => (file.get_mut(index), model.get(index)),
    };
    match (inner, inner_model) {
        (Some(inner), Some(model)) => fit(inner, model, rest),
        (Some(_), None) => remove(file, step),
        (None, _) => false,
    }
}

fn fill(file: &mut Value, model: &Value) -> bool {
    if let (Value::Object(members), Value::Object(models)) = (&mut *file, model)
        && let Some((name, value)) = missing(members, models)
    {
        members.insert(name.clone(), value.clone());
        return true;
    }
    let differs = file != model;
    file.clone_from(model);
    differs
}

fn missing<'a>(members: &Map<String, Value>, models: &'a Map<String, Value>) -> Option<(&'a String, &'a Value)> {
    models.iter().find(|(name, _)| !members.contains_key(*name))
}

fn remove(file: &mut Value, step: &Step) -> bool {
    match (file, step) {
        (Value::Object(members), Step::Key(key)) => members.shift_remove(key).is_some(),
        (Value::Array(items), Step::Index(index)) if *index < items.len() => {
            items.remove(*index);
            true
        }
        _ => false,
    }
}

/// Looks at the profile until nothing is wrong with the copy.
fn rules(
    profile: Profile,
    stem: Option<&ProfileId>,
    catalogue: &[ToolSpec],
    found: &mut Found,
) -> Option<(Profile, ResolvedProfile)> {
    if let Some(stem) = stem.filter(|stem| profile.id.trim() != stem.as_str()) {
        let error = ProfileError::IdMismatch {
            found: profile.id.clone(),
            stem: stem.clone(),
        };
        found.tell(&error, place::of(&error, None));
    }
    let mut copy = profile.clone();
    for _ in 0..MAX_STEPS {
        match resolve(&copy, catalogue) {
            Ok(resolved) => return Some((profile, resolved)),
            Err(error) => {
                found.tell(&error, place::of(&error, Some(&profile)));
                if !mend::mend(&mut copy, &error, catalogue) {
                    return None;
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests;
