//! A component file that a person names: read, called by an id made of its name, and told apart from what it is mistaken for.
//!
//! What is in a component is the library's business; here only the first bytes are looked at, because an engine's words on a file that
//! is something else help nobody.

use std::path::Path;

use innkeeper::HostError;

use crate::failure::Failure;
use crate::input::read_component;
use crate::render::first_line;

/// Most bytes of an extension's id.
const MAX_ID_BYTES: usize = 64;
/// How every binary WebAssembly file begins.
const MAGIC: &[u8] = b"\0asm";
/// The version and layer of a core module, as they follow the magic bytes.
const CORE_MODULE: &[u8] = &[1, 0, 0, 0];
/// The layer of a component, as it follows magic bytes and version.
const COMPONENT_LAYER: &[u8] = &[1, 0];

/// A component by its first bytes, not checked further.
#[derive(Debug)]
pub(super) struct ComponentFile {
    /// What its tools are called after: `extension/<id>:<name>`.
    pub(super) id: String,
    pub(super) bytes: Vec<u8>,
}

impl ComponentFile {
    /// Reads the file and refuses it when it is no component at all.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let bytes = read_component(path)?;
        match Mistake::in_bytes(&bytes) {
            Some(mistake) => Err(mistake.failure(path)),
            None => Ok(Self {
                id: component_id(path),
                bytes,
            }),
        }
    }
}

/// What a file is that is no component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mistake {
    Empty,
    CoreModule,
    Text,
    CutShort,
    OtherLayer,
    Other,
}

impl Mistake {
    fn in_bytes(bytes: &[u8]) -> Option<Self> {
        if bytes.is_empty() {
            return Some(Self::Empty);
        }
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            return Some(match MAGIC.starts_with(bytes) {
                true => Self::CutShort,
                false if is_wasm_text(bytes) => Self::Text,
                false => Self::Other,
            });
        };
        match (rest.get(..4), rest.get(2..4)) {
            (None, _) => Some(Self::CutShort),
            (Some(CORE_MODULE), _) => Some(Self::CoreModule),
            // Which version it is of is checked by the engine, which names the one that it wants.
            (_, Some(COMPONENT_LAYER)) => None,
            _ => Some(Self::OtherLayer),
        }
    }

    fn failure(self, path: &Path) -> Failure {
        let (found, hint) = match self {
            Self::Empty => ("the file is empty", "Build the component again."),
            Self::CoreModule => (
                "this is a core module, not a component",
                "Make a component of it, for example with `wasm-tools component new`.",
            ),
            Self::Text => (
                "this is WebAssembly text, not a binary component",
                "Assemble it, for example with `wasm-tools parse`.",
            ),
            Self::CutShort => (
                "the file ends within its first eight bytes",
                "Build or copy the component again.",
            ),
            Self::OtherLayer => (
                "this is WebAssembly, but neither a component nor a core module",
                "Give a component in the binary format.",
            ),
            Self::Other => (
                "this is no WebAssembly",
                "Give a WebAssembly component, a file that begins with the bytes 00 61 73 6d.",
            ),
        };
        let message = format!("{} cannot be used: {found}", path.display());
        Failure::usage("extension.invalid_component", message).hint(hint)
    }
}

/// Whether the file begins as WebAssembly text does, comments aside.
fn is_wasm_text(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let code = text
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty() && !line.starts_with(";;"));
    code.is_some_and(|line| {
        let word = line.strip_prefix('(').map(str::trim_start).unwrap_or_default();
        word.starts_with("component") || word.starts_with("module")
    })
}

/// The library's word on bytes that began as a component does. An engine explains itself over several lines; the first one says it.
pub(super) fn refused(error: HostError) -> Failure {
    let failure = Failure::from(error);
    Failure {
        message: first_line(&failure.message),
        ..failure
    }
}

/// An extension's id made of the file's name: `My Tool.wasm` is `my-tool`.
fn component_id(path: &Path) -> String {
    let stem = path
        .file_stem()
        .map(|stem| stem.to_string_lossy().to_lowercase())
        .unwrap_or_default();
    let plain = |c: char| {
        if c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' {
            c
        } else {
            '-'
        }
    };
    let id: String = stem.chars().map(plain).collect();
    let id: String = id
        .trim_start_matches(|c: char| !c.is_ascii_lowercase())
        .chars()
        .take(MAX_ID_BYTES)
        .collect();
    if id.is_empty() { "component".to_owned() } else { id }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_told_by_its_first_bytes() {
        let expected = [
            (&b""[..], Some(Mistake::Empty)),
            (b"\0as", Some(Mistake::CutShort)),
            (b"\0asm\x0d\0\x01", Some(Mistake::CutShort)),
            (b"\0asm\x01\0\0\0", Some(Mistake::CoreModule)),
            (b"\0asm\x02\0\0\0", Some(Mistake::OtherLayer)),
            (b"\0asm\x0d\0\x01\0", None),
            (b"\0asm\x0e\0\x01\0rest", None),
            (b";; a tool\n\n  (component\n", Some(Mistake::Text)),
            (b"( module)", Some(Mistake::Text)),
            (b"(chapter one)", Some(Mistake::Other)),
            (b"\x7fELF\xff\xfe", Some(Mistake::Other)),
        ];
        for (bytes, mistake) in expected {
            assert_eq!(Mistake::in_bytes(bytes), mistake, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn an_engines_lecture_is_cut_to_its_first_line() {
        let error = HostError::new(
            "extension.invalid_component",
            "\n no use: \u{1b}[1mbad\u{7}\nCaused by:\n  1: x",
        );
        assert_eq!(refused(error).message, "no use: \u{fffd}[1mbad\u{fffd}");
    }

    #[test]
    fn an_id_is_made_of_the_files_name() {
        let id = |path: &str| component_id(Path::new(path));
        assert_eq!(id("/a/My Tool.v2.wasm"), "my-tool-v2");
        assert_eq!(id("9-lives.wasm"), "lives");
        assert_eq!(id("渡し舟.wasm"), "component");
        assert_eq!(id(".."), "component");
        assert_eq!(id(&"x".repeat(99)).len(), MAX_ID_BYTES);
    }
}
