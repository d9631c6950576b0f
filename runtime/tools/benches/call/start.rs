//! From the start of the program `innkeeper` to its first tool result, with the native code of its components cached.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::measure::{Sample, heading, row};

const STARTS: usize = 60;
/// A program with the same libraries that only says who it is: what starting costs without a tool.
const NO_TOOL: &[&str] = &["--version"];
const ONE_CALL: &[&str] = &["tools", "call", "dice.roll", "--args", r#"{"formula":"3d6+4"}"#];

/// Measures and prints, if the program is built.
pub(crate) async fn report() {
    let Some(program) = program() else {
        println!("\nStart to first tool result: not measured, the program is not built");
        println!("  (cargo build --release -p innkeeper-cli, then again)");
        return;
    };
    let data = tempfile::tempdir().expect("a temporary folder");
    let run = |words: &[&str]| run(&program, data.path(), words);
    let (mut cold, mut warm, mut nothing) = (Sample::default(), Sample::default(), Sample::default());
    cold.batch(1, async || {
        std::fs::remove_dir_all(data.path().join("cache")).ok();
        run(ONE_CALL);
    })
    .await;
    for _ in 0..STARTS {
        warm.batch(1, async || run(ONE_CALL)).await;
        nothing.batch(1, async || run(NO_TOOL)).await;
    }
    heading("From the start of the program to its first tool result", "warm");
    row("innkeeper tools call dice.roll, warm cache", &warm, &warm);
    row("the same with an empty cache", &cold, &warm);
    row("innkeeper --version", &nothing, &warm);
}

/// The program beside this bench: `target/release/deps/call-...` and `target/release/innkeeper`.
fn program() -> Option<PathBuf> {
    let bench = std::env::current_exe().ok()?;
    let folder = bench.parent()?.parent()?;
    Some(folder.join("innkeeper").with_extension(std::env::consts::EXE_EXTENSION)).filter(|path| path.is_file())
}

fn run(program: &Path, data: &Path, words: &[&str]) {
    let status = Command::new(program)
        .arg("--data")
        .arg(data)
        .args(words)
        .stdout(Stdio::null())
        .status()
        .expect("a program that starts");
    assert!(status.success(), "{words:?} ended with {status}");
}
