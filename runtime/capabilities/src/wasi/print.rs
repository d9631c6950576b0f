//! `wasi:cli/stdout` and `stderr`: lines for the call's log, under its limits.
//!
//! A line that is too long is kept in pieces; text that is not UTF-8 is kept with marks in its place.

use wasmtime::component::Resource;
use wasmtime_wasi::p2::bindings::cli::{stderr, stdout};
use wasmtime_wasi::p2::{DynOutputStream, OutputStream, Pollable, StreamResult};
use wasmtime_wasi_io::async_trait;
use wasmtime_wasi_io::bytes::Bytes;

use crate::host::View;
use crate::log::{LogLimits, MAX_LINE_BYTES, SharedLog};

/// Bytes that a guest may hand over at once before it asks again.
const AT_ONCE: usize = 64 * 1024;

impl stdout::Host for View<'_> {
    fn get_stdout(&mut self) -> wasmtime::Result<Resource<DynOutputStream>> {
        self.stream("info")
    }
}

impl stderr::Host for View<'_> {
    fn get_stderr(&mut self) -> wasmtime::Result<Resource<DynOutputStream>> {
        self.stream("warn")
    }
}

impl View<'_> {
    fn stream(&mut self, level: &'static str) -> wasmtime::Result<Resource<DynOutputStream>> {
        self.meter.host_call(0)?;
        let printer: DynOutputStream = Box::new(Printer {
            log: self.host.log.clone(),
            limits: LogLimits::of(self.meter),
            level,
            line: Vec::new(),
        });
        Ok(self.wasi().table.push(printer)?)
    }
}

/// One open stream.
struct Printer {
    log: SharedLog,
    limits: LogLimits,
    level: &'static str,
    /// What came since the last end of a line.
    line: Vec<u8>,
}

impl Printer {
    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        self.log
            .lock()
            .keep(self.limits, self.level, &String::from_utf8_lossy(&line));
    }
}

impl OutputStream for Printer {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.log.lock().note_printed(bytes.len());
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let (text, ends) = piece.strip_suffix(b"\n").map_or((piece, false), |text| (text, true));
            for part in text.chunks(MAX_LINE_BYTES) {
                if self.line.len() + part.len() > MAX_LINE_BYTES {
                    self.end_line();
                }
                self.line.extend_from_slice(part);
            }
            if ends {
                self.end_line();
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(AT_ONCE)
    }
}

#[async_trait]
impl Pollable for Printer {
    async fn ready(&mut self) {}
}

/// A line that was never ended is one all the same.
impl Drop for Printer {
    fn drop(&mut self) {
        if !self.line.is_empty() {
            self.end_line();
        }
    }
}
