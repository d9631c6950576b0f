//! Frozen inputs of a run: what a front end kept so that it can put together prompts for other agents of the same run later.
//!
//! Only the outer form is checked. What lies inside is the front end's own and is kept as it is.

use innkeeper_protocol::run::GenerationType;
use serde_json::{Map, Value, json};

use super::error::{FrozenFault, FrozenPart, SnapshotError};

const KIND: &str = "tauritavern.agentFrozenRunInputSnapshot";
const SCHEMA_VERSION: u64 = 1;
const DEFAULT_GENERATION: &str = "normal";

/// Frozen inputs in their normal form, for a run of this kind of message.
///
/// # Errors
/// [`SnapshotError::Frozen`] for what is wrong in them, then [`SnapshotError::GenerationMismatch`].
pub fn frozen_inputs(value: &Value, generation: GenerationType) -> Result<Value, SnapshotError> {
    let inputs = normalise(value).map_err(SnapshotError::Frozen)?;
    if inputs.generation_type == generation.as_str() {
        return Ok(inputs.document);
    }
    Err(SnapshotError::GenerationMismatch {
        found: inputs.generation_type,
        expected: generation.as_str(),
    })
}

/// Exactly six fields.
pub(super) struct FrozenInputs {
    pub(super) generation_type: String,
    pub(super) document: Value,
}

/// Checks frozen inputs and brings them into their normal form.
pub(super) fn normalise(value: &Value) -> Result<FrozenInputs, FrozenFault> {
    let object = value.as_object().ok_or(FrozenFault::NotAnObject)?;
    match either(object, "schemaVersion", "schema_version") {
        None => return Err(FrozenFault::SchemaMissing),
        Some(version) if version.as_u64() != Some(SCHEMA_VERSION) => {
            return Err(FrozenFault::SchemaUnsupported(version.to_string()));
        }
        Some(_) => {}
    }
    match object.get("kind") {
        Some(Value::String(kind)) if kind == KIND => {}
        Some(Value::String(kind)) => return Err(FrozenFault::KindUnknown(kind.clone())),
        _ => return Err(FrozenFault::KindInvalid),
    }
    let generation_type = match either(object, "generationType", "generation_type") {
        None => DEFAULT_GENERATION.to_owned(),
        Some(Value::String(word)) if !word.trim().is_empty() => word.trim().to_owned(),
        Some(_) => return Err(FrozenFault::GenerationType),
    };
    let inputs = part(object, FrozenPart::PromptInputs, "promptInputs", "prompt_inputs")?;
    let world = part(
        object,
        FrozenPart::WorldInfoActivation,
        "worldInfoActivation",
        "world_info_activation",
    )?;
    let macros = part(object, FrozenPart::MacroContext, "macroContext", "macro_context")?;
    let document = json!({
        "schemaVersion": SCHEMA_VERSION,
        "kind": KIND,
        "generationType": generation_type,
        "promptInputs": inputs,
        "worldInfoActivation": world,
        "macroContext": macros,
    });
    Ok(FrozenInputs {
        generation_type,
        document,
    })
}

/// The value under either spelling; `null` counts as absent.
fn either<'a>(object: &'a Map<String, Value>, camel: &str, snake: &str) -> Option<&'a Value> {
    let found = |name| object.get(name).filter(|value: &&Value| !value.is_null());
    found(camel).or_else(|| found(snake))
}

fn part<'a>(
    object: &'a Map<String, Value>,
    part: FrozenPart,
    camel: &str,
    snake: &str,
) -> Result<&'a Map<String, Value>, FrozenFault> {
    match either(object, camel, snake) {
        Some(Value::Object(found)) => Ok(found),
        Some(_) => Err(FrozenFault::Invalid(part)),
        None => Err(FrozenFault::Missing(part)),
    }
}
