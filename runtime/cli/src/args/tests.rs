//! The command line as a whole: what it takes and what it refuses.

use clap::{CommandFactory as _, Parser as _};

use super::*;

fn parse(line: &[&str]) -> Result<Cli, clap::Error> {
    Cli::try_parse_from(std::iter::once("innkeeper").chain(line.iter().copied()))
}

#[test]
fn the_command_line_is_sound() {
    Cli::command().debug_assert();
}

#[test]
fn what_is_not_built_does_not_exist() {
    for line in [
        &["serve"][..],
        &["mcp"],
        &["runs", "prune"],
        &["tools", "call", "dice.roll", "--with", "extension/x"],
    ] {
        assert_eq!(parse(line).unwrap_err().exit_code(), 2, "{line:?}");
    }
}

#[test]
fn flags_that_need_or_exclude_each_other_say_so() {
    let run = ["run", "--chat", "c", "--model", "m:n"];
    for (command, extra) in [
        (&["tools", "call", "dice.roll"][..], &["--boundary", "3"][..]),
        (&["tools", "call", "dice.roll"], &["--allow", "random"]),
        (&["extension", "check", "x.wasm"], &["y.wasm"]),
        (&["tools", "call", "dice.roll"], &["--limit", "wall-ms=60000"]),
        (&run, &["--stream", "--no-stream"]),
        (&run, &["--max-rounds", "0"]),
        (&run, &["--as", ""]),
        (&["runs", "list"], &["--limit", "201"]),
        (&["runs", "events", "run_1"], &["--follow", "--before-seq", "3"]),
    ] {
        let line = [command, extra].concat();
        assert_eq!(parse(&line).unwrap_err().exit_code(), 2, "{line:?}");
        assert!(parse(command).is_ok(), "{command:?}");
    }
}

#[test]
fn global_flags_may_stand_anywhere() {
    let cli = parse(&["tools", "list", "--json", "--data", "d"]).unwrap();
    assert!(cli.global.json);
    assert_eq!(cli.global.data, Some("d".into()));
    assert!(parse(&["--json", "tools", "list"]).unwrap().global.json);
}

#[test]
fn arguments_may_begin_with_a_hyphen() {
    let cli = parse(&["tools", "call", "dice.roll", "--args", "-"]).unwrap();
    let Command::Tools(ToolsCommand::Call(call)) = cli.command else {
        panic!("no call")
    };
    assert_eq!(call.args, "-");
}
