//! The rules of a workspace path and the words in which a refusal is told. The same on every platform: a run made on Linux must
//! open on Windows.
//!
//! Nothing here corrects a bad path; it is refused, with the rule that it breaks.

use std::fmt::Write as _;

use crate::shown::is_invisible;

use super::{MAX_COMPONENT_BYTES, MAX_PATH_BYTES};

/// How much of a refused path the message repeats, in scalars; the text may be megabytes of a model's mistake.
const MAX_SHOWN_CHARS: usize = 120;

/// Characters that Windows refuses in a name or reads as something else.
const FORBIDDEN: [char; 8] = ['\\', ':', '<', '>', '"', '|', '?', '*'];

/// The rule that a refused path breaks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathRule {
    /// No component is left.
    #[error("it names nothing")]
    Empty,
    /// Longer than [`MAX_PATH_BYTES`].
    #[error("it has {bytes} bytes; a path has at most {MAX_PATH_BYTES}")]
    TooLong {
        /// Length of the text.
        bytes: usize,
    },
    /// Begins with `/`.
    #[error("it begins with `/`; paths are relative to the workspace, such as `output/main.md`")]
    Absolute,
    /// A character that not every platform can have in a name.
    #[error("it contains `{0}`; names hold none of \\ : < > \" | ? *")]
    ForbiddenCharacter(char),
    /// A control, format or line-separating character (categories Cc, Cf, Zl, Zp).
    #[error("it contains the invisible character {}", .0.escape_unicode())]
    InvisibleCharacter(char),
    /// A `..` component, even one that would stay inside.
    #[error("it contains `..`; name the place itself")]
    ParentComponent,
    /// A component that ends in a dot or in white space, which Windows drops.
    #[error("the component `{0}` ends in a dot or a space")]
    TrailingDotOrSpace(String),
    /// A first component that begins with white space, which could not be typed again because outer white space is dropped.
    #[error("it begins with a space")]
    LeadingSpace,
    /// A name that Windows gives to a device.
    #[error("the component `{0}` is a device name on Windows")]
    DeviceName(String),
    /// A component longer than [`MAX_COMPONENT_BYTES`].
    #[error("a component has {bytes} bytes; it has at most {MAX_COMPONENT_BYTES}")]
    ComponentTooLong {
        /// Length of the component.
        bytes: usize,
    },
    /// A separator where a single name was expected.
    #[error("`{0}` is no single name")]
    NotOneComponent(String),
}

/// Why a text is no workspace path. Its message shows invisible characters escaped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{shown}` is not a workspace path: {rule}")]
pub struct PathRefusal {
    /// The text, with invisible characters escaped, cut at 120 characters.
    pub shown: String,
    /// The rule it breaks.
    pub rule: PathRule,
}

impl PathRefusal {
    pub(super) fn new(text: &str, rule: PathRule) -> Self {
        Self {
            shown: shown(text),
            rule,
        }
    }

    /// The code that every workspace tool gives for a refused path.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        "workspace.invalid_path"
    }
}

/// Checks a trimmed text and brings it into normal form.
pub(super) fn normalise(text: &str) -> Result<String, PathRule> {
    if text.len() > MAX_PATH_BYTES {
        return Err(PathRule::TooLong { bytes: text.len() });
    }
    if text.starts_with('/') {
        return Err(PathRule::Absolute);
    }
    check_characters(text)?;
    let mut normal = String::with_capacity(text.len());
    for component in text.split('/').filter(|component| !matches!(*component, "" | ".")) {
        check_component(component)?;
        if normal.is_empty() {
            if component.starts_with(char::is_whitespace) {
                return Err(PathRule::LeadingSpace);
            }
        } else {
            normal.push('/');
        }
        normal.push_str(component);
    }
    if normal.is_empty() {
        Err(PathRule::Empty)
    } else {
        Ok(normal)
    }
}

/// Checks a name that was put below a path of ours; `whole` is the length of the result.
pub(super) fn check_joined(name: &str, whole: usize) -> Result<(), PathRule> {
    if name.is_empty() || name == "." || name.contains('/') {
        return Err(PathRule::NotOneComponent(shown(name)));
    }
    check_characters(name)?;
    check_component(name)?;
    if whole > MAX_PATH_BYTES {
        Err(PathRule::TooLong { bytes: whole })
    } else {
        Ok(())
    }
}

fn check_characters(text: &str) -> Result<(), PathRule> {
    for scalar in text.chars() {
        if is_invisible(scalar) {
            return Err(PathRule::InvisibleCharacter(scalar));
        }
        if FORBIDDEN.contains(&scalar) {
            return Err(PathRule::ForbiddenCharacter(scalar));
        }
    }
    Ok(())
}

fn check_component(component: &str) -> Result<(), PathRule> {
    if component == ".." {
        return Err(PathRule::ParentComponent);
    }
    if component.len() > MAX_COMPONENT_BYTES {
        return Err(PathRule::ComponentTooLong { bytes: component.len() });
    }
    if component.ends_with(|last: char| last == '.' || last.is_whitespace()) {
        return Err(PathRule::TrailingDotOrSpace(component.to_owned()));
    }
    if is_device_name(component) {
        return Err(PathRule::DeviceName(component.to_owned()));
    }
    Ok(())
}

/// Windows takes such a name for the device whatever its extension is: `nul.txt`, `aux .md`.
fn is_device_name(component: &str) -> bool {
    let stem = component
        .split('.')
        .next()
        .unwrap_or(component)
        .trim()
        .to_ascii_uppercase();
    if matches!(&*stem, "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$") {
        return true;
    }
    let Some(port) = stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT")) else {
        return false;
    };
    let mut digits = port.chars();
    let is_port = digits
        .next()
        .is_some_and(|digit| digit.is_ascii_digit() || matches!(digit, '¹' | '²' | '³'));
    is_port && digits.next().is_none()
}

fn shown(text: &str) -> String {
    let mut shown = String::new();
    let mut scalars = text.chars();
    for scalar in scalars.by_ref().take(MAX_SHOWN_CHARS) {
        if is_invisible(scalar) {
            // Writing to a string cannot fail.
            let _ = write!(shown, "{}", scalar.escape_unicode());
        } else {
            shown.push(scalar);
        }
    }
    if scalars.next().is_some() {
        shown.push('…');
    }
    shown
}
