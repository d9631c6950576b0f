//! `innkeeper:log`: what a tool tells people. Always there, always bounded, never shown to the model.

use crate::bindings::innkeeper::log::log;
use crate::host::{LogLine, View};
use crate::interface::Interface;

/// Longest line that is kept, in bytes; the rest is cut.
const MAX_LINE_BYTES: usize = 4 * 1024;

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
        let end = (0..=MAX_LINE_BYTES.min(message.len()))
            .rev()
            .find(|&at| message.is_char_boundary(at));
        let line = message.get(..end.unwrap_or(0)).unwrap_or_default().to_owned();
        let limits = self.meter.limits();
        let bytes = self.host.log_bytes.saturating_add(line.len() as u64);
        if self.host.log.len() as u64 >= limits.log_lines || bytes > limits.log_bytes {
            self.host.log_dropped = self.host.log_dropped.saturating_add(1);
            return;
        }
        self.host.log_bytes = bytes;
        self.host.log.push(LogLine { level, message: line });
    }
}
