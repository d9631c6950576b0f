//! Runs tool components: one engine, one fresh instance per call, and a limit on everything.
//!
//! It knows no capability: what a component may import is linked by whoever holds the linker. It reads no specs, checks no arguments
//! and applies no effects.

mod artefact;
mod call;
mod compiler;
mod component;
mod engine;
mod fault;
mod load_error;
mod lookalike;
mod meter;
mod prescan;

/// The bindings of `innkeeper:tool`, the one interface that every component exports.
#[allow(missing_docs, unreachable_pub, reason = "generated from the documented WIT package")]
#[allow(clippy::all, clippy::unwrap_used, clippy::indexing_slicing, reason = "generated")]
pub mod bindings {
    wasmtime::component::bindgen!({
        inline: "package innkeeper:host; world component { export innkeeper:tool/tool@0.1.0; }",
        path: ["../../wit/tool"],
        exports: { default: async },
    });
}

pub use bindings::exports::innkeeper::tool::tool as wire;
pub use call::{CallReport, GuestAnswer};
pub use compiler::Compiler;
pub use compiler::child::compile_in_child;
pub use component::{Compiled, MAX_COMPONENT_BYTES, Prepared, Provenance};
pub use engine::{GuestCode, Sandbox, SandboxConfig, SandboxError};
pub use fault::{Fault, HostStop};
pub use load_error::LoadError;
pub use meter::{CallState, Meter};
pub use prescan::{Excess, Quantity};
pub use wasmtime::component::Linker;
