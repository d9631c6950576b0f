//! `innkeeper:log`: what a tool tells people. Always there, always bounded, never shown to the model.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use innkeeper_sandbox::Meter;

use crate::bindings::innkeeper::log::log;
use crate::host::View;
use crate::interface::Interface;

/// Longest line that is kept, in bytes; the rest is cut.
pub(crate) const MAX_LINE_BYTES: usize = 4 * 1024;

impl log::Host for View<'_> {
    async fn write(&mut self, level: log::Level, message: String) -> wasmtime::Result<()> {
        self.enter(Interface::Log, message.len())?;
        let level = match level {
            log::Level::Debug => "debug",
            log::Level::Info => "info",
            log::Level::Warn => "warn",
            log::Level::Error => "error",
        };
        self.keep(level, &message);
        Ok(())
    }

    async fn progress(&mut self, done: u64, total: u64, message: String) -> wasmtime::Result<()> {
        self.enter(Interface::Log, message.len())?;
        let of = if total == 0 {
            String::new()
        } else {
            format!(" of {total}")
        };
        self.keep("info", &format!("{done}{of} {message}"));
        Ok(())
    }
}

impl View<'_> {
    fn keep(&mut self, level: &'static str, message: &str) {
        self.host.log.lock().keep(LogLimits::of(self.meter), level, message);
    }
}

/// A line that a tool logged, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// `debug`, `info`, `warn` or `error`.
    pub level: &'static str,
    /// At most 4 KiB.
    pub message: String,
}

/// How much of a log is kept.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LogLimits {
    lines: u64,
    bytes: u64,
}

impl LogLimits {
    pub(crate) fn of(meter: &Meter) -> Self {
        let limits = meter.limits();
        Self {
            lines: limits.log_lines,
            bytes: limits.log_bytes,
        }
    }
}

/// The log of one call. Streams that the guest prints to have it too.
#[derive(Debug, Clone, Default)]
pub(crate) struct SharedLog(Arc<Mutex<CallLog>>);

impl SharedLog {
    pub(crate) fn lock(&self) -> MutexGuard<'_, CallLog> {
        // Lines are added whole; a panic elsewhere cannot leave one half.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What was logged so far.
#[derive(Debug, Default)]
pub(crate) struct CallLog {
    pub(crate) lines: Vec<LogLine>,
    pub(crate) dropped: u64,
    bytes: u64,
    printed: usize,
}

impl CallLog {
    /// Keeps a line, or counts it where the log is full.
    pub(crate) fn keep(&mut self, limits: LogLimits, level: &'static str, message: &str) {
        let end = (0..=MAX_LINE_BYTES.min(message.len()))
            .rev()
            .find(|&at| message.is_char_boundary(at));
        let line = message.get(..end.unwrap_or(0)).unwrap_or_default().to_owned();
        let bytes = self.bytes.saturating_add(line.len() as u64);
        if self.lines.len() as u64 >= limits.lines || bytes > limits.bytes {
            self.dropped = self.dropped.saturating_add(1);
            return;
        }
        self.bytes = bytes;
        self.lines.push(LogLine { level, message: line });
    }

    /// Notes bytes that were handed over where no meter is at hand.
    pub(crate) fn note_printed(&mut self, bytes: usize) {
        self.printed = self.printed.saturating_add(bytes);
    }

    /// The bytes noted since the last time.
    pub(crate) fn take_printed(&mut self) -> usize {
        std::mem::take(&mut self.printed)
    }
}
