//! What is sent to a model and what comes back, written down for whoever looks into a server that misbehaves. Only where it was asked for.
//!
//! Prompts and answers are in it, so it belongs to the person and goes nowhere else. Keys and sealed parts never are; and it stops
//! growing at a limit.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use innkeeper_protocol::model::{ModelError, ModelResponse};
use serde_json::{Value, json};

use crate::secrets::Secrets;

/// Most bytes of a log that is not given another limit: some hundred turns.
pub const DEFAULT_LOG_LIMIT: u64 = 64 * 1024 * 1024;

/// Fields whose values only a provider understands, or that hold a medium or the state of a conversation.
const SEALED: [&str; 9] = [
    "data",
    "encrypted_content",
    "extra_content",
    "image_url",
    "previous_response_id",
    "signature",
    "thoughtSignature",
    "thought_signature",
    "url",
];

/// What stands in their place.
const LEFT_OUT: &str = "[left out]";

/// A log of requests and answers, one JSON object per line: `{"exchange", "endpoint", "request"}`, then `{"exchange", "response"}` or
/// `{"exchange", "error"}`. A request that was given up has no second line.
pub struct RequestLog(Mutex<Sink>);

struct Sink {
    out: Box<dyn Write + Send>,
    left: u64,
    exchanges: u64,
    is_closed: bool,
}

/// A request that was written down.
pub(crate) struct Exchange<'a> {
    log: &'a RequestLog,
    number: u64,
    secrets: &'a Secrets,
}

impl RequestLog {
    /// Writes to `out`, at most `limit` bytes.
    #[must_use]
    pub fn new(out: impl Write + Send + 'static, limit: u64) -> Self {
        Self(Mutex::new(Sink {
            out: Box::new(out),
            left: limit,
            exchanges: 0,
            is_closed: false,
        }))
    }

    /// Appends to a file, at most [`DEFAULT_LOG_LIMIT`] bytes at a time. A new file is readable by its owner alone.
    ///
    /// # Errors
    /// [`io::Error`] when the file cannot be opened.
    pub fn to_file(path: &Path) -> io::Result<Self> {
        Ok(Self::new(open_private(path)?, DEFAULT_LOG_LIMIT))
    }

    /// Writes a request down.
    pub(crate) fn request<'a>(&'a self, endpoint: &str, body: &Value, secrets: &'a Secrets) -> Exchange<'a> {
        let mut sink = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sink.exchanges = sink.exchanges.saturating_add(1);
        let number = sink.exchanges;
        let request = showable(body.clone(), secrets);
        sink.write(&json!({ "exchange": number, "endpoint": endpoint, "request": request }));
        Exchange {
            log: self,
            number,
            secrets,
        }
    }
}

impl Exchange<'_> {
    /// Writes down how the request ended.
    pub(crate) fn answer(&self, answer: &Result<ModelResponse, ModelError>) {
        let line = match answer {
            Ok(response) => {
                let response = showable(response.raw_response.clone(), self.secrets);
                json!({ "exchange": self.number, "response": response })
            }
            Err(error) => {
                let error = json!({ "code": error.code(), "message": error.to_string() });
                json!({ "exchange": self.number, "error": error })
            }
        };
        self.log.0.lock().unwrap_or_else(PoisonError::into_inner).write(&line);
    }
}

impl Sink {
    /// A log that cannot be written is given up: the run it is about matters more.
    fn write(&mut self, line: &Value) {
        if self.is_closed {
            return;
        }
        let mut line = line.to_string();
        line.push('\n');
        let bytes = u64::try_from(line.len()).unwrap_or(u64::MAX);
        let Some(left) = self.left.checked_sub(bytes) else {
            tracing::warn!("the log of model requests is full; the rest is not written");
            self.is_closed = true;
            return;
        };
        self.left = left;
        if let Err(error) = self.out.write_all(line.as_bytes()).and_then(|()| self.out.flush()) {
            tracing::warn!(%error, "the log of model requests cannot be written; the rest is left out");
            self.is_closed = true;
        }
    }
}

impl fmt::Debug for RequestLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RequestLog(..)")
    }
}

#[cfg(unix)]
fn open_private(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)
}

#[cfg(not(unix))]
fn open_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).open(path)
}

/// A body without what must not be written down.
fn showable(mut body: Value, secrets: &Secrets) -> Value {
    secrets.strip_value(&mut body);
    leave_out_sealed(&mut body);
    body
}

fn leave_out_sealed(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(leave_out_sealed),
        Value::Object(fields) => {
            for (name, value) in fields {
                if SEALED.contains(&name.as_str()) && !value.is_null() {
                    *value = Value::from(LEFT_OUT);
                } else {
                    leave_out_sealed(value);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests;
