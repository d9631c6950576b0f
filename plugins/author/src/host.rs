//! The host's capabilities as plain functions: one module for each interface, with the name that a tool's `uses` gives it.
//!
//! In a component they call the host. Compiled natively, for tests, they ask the [`World`](crate::testing::World) of the running
//! [`testing::call`](crate::testing::call), and panic where there is none or the tool does not list the interface.

pub mod chat;
pub mod clock;
pub mod http;
pub mod log;
pub mod random;
pub mod workspace;
pub mod worldinfo;

/// Calls the binding in a component, and the test's world natively.
macro_rules! ask {
    ($interface:expr, $binding:expr, |$world:ident| $native:expr) => {{
        #[cfg(target_family = "wasm")]
        {
            $binding
        }
        #[cfg(not(target_family = "wasm"))]
        {
            $crate::testing::with($interface, |$world| $native)
        }
    }};
}
use ask;
