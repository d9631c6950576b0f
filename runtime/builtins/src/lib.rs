//! The built-in tool components as bytes, with their digests.
//!
//! The bytes are committed, so that building the host needs no WebAssembly toolchain; `cargo xtask guests`
//! writes them, their lock and the list. Nothing here loads or runs a component.

mod list;

/// A built-in component.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// The family of tools in it, as `dice`: the folder below `plugins/`.
    pub family: &'static str,
    /// The component.
    pub bytes: &'static [u8],
    /// SHA-256 of the bytes in lower-case hex.
    pub sha256: &'static str,
}

/// Every built-in component, by family.
#[must_use]
pub fn all() -> &'static [Builtin] {
    list::ALL
}

#[cfg(test)]
mod tests;
