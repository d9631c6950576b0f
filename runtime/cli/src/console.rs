//! The standard output and the standard error: what goes where, in which colours, and what happens when nobody reads any more.
//!
//! It knows no command. What a line says is made in `render`.

use std::io::{self, IsTerminal as _, Write as _};

use serde::Serialize;

use crate::args::ColorChoice;
use crate::failure::Failure;
use crate::render::{Paint, error_text};

/// Columns where the terminal does not say how many it has.
const DEFAULT_COLUMNS: usize = 100;
/// Narrower terminals are treated as if they had this many columns.
const MIN_COLUMNS: usize = 40;
/// Wider lines are hard to read.
const MAX_COLUMNS: usize = 160;

/// Where a command writes.
#[derive(Debug)]
pub(crate) struct Console {
    /// The one JSON value, or one a line, instead of words.
    pub(crate) json: bool,
    /// Results and errors only.
    pub(crate) quiet: bool,
    /// Colours for the standard output.
    pub(crate) paint: Paint,
    /// Columns to fill; none when the output is no terminal and lines may have any length.
    pub(crate) columns: Option<usize>,
    /// Whether a status line may be shown.
    shows_progress: bool,
    has_status: bool,
    is_closed: bool,
}

impl Console {
    /// Looks at the terminal and the environment.
    pub(crate) fn new(json: bool, quiet: bool, color: ColorChoice) -> Self {
        let is_terminal = io::stdout().is_terminal();
        Self {
            json,
            quiet,
            paint: Paint::new(is_coloured(color, is_terminal)),
            columns: is_terminal.then(columns),
            shows_progress: !json && !quiet && is_terminal && io::stderr().is_terminal(),
            has_status: false,
            is_closed: false,
        }
    }

    /// Columns for text that is wrapped whether or not it goes to a terminal.
    pub(crate) fn wrap_columns(&self) -> usize {
        self.columns.unwrap_or(DEFAULT_COLUMNS)
    }

    /// Whether whoever read the output has gone away.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Writes one or more lines. Once nobody reads any more this does nothing.
    pub(crate) fn line(&mut self, text: &str) -> Result<(), Failure> {
        self.clear_status();
        self.write(text)
    }

    /// Writes a JSON value on a line of its own.
    pub(crate) fn json_line(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string(value).map_err(|error| unwritable(&error))?;
        self.line(&text)
    }

    /// Writes the command's only JSON value, spread out for a person at a terminal.
    pub(crate) fn json_value(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let text = match self.columns {
            Some(_) => serde_json::to_string_pretty(value),
            None => serde_json::to_string(value),
        };
        self.line(&text.map_err(|error| unwritable(&error))?)
    }

    /// Shows a status line, on a terminal only; the next line takes its place.
    pub(crate) fn status(&mut self, text: &str) {
        if self.shows_progress {
            let shown = crate::render::fit(text, columns().saturating_sub(1));
            let mut stderr = io::stderr().lock();
            let _ = write!(stderr, "\r\u{1b}[2K{}", self.paint.dim(&shown)).and_then(|()| stderr.flush());
            self.has_status = true;
        }
    }

    /// Takes the status line away.
    pub(crate) fn clear_status(&mut self) {
        if std::mem::take(&mut self.has_status) {
            let mut stderr = io::stderr().lock();
            let _ = write!(stderr, "\r\u{1b}[2K").and_then(|()| stderr.flush());
        }
    }

    /// Writes the whole text and a line feed, as quickly as the reader takes it.
    fn write(&mut self, text: &str) -> Result<(), Failure> {
        if self.is_closed {
            return Ok(());
        }
        let mut stdout = io::stdout().lock();
        let written = stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.write_all(b"\n"))
            .and_then(|()| stdout.flush());
        match written {
            Ok(()) => Ok(()),
            // `innkeeper ... | head` is no error.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.is_closed = true;
                Ok(())
            }
            Err(error) => {
                self.is_closed = true;
                Err(Failure::machine(
                    "cli.output_failed",
                    format!("the standard output cannot be written: {error}"),
                )
                .hint("Check free space where the output goes."))
            }
        }
    }
}

fn unwritable(error: &serde_json::Error) -> Failure {
    Failure::machine(
        "cli.output_failed",
        format!("a result cannot be written as JSON: {error}"),
    )
}

/// Says something on the standard error that is neither result nor error.
pub(crate) fn note(text: &str) {
    // There is nobody left to tell when the standard error is closed.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Reports a failure: words on the standard error, and with `--json` the object on the standard output.
pub(crate) fn report(failure: &Failure, json: bool, color: ColorChoice) {
    let paint = Paint::new(is_coloured(color, io::stderr().is_terminal()));
    note(&error_text(failure, paint));
    if json {
        let _ = writeln!(io::stdout().lock(), "{}", failure.to_json());
    }
}

/// Whether colours are used, by the person's choice and the environment.
pub(crate) fn is_coloured(choice: ColorChoice, is_terminal: bool) -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        // https://no-color.org
        ColorChoice::Auto => is_terminal && !is_set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|t| t != "dumb"),
    }
}

fn columns() -> usize {
    terminal_size::terminal_size()
        .map_or(DEFAULT_COLUMNS, |(width, _)| usize::from(width.0))
        .clamp(MIN_COLUMNS, MAX_COLUMNS)
}
