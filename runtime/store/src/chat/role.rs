//! Who speaks in a message, and how JavaScript reads the flags that say so.
//!
//! It knows nothing of prompts: a hidden message is a system message here, as it is in the file.

use innkeeper_protocol::port::ChatRole;

use super::splice::RawObject;

/// The role of a stored message; the user's flag wins.
pub(super) fn role_of(message: &RawObject<'_>) -> ChatRole {
    if truthy(message.get("is_user")) {
        ChatRole::User
    } else if truthy(message.get("is_system")) {
        ChatRole::System
    } else {
        ChatRole::Assistant
    }
}

/// JavaScript's truth of a raw JSON value: imported files hold `1` or `"true"` where SillyTavern writes `true`.
pub(super) fn truthy(raw: Option<&str>) -> bool {
    match raw {
        None | Some("null" | "false" | "\"\"" | "NaN") => false,
        Some(text) => text.parse::<f64>() != Ok(0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_read_as_javascript_reads_them() {
        for raw in ["true", "1", "\"false\"", "{}", "[]", "-3.5"] {
            assert!(truthy(Some(raw)), "{raw}");
        }
        for raw in [
            None,
            Some("false"),
            Some("null"),
            Some("0"),
            Some("-0.0"),
            Some("0e5"),
            Some("\"\""),
            Some("NaN"),
        ] {
            assert!(!truthy(raw), "{raw:?}");
        }
    }

    #[test]
    fn the_user_flag_wins() {
        let role = |text| role_of(&RawObject::parse(text).unwrap());
        assert_eq!(role(r#"{"is_user":true,"is_system":true}"#), ChatRole::User);
        assert_eq!(role(r#"{"is_user":false,"is_system":true}"#), ChatRole::System);
        assert_eq!(role("{}"), ChatRole::Assistant);
    }
}
