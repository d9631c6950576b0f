//! What a Rust tool component needs beside its own logic: specs, typed arguments, replies and
//! failures, and the export of `innkeeper:tool/tool`.
//!
//! A family of tools is a crate with three things: `tool/<name>.md`, one Markdown file per tool with
//! the words that the model reads; a pure core that is tested natively; and a `guest.rs` that
//! implements [`Family`] and calls [`export!`]. Its build script is one line,
//! `innkeeper_tool_build::family()`, which turns the Markdown files into an enum `Tool`.
//!
//! It deliberately knows no capability: a family generates the bindings of what it imports itself,
//! so that a component asks for exactly what its world says.

mod arguments;
mod family;
pub mod file_search;
#[cfg(target_family = "wasm")]
#[doc(hidden)]
pub mod guest;
mod quoting;
pub mod range;
mod reply;
mod spec;

pub use arguments::{Whole, arguments};
pub use family::{Family, Tool};
pub use quoting::{counted, fixed_path, json_string, one_line, path_rule, quoted};
pub use reply::{Failure, INVALID_ARGUMENTS, Reply, failure};
pub use spec::{Annotations, Budget, Cost, Permission, Spec, Visibility};

/// Includes the enum `Tool` that the build script made from the family's Markdown files.
#[macro_export]
macro_rules! tools {
    () => {
        include!(concat!(env!("OUT_DIR"), "/tools.rs"));
    };
}
