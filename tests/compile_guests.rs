//! Compiles the guests of the tests in a process of its own, as the command line does with components of others.
//!
//! People never start it.

use std::process::ExitCode;

fn main() -> ExitCode {
    innkeeper_sandbox::compile_in_child(&std::env::args().next_back().unwrap_or_default())
}
