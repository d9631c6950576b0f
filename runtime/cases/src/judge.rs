//! Compares what came with what a case expects, and checks what every call has to obey whether a case says so or not.

use serde_json::{Value, json};

use super::format::Call;
use super::printed::Printed;

/// A reply: the case's expectations, and no digest where a model could read it.
///
/// # Errors
/// Says what differs.
pub fn success(call: &Call, result: &Printed) -> Result<(), String> {
    if result.is_error {
        return Err(format!("failed with {:?}: {}", result.error_code, result.model_text));
    }
    if result.error_code.is_some() {
        return Err(format!("worked and has the code {:?}", result.error_code));
    }
    if result.content != [json!({"type": "text", "text": result.model_text})] {
        return Err("the model's text is not what its content says".into());
    }
    texts(call, result)?;
    structured(call, result)?;
    if let Some(refs) = &call.refs
        && *refs != result.resource_refs
    {
        return Err(format!("references {:?}, expected {refs:?}", result.resource_refs));
    }
    effects(call, result)
}

/// An error: its code and its form. That nothing was written is for whoever sees the files.
///
/// # Errors
/// Says what differs.
pub fn error(call: &Call, code: &str, result: &Printed) -> Result<(), String> {
    if !result.is_error || result.error_code.as_deref() != Some(code) {
        return Err(format!(
            "ended as {:?}, expected {code}: {}",
            result.error_code, result.model_text
        ));
    }
    let message = result
        .model_text
        .strip_prefix("## Tool error\n\n")
        .ok_or("the text has no error heading")?;
    if message.trim().is_empty() {
        return Err("the error says nothing".into());
    }
    if result.content != [json!({"type": "text", "text": message})] {
        return Err(format!(
            "the content is {:?}, expected only the message",
            result.content
        ));
    }
    let form = json!({"error": {"code": code, "message": message}});
    if result.structured.as_ref() != Some(&form) {
        return Err(format!(
            "the structured part is {:?}, expected {form}",
            result.structured
        ));
    }
    if !result.resource_refs.is_empty() || !result.effects.is_empty() {
        return Err(format!(
            "an error has references or effects: {:?} {:?}",
            result.resource_refs, result.effects
        ));
    }
    texts(call, result)
}

fn texts(call: &Call, result: &Printed) -> Result<(), String> {
    let text = &result.model_text;
    if let Some(wanted) = &call.text_is
        && wanted != text
    {
        return Err(format!("the model reads {text:?}, expected {wanted:?}"));
    }
    if let Some(missing) = call.text_contains.iter().find(|part| !text.contains(part.as_str())) {
        return Err(format!("the model does not read {missing:?} in\n{}", cut(text)));
    }
    if let Some(found) = call.text_lacks.iter().find(|part| text.contains(part.as_str())) {
        return Err(format!("the model reads {found:?} in\n{}", cut(text)));
    }
    match digest_in(text) {
        Some(digest) => Err(format!("the model reads the digest {digest}")),
        None => Ok(()),
    }
}

fn structured(call: &Call, result: &Printed) -> Result<(), String> {
    let found = result.structured.as_ref().unwrap_or(&Value::Null);
    if let Some(key) = call
        .structured_lacks
        .iter()
        .find(|key| found.get(key.as_str()).is_some())
    {
        return Err(format!("the structured part has {key:?}"));
    }
    if let Some(whole) = &call.structured_is
        && *found != whole.json()?
    {
        return Err(format!(
            "the structured part is {found}, expected exactly {}",
            whole.json()?
        ));
    }
    let Some(wanted) = &call.structured else { return Ok(()) };
    holds(found, &wanted.json()?, "structured")
}

fn effects(call: &Call, result: &Printed) -> Result<(), String> {
    let found = Value::Array(result.effects.clone());
    match &call.effects {
        None if result.effects.is_empty() => Ok(()),
        None => Err(format!("effects that the case does not name: {found}")),
        Some(wanted) => holds(&found, &wanted.json()?, "effects"),
    }
}

/// Objects may have further keys; everything else is equal, also the length of lists.
fn holds(found: &Value, wanted: &Value, place: &str) -> Result<(), String> {
    match (found, wanted) {
        (Value::Object(found), Value::Object(wanted)) => wanted.iter().try_for_each(|(key, value)| {
            let place = format!("{place}.{key}");
            let found = found
                .get(key)
                .ok_or_else(|| format!("{place} is missing in {found:?}"))?;
            holds(found, value, &place)
        }),
        (Value::Array(found), Value::Array(wanted)) if found.len() == wanted.len() => {
            let pairs = found.iter().zip(wanted).enumerate();
            pairs
                .into_iter()
                .try_for_each(|(index, (found, wanted))| holds(found, wanted, &format!("{place}[{index}]")))
        }
        (Value::Number(found), Value::Number(wanted)) if found.is_f64() || wanted.is_f64() => {
            let near = (found.as_f64().unwrap_or_default() - wanted.as_f64().unwrap_or_default()).abs() < 0.0006;
            if near {
                Ok(())
            } else {
                Err(format!("{place} is {found}, expected {wanted}"))
            }
        }
        _ if found == wanted => Ok(()),
        _ => Err(format!("{place} is {found}, expected {wanted}")),
    }
}

/// 64 hex digits in a row, which only a SHA-256 has.
fn digest_in(text: &str) -> Option<&str> {
    text.split(|c: char| !c.is_ascii_hexdigit()).find(|run| run.len() == 64)
}

fn cut(text: &str) -> String {
    text.chars().take(1_500).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_may_hold_more_and_lists_may_not() {
        assert_eq!(holds(&json!({"a": 1, "b": 2}), &json!({"a": 1}), "x"), Ok(()));
        assert!(holds(&json!([1, 2]), &json!([1]), "x").is_err());
        assert!(
            holds(&json!({"a": {"b": 1}}), &json!({"a": {"b": 2}}), "x")
                .unwrap_err()
                .starts_with("x.a.b is 1")
        );
        assert!(holds(&json!({}), &json!({"a": null}), "x").is_err());
    }

    #[test]
    fn a_digest_is_found_in_a_text() {
        let digest = "0123456789abcdef".repeat(4);
        assert_eq!(digest_in(&format!("see {digest}.")), Some(digest.as_str()));
        assert_eq!(digest_in("see 0123456789abcdef."), None);
    }
}
