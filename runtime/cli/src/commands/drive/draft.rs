//! What the model is writing, as it comes: whole lines on the standard output, the unfinished one in the status line.
//!
//! Shown to people at a terminal only; with `--json` every change is a line `{"live": ...}`. It is a preview and proves nothing.

use innkeeper::live::{LiveCall, LiveDraft, LiveField, LiveUpdate};
use serde_json::json;

use crate::console::Console;
use crate::failure::Failure;
use crate::render::plain;

/// The call that is shown; of several at once the first.
#[derive(Debug, Default)]
pub(super) struct Draft {
    shown: Option<Shown>,
}

#[derive(Debug)]
struct Shown {
    index: usize,
    path: String,
    /// Whether the file's name stands above what is shown.
    is_headed: bool,
    /// The line that is not whole yet.
    tail: String,
    /// What is shown: a file's text, or what a patch puts in.
    field: LiveField,
}

impl Draft {
    /// Shows a change.
    pub(super) fn show(&mut self, update: &LiveUpdate, console: &mut Console) -> Result<(), Failure> {
        if console.json {
            return console.json_line(&json!({ "live": update }));
        }
        if console.quiet || console.columns.is_none() {
            return Ok(());
        }
        match update {
            LiveUpdate::Snapshot { calls } => {
                self.shown = calls.first().map(Shown::of);
                Ok(())
            }
            LiveUpdate::Replace { call } => {
                self.shown.get_or_insert_with(|| Shown::of(call));
                Ok(())
            }
            LiveUpdate::Append {
                tool_call_index,
                field,
                text,
                ..
            } => self.add(*tool_call_index, *field, text, console),
            LiveUpdate::Remove { tool_call_index, .. } => self.remove(*tool_call_index, console),
        }
    }

    fn add(&mut self, index: usize, field: LiveField, text: &str, console: &mut Console) -> Result<(), Failure> {
        let Some(shown) = self.shown.as_mut().filter(|shown| shown.index == index) else {
            return Ok(());
        };
        if field == LiveField::Path {
            shown.path.push_str(text);
        }
        if field != shown.field {
            return Ok(());
        }
        if !std::mem::replace(&mut shown.is_headed, true) {
            let name = if shown.path.is_empty() { "a file" } else { &shown.path };
            let head = format!("          writing {}", plain(name));
            console.line(&console.paint.dim(&head))?;
        }
        shown.tail.push_str(text);
        while let Some((line, rest)) = shown.tail.split_once('\n') {
            let line = draft_line(line, console);
            console.line(&line)?;
            shown.tail = rest.to_owned();
        }
        let tail = draft_line(&shown.tail, console);
        console.status(&tail);
        Ok(())
    }

    fn remove(&mut self, index: usize, console: &mut Console) -> Result<(), Failure> {
        match self.shown.take_if(|shown| shown.index == index) {
            Some(shown) if !shown.tail.is_empty() => {
                let line = draft_line(&shown.tail, console);
                console.line(&line)
            }
            _ => Ok(()),
        }
    }
}

impl Shown {
    fn of(call: &LiveCall) -> Self {
        let (path, field) = match &call.draft {
            LiveDraft::Write { path, .. } => (path, LiveField::Content),
            LiveDraft::Patch { path, .. } => (path, LiveField::NewString),
        };
        Self {
            index: call.tool_call_index,
            path: path.clone(),
            is_headed: false,
            tail: String::new(),
            field,
        }
    }
}

fn draft_line(line: &str, console: &Console) -> String {
    console.paint.dim(&format!("          \u{2502} {}", plain(line)))
}
