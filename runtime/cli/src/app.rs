//! From the process's arguments to its exit code.
//!
//! What a command does is in `commands`.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _};
use tracing_subscriber::EnvFilter;

use crate::args::{Cli, ColorChoice, Global};
use crate::commands;
use crate::console::{Console, is_coloured, report};
use crate::exit::Exit;
use crate::failure::Failure;

/// Runs the program.
pub(crate) fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    if let Some(code) = commands::compile::serve_if_asked(&arguments) {
        return code;
    }
    let cli = match parse(&arguments) {
        Ok(cli) => cli,
        Err(error) => return refuse(&error, &arguments).into(),
    };
    start_log(&cli.global);
    let (json, color) = (cli.global.json, cli.global.color);
    let mut console = Console::new(json, cli.global.quiet, color);
    let ended = run(cli, &mut console);
    console.clear_status();
    match ended {
        Ok(exit) => exit.into(),
        Err(failure) => {
            report(&failure, json, color);
            failure.exit.into()
        }
    }
}

fn run(cli: Cli, console: &mut Console) -> Result<Exit, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| {
        Failure::machine("cli.no_threads", format!("the program's threads cannot start: {error}"))
            .hint("Check the limits on processes and open files (ulimit -a).")
    })?;
    runtime.block_on(commands::run(cli, console))
}

fn parse(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    let color = match asked_color(arguments) {
        ColorChoice::Auto => clap::ColorChoice::Auto,
        ColorChoice::Always => clap::ColorChoice::Always,
        ColorChoice::Never => clap::ColorChoice::Never,
    };
    let matches = Cli::command().color(color).try_get_matches_from(arguments)?;
    Cli::from_arg_matches(&matches)
}

/// Help and version are no errors; anything else is wrong usage.
fn refuse(error: &clap::Error, arguments: &[OsString]) -> Exit {
    // A closed pipe is the only thing that can go wrong here, and then nobody reads.
    let _ = error.print();
    if !error.use_stderr() {
        return Exit::Done;
    }
    if flags(arguments).any(|flag| flag == "--json") {
        let text = error.render().to_string();
        let (message, _) = text.split_once("\n\n").unwrap_or((&text, ""));
        let message = message.trim().trim_start_matches("error: ");
        let failure = Failure::usage("cli.usage", message).hint("See `innkeeper --help`, or --help after the command.");
        let _ = std::io::Write::write_fmt(&mut std::io::stdout(), format_args!("{}\n", failure.to_json()));
    }
    Exit::Usage
}

/// What stands before a `--`, after which nothing is a flag.
fn flags(arguments: &[OsString]) -> impl Iterator<Item = &str> {
    arguments
        .iter()
        .skip(1)
        .filter_map(|argument| argument.to_str())
        .take_while(|argument| *argument != "--")
}

/// The colour that was asked for, for the help of a command line that is not parsed yet.
fn asked_color(arguments: &[OsString]) -> ColorChoice {
    let mut rest = flags(arguments);
    while let Some(flag) = rest.next() {
        let value = if flag == "--color" {
            rest.next()
        } else {
            flag.strip_prefix("--color=")
        };
        match value {
            Some("always") => return ColorChoice::Always,
            Some("never") => return ColorChoice::Never,
            _ => {}
        }
    }
    ColorChoice::Auto
}

fn start_log(global: &Global) {
    let filter = match (global.quiet, global.verbose) {
        (true, _) => "error",
        (false, 0) => "warn",
        (false, 1) => "warn,innkeeper=info",
        (false, 2) => "info,innkeeper=debug",
        (false, _) => "debug,innkeeper=trace",
    };
    let is_terminal = std::io::IsTerminal::is_terminal(&std::io::stderr());
    tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::builder().parse_lossy(filter))
        .with_writer(std::io::stderr)
        .with_ansi(is_coloured(global.color, is_terminal))
        .without_time()
        .log_internal_errors(false)
        .init();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(words: &[&str]) -> Vec<OsString> {
        std::iter::once(&"innkeeper").chain(words).map(OsString::from).collect()
    }

    #[test]
    fn the_colour_is_known_before_the_line_is_parsed() {
        assert_eq!(asked_color(&line(&["--color", "never", "--bad"])), ColorChoice::Never);
        assert_eq!(asked_color(&line(&["--bad", "--color=always"])), ColorChoice::Always);
        assert_eq!(asked_color(&line(&["--", "--color=always"])), ColorChoice::Auto);
    }
}
