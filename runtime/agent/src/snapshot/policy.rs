//! Whether a snapshot was made by the rules of the profile that is to run with it.

use serde::Deserialize;
use serde_json::Value;

use super::error::SnapshotError;
use crate::profile::ResolvedProfile;

/// What a snapshot says went into it. What it does not say is not compared.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stated {
    #[serde(default = "all")]
    initial_chat_history_messages: i64,
    #[serde(default = "yes")]
    include_activated_world_info: bool,
    #[serde(default)]
    max_prompt_chars: Option<u32>,
    #[serde(default)]
    tool_results: Option<StatedResults>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StatedResults {
    #[serde(default)]
    keep_full: Option<u32>,
    /// Absent and `null` differ: the latter says that there is no limit.
    #[serde(default, deserialize_with = "said")]
    max_chars: Option<Option<u32>>,
}

const fn all() -> i64 {
    -1
}

const fn yes() -> bool {
    true
}

fn said<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Option<u32>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// Compares the snapshot's `contextPolicy` with the profile.
pub(super) fn check(policy: Option<&Value>, profile: &ResolvedProfile) -> Result<(), SnapshotError> {
    let policy = policy
        .filter(|policy| !policy.is_null())
        .ok_or(SnapshotError::PolicyRequired)?;
    if !policy.is_object() {
        return Err(SnapshotError::PolicyInvalid("it must be an object".to_owned()));
    }
    let stated = Stated::deserialize(policy).map_err(|error| SnapshotError::PolicyInvalid(error.to_string()))?;
    let context = profile.context();
    let (stated_messages, messages) = (
        stated.initial_chat_history_messages.max(-1),
        context.initial_chat_history_messages,
    );
    same("initialChatHistoryMessages", &stated_messages, &messages)?;
    same(
        "includeActivatedWorldInfo",
        &stated.include_activated_world_info,
        &context.include_activated_world_info,
    )?;
    if let Some(chars) = stated.max_prompt_chars {
        same("maxPromptChars", &chars, &context.max_prompt_chars)?;
    }
    let Some(results) = stated.tool_results else {
        return Ok(());
    };
    if let Some(keep_full) = results.keep_full {
        same("toolResults.keepFull", &keep_full, &context.tool_results.keep_full)?;
    }
    match results.max_chars {
        Some(chars) if chars != context.tool_results.max_chars => {
            let shown = |chars: Option<u32>| chars.map_or_else(|| "null".to_owned(), |chars| chars.to_string());
            Err(SnapshotError::PolicyMismatch {
                field: "toolResults.maxChars",
                found: shown(chars),
                expected: shown(context.tool_results.max_chars),
            })
        }
        _ => Ok(()),
    }
}

fn same<T: PartialEq + ToString>(field: &'static str, found: &T, expected: &T) -> Result<(), SnapshotError> {
    if found == expected {
        return Ok(());
    }
    Err(SnapshotError::PolicyMismatch {
        field,
        found: found.to_string(),
        expected: expected.to_string(),
    })
}
