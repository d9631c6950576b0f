//! The compiler of strangers' components: this program again, started by itself. People never call it.
//!
//! It is answered before anything else of the program begins: no log, no threads, no data root.

use std::ffi::OsString;
use std::process::ExitCode;

use innkeeper::Compiler;

/// What the program is called with; no command that people see begins so.
const WORD: &str = "__compile";

/// The host's side: the child that compiles is this program. Without knowing where it lies, nobody compiles.
pub(super) fn by_this_program() -> Compiler {
    match std::env::current_exe() {
        Ok(program) => Compiler::Child {
            program,
            arguments: vec![WORD.to_owned()],
        },
        Err(_) => Compiler::Refuse,
    }
}

/// The child's side: compiles and says how it went, if that is what the program was started for.
pub(crate) fn serve_if_asked(arguments: &[OsString]) -> Option<ExitCode> {
    match arguments {
        [_, word, argument] if word == WORD => Some(innkeeper::compile_in_child(&argument.to_string_lossy())),
        _ => None,
    }
}
