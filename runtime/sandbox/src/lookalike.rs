//! What a file is that is no component, told by its first bytes, without reading on.
//!
//! A parser's words on a web page or an archive help nobody. Whether a file that begins as a component is one is not seen here.

/// How every binary WebAssembly file begins.
const MAGIC: &[u8] = b"\0asm";
/// Version and layer of a core module, as they follow the magic bytes.
const CORE_MODULE: &[u8] = &[1, 0, 0, 0];
/// The layer of a component, as it follows magic bytes and version.
const COMPONENT_LAYER: &[u8] = &[1, 0];
/// How far a text is looked at.
const TEXT_BYTES: usize = 4096;
/// What files begin with that are taken for components now and then.
const BEGINNINGS: [(&[u8], &str); 6] = [
    (
        b"\x7fELF",
        "a native program or native code (ELF); compiled code of others is never loaded",
    ),
    (b"MZ", "a program for Windows"),
    (b"PK\x03\x04", "a ZIP archive; unpack it first"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"\x1f\x8b", "a gzip file; unpack it first"),
    (b"\x28\xb5\x2f\xfd", "a zstd file; unpack it first"),
];

/// What the bytes are instead of a component; none when they begin as one.
pub(crate) fn lookalike(bytes: &[u8]) -> Option<&'static str> {
    if bytes.is_empty() {
        return Some("the file is empty");
    }
    let Some(rest) = bytes.strip_prefix(MAGIC) else {
        return Some(other(bytes));
    };
    match (rest.get(..4), rest.get(2..4)) {
        (None, _) => Some("the file ends within its first eight bytes"),
        (Some(CORE_MODULE), _) => {
            Some("a core module, not a component; make one of it, for example with `wasm-tools component new`")
        }
        // Which version it is of is said by the parser, which names the one that it wants.
        (_, Some(COMPONENT_LAYER)) => None,
        _ => Some("WebAssembly, but neither a component nor a core module"),
    }
}

fn other(bytes: &[u8]) -> &'static str {
    if MAGIC.starts_with(bytes) {
        return "the file ends within its first eight bytes";
    }
    if let Some((_, what)) = BEGINNINGS.iter().find(|(beginning, _)| bytes.starts_with(beginning)) {
        return what;
    }
    let head = bytes.get(..TEXT_BYTES).unwrap_or(bytes);
    let text = String::from_utf8_lossy(head);
    let code = text
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty() && !line.starts_with(";;"))
        .unwrap_or_default();
    match code.strip_prefix('(').map(str::trim_start) {
        Some(word) if word.starts_with("component") || word.starts_with("module") => {
            "WebAssembly text, not a binary component; assemble it, for example with `wasm-tools parse`"
        }
        _ if is_markup(code) => "a web page; what was downloaded is not the component",
        _ => "no WebAssembly; a component begins with the bytes 00 61 73 6d",
    }
}

fn is_markup(line: &str) -> bool {
    let begins = |word: &str| {
        line.get(..word.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(word))
    };
    ["<!doctype", "<html", "<?xml", "<head"].iter().any(|word| begins(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_told_by_its_first_bytes() {
        let told = |bytes: &[u8]| lookalike(bytes).map(|what| what.split([',', ';']).next().unwrap_or_default());
        let cut = "the file ends within its first eight bytes";
        let expected = [
            (&b""[..], Some("the file is empty")),
            (b"\0as", Some(cut)),
            (b"\0asm\x0d\0\x01", Some(cut)),
            (b"\0asm\x01\0\0\0rest", Some("a core module")),
            (b"\0asm\x02\0\0\0", Some("WebAssembly")),
            (b"\0asm\x0d\0\x01\0", None),
            (b"\0asm\x0e\0\x01\0rest", None),
            (b"\x7fELF\x02\x01", Some("a native program or native code (ELF)")),
            (b"PK\x03\x04\x14", Some("a ZIP archive")),
            (b"\x1f\x8b\x08", Some("a gzip file")),
            (b"\n<!DOCTYPE html>", Some("a web page")),
            (b";; a tool\n\n  (component\n", Some("WebAssembly text")),
            (b"(chapter one)", Some("no WebAssembly")),
            (b"\xff\xfe\xfd", Some("no WebAssembly")),
        ];
        for (bytes, what) in expected {
            assert_eq!(told(bytes), what, "{}", bytes.escape_ascii());
        }
    }
}
