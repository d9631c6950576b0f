//! What an extension written in Rust needs beside its own logic: typed arguments with their schema, replies and failures, the host's
//! capabilities as plain functions, and a harness that calls a tool without wasm.
//!
//! An extension is a function that returns its [`Tool`]s, and one line that exports them:
//!
//! ```
//! use innkeeper_extension::{Reply, Tool, ToolError, host::random};
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//!
//! /// Arguments of `demo.roll`.
//! #[derive(Deserialize, JsonSchema)]
//! #[serde(deny_unknown_fields)]
//! struct Roll {
//!     /// How many sides the die has.
//!     #[schemars(range(min = 2, max = 1000))]
//!     sides: u64,
//! }
//!
//! fn roll(arguments: Roll) -> Result<Reply, ToolError> {
//!     Ok(Reply::text(format!("It shows {}.", random::below(arguments.sides) + 1)))
//! }
//!
//! fn tools() -> Vec<Tool> {
//!     vec![
//!         Tool::new("demo.roll", roll)
//!             .title("Roll a die")
//!             .description("Rolls one die and says what it shows.")
//!             .read_only()
//!             .uses(random::INTERFACE),
//!     ]
//! }
//!
//! innkeeper_extension::export!(tools);
//!
//! # use innkeeper_extension::testing::{World, call};
//! # use serde_json::json;
//! let world = World::new().draws([2]);
//! assert_eq!(call(&tools(), "demo.roll", &json!({"sides": 6}), &world), Ok(Reply::text("It shows 3.")));
//! ```
//!
//! A component asks the host for exactly those capabilities whose functions its code calls: what is not called is not linked. It keeps
//! no state: every call gets a fresh instance.

mod arguments;
#[allow(
    unsafe_code,
    missing_docs,
    unreachable_pub,
    clippy::all,
    clippy::too_many_lines,
    reason = "generated from the WIT packages"
)]
#[doc(hidden)]
pub mod bindings {
    wit_bindgen::generate!({
        path: [
            "../../wit/tool", "../../wit/workspace", "../../wit/chat", "../../wit/worldinfo", "../../wit/random", "../../wit/clock",
            "../../wit/http", "../../wit/log",
        ],
        inline: "package innkeeper:extension;
            world extension {
                import innkeeper:workspace/reader@0.1.0;
                import innkeeper:workspace/writer@0.1.0;
                import innkeeper:chat/history@0.1.0;
                import innkeeper:worldinfo/activated@0.1.0;
                import innkeeper:random/random@0.1.0;
                import innkeeper:clock/clock@0.1.0;
                import innkeeper:http/fetch@0.1.0;
                import innkeeper:log/log@0.1.0;
                export innkeeper:tool/tool@0.1.0;
            }",
        world: "innkeeper:extension/extension",
        generate_all,
        additional_derives: [PartialEq, Eq],
        pub_export_macro: true,
        default_bindings_module: "::innkeeper_extension::bindings",
    });
}
#[cfg(target_family = "wasm")]
#[doc(hidden)]
pub mod guest;
pub mod host;
mod reply;
#[cfg(not(target_family = "wasm"))]
pub mod testing;
mod tool;

pub use reply::{Block, Reply, ToolError};
pub use tool::{Cost, Permission, Tool};

/// Makes the crate's component export the tools that a function returns: `innkeeper_extension::export!(tools);`.
#[macro_export]
macro_rules! export {
    ($tools:path) => {
        #[cfg(target_family = "wasm")]
        #[allow(
            unsafe_code,
            reason = "the component model calls into a component through plain symbols"
        )]
        const _: () = {
            struct Exported;
            impl $crate::guest::Extension for Exported {
                fn tools() -> ::std::vec::Vec<$crate::Tool> {
                    $tools()
                }
            }
            type ExportedComponent = $crate::guest::Component<Exported>;
    $crate::bindings::export!(ExportedComponent with_types_in $crate::bindings);
        };
    };
}
