//! The program `innkeeper`: tools and agent runs for people and scripts.
//!
//! It holds no rules of its own: everything it does is done by the library `innkeeper`.

mod app;
mod args;
mod commands;
mod console;
mod exit;
mod failure;
mod input;
mod interrupt;
mod place;
mod render;

fn main() -> std::process::ExitCode {
    app::main()
}
