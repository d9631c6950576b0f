//! For which preset and which character a run's skills are looked up.

use innkeeper_protocol::run::ChatRef;
use innkeeper_protocol::skill::{SkillPreset, SkillScopeRefs};
use serde_json::{Map, Value};

use super::error::{ScopeFault, SnapshotError};
use crate::profile::{PresetMode, ResolvedProfile};

/// The scopes of a run: what the start names, if it agrees with profile and chat; else what these say themselves.
///
/// # Errors
/// [`SnapshotError::Scope`].
pub fn scope_refs(
    given: Option<&Value>,
    profile: &ResolvedProfile,
    chat: &ChatRef,
) -> Result<SkillScopeRefs, SnapshotError> {
    let given = match given {
        None | Some(Value::Null) => &Map::new(),
        Some(Value::Object(given)) => given,
        Some(_) => return Err(SnapshotError::Scope(ScopeFault::Refs)),
    };
    let preset = preset(given.get("preset"), profile).map_err(SnapshotError::Scope)?;
    let character_id = character(given.get("characterId"), chat).map_err(SnapshotError::Scope)?;
    Ok(SkillScopeRefs { preset, character_id })
}

fn preset(given: Option<&Value>, profile: &ResolvedProfile) -> Result<Option<SkillPreset>, ScopeFault> {
    let own = profile.preset();
    let named = own.reference.as_ref().filter(|_| own.mode == PresetMode::Ref);
    let named = named.map(|named| SkillPreset {
        api_id: named.api_id.clone(),
        name: named.name.clone(),
    });
    let given = match given {
        None | Some(Value::Null) => return Ok(named),
        Some(Value::Object(given)) => given,
        Some(_) => return Err(ScopeFault::Preset),
    };
    let field = |name: &'static str| match given.get(name) {
        Some(Value::String(text)) if !text.trim().is_empty() => Ok(text.trim().to_owned()),
        _ => Err(ScopeFault::PresetField(name)),
    };
    let given = SkillPreset {
        api_id: field("apiId")?,
        name: field("name")?,
    };
    let shown = |preset: &SkillPreset| format!("{}/{}", preset.api_id, preset.name);
    let expected = match (own.mode, named) {
        // The preset on screen is the front end's to name.
        (PresetMode::CurrentPromptSnapshot, _) => return Ok(Some(given)),
        (PresetMode::Ref, Some(named)) if named == given => return Ok(Some(named)),
        (PresetMode::Ref, Some(named)) => shown(&named),
        (PresetMode::Ref | PresetMode::None, _) => "no preset".to_owned(),
    };
    Err(ScopeFault::PresetMismatch {
        given: shown(&given),
        expected,
    })
}

fn character(given: Option<&Value>, chat: &ChatRef) -> Result<Option<String>, ScopeFault> {
    let own = match chat {
        ChatRef::Character { character_id, .. } if !character_id.trim().is_empty() => Some(character_id.as_str()),
        ChatRef::Character { .. } | ChatRef::Group { .. } => None,
    };
    let given = match given {
        None | Some(Value::Null) => return Ok(own.map(str::to_owned)),
        Some(Value::String(given)) if !given.trim().is_empty() => given.trim(),
        Some(_) => return Err(ScopeFault::CharacterEmpty),
    };
    match own {
        Some(own) if own == given => Ok(Some(own.to_owned())),
        _ => Err(ScopeFault::CharacterMismatch {
            given: given.to_owned(),
            expected: own.map_or_else(|| "a group".to_owned(), |own| format!("{own:?}")),
        }),
    }
}
