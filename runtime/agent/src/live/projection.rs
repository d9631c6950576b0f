//! The drafts of a run, and who watches them.
//!
//! It is told what happens, in the order in which it happens, and asks nobody.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use innkeeper_protocol::id::{InvocationId, ModelAlias, ToolId};
use innkeeper_protocol::model::{LiveDelta, LiveSink};
use innkeeper_text::measure;

use super::mailbox::{LiveSubscription, Mailbox};
use super::scanner::{Chosen, Scanner};
use super::shape::{LiveCall, LiveDraft, LiveField, LiveUpdate};

/// The tools whose calls are shown, and which of their arguments.
const SHOWN: [(&str, Chosen); 2] = [
    (WRITE, &[("path", LiveField::Path), ("content", LiveField::Content)]),
    (
        "builtin:workspace.apply_patch",
        &[
            ("path", LiveField::Path),
            ("old_string", LiveField::OldString),
            ("new_string", LiveField::NewString),
        ],
    ),
];

/// The tool that writes whole files.
const WRITE: &str = "builtin:workspace.write_file";

/// Most calls of one turn that are shown: nobody can watch more.
const MAX_SHOWN_CALLS: usize = 64;

/// What a run's model is writing. Clones show the same.
#[derive(Debug, Clone, Default)]
pub struct LiveProjection(Arc<Mutex<State>>);

/// An invocation whose calls are shown.
#[derive(Debug, Clone)]
pub struct LiveSource {
    /// The invocation.
    pub invocation_id: InvocationId,
    /// How it may end: `run_finish_allowed` or `task_return_required`.
    pub exit_policy: String,
    /// Its tools, by the names that its model knows.
    pub tools: Vec<(ModelAlias, ToolId)>,
}

/// One invocation's part of what is shown; the sink of its model's answers.
#[derive(Debug, Clone)]
pub struct LiveInvocation {
    projection: LiveProjection,
    id: InvocationId,
}

#[derive(Debug, Default)]
struct State {
    invocations: BTreeMap<InvocationId, Invocation>,
    watchers: Vec<Weak<Mailbox>>,
    is_over: bool,
}

#[derive(Debug)]
struct Invocation {
    exit_policy: String,
    tools: BTreeMap<String, (ToolId, Chosen)>,
    /// The request that is on its way. Later ones are greater.
    generation: Generation,
    calls: BTreeMap<usize, Draft>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Generation {
    round: u32,
    attempt: u32,
}

#[derive(Debug)]
struct Draft {
    call: LiveCall,
    scanner: Scanner,
}

impl LiveProjection {
    /// Nothing is shown, and nobody watches.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an invocation; the same id again begins it anew.
    #[must_use]
    pub fn invocation(&self, source: LiveSource) -> LiveInvocation {
        let mut state = self.state();
        state.remove_calls(&source.invocation_id);
        let shown = |(alias, tool): (ModelAlias, ToolId)| {
            let (_, chosen) = SHOWN.iter().find(|(id, _)| *id == tool.as_str())?;
            Some((alias.as_str().to_owned(), (tool, *chosen)))
        };
        let invocation = Invocation {
            exit_policy: source.exit_policy,
            tools: source.tools.into_iter().filter_map(shown).collect(),
            generation: Generation::default(),
            calls: BTreeMap::new(),
        };
        state.invocations.insert(source.invocation_id.clone(), invocation);
        LiveInvocation {
            projection: self.clone(),
            id: source.invocation_id,
        }
    }

    /// Watches: first a snapshot, then every change until the run ends. After its end there is nothing to watch.
    #[must_use]
    pub fn subscribe(&self) -> LiveSubscription {
        let mut state = self.state();
        let mailbox = Arc::new(Mailbox::default());
        if state.is_over {
            mailbox.close();
        } else {
            mailbox.put(&state.snapshot(), || state.snapshot());
            state.watchers.push(Arc::downgrade(&mailbox));
        }
        LiveSubscription(mailbox)
    }

    /// The run is over: nothing is shown any more, and every subscription ends.
    pub fn run_ended(&self) {
        let mut state = self.state();
        state.is_over = true;
        state.invocations.clear();
        for mailbox in state.watchers.drain(..).filter_map(|watcher| watcher.upgrade()) {
            mailbox.close();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LiveInvocation {
    /// A request goes out. What is left of an earlier one is shown no more.
    pub fn attempt_started(&self, round: u32, attempt: u32) {
        let mut state = self.projection.state();
        state.remove_calls(&self.id);
        if let Some(invocation) = state.invocations.get_mut(&self.id) {
            invocation.generation = Generation { round, attempt };
        }
    }

    /// A request failed: what it brought is shown no more. Told late, of a request after which another went out, it means nothing.
    pub fn attempt_failed(&self, round: u32, attempt: u32) {
        let mut state = self.projection.state();
        let failed = Generation { round, attempt };
        if state
            .invocations
            .get(&self.id)
            .is_some_and(|invocation| invocation.generation == failed)
        {
            state.remove_calls(&self.id);
        }
    }

    /// The call stands in the journal, and is shown from there.
    pub fn call_requested(&self, index: usize) {
        self.projection.state().remove_call(&self.id, index);
    }
}

impl LiveSink for LiveInvocation {
    fn show(&self, delta: LiveDelta) {
        let mut state = self.projection.state();
        match delta {
            LiveDelta::Text(_) | LiveDelta::Reasoning(_) => {}
            LiveDelta::Call { index, alias } => state.begin(&self.id, index, &alias),
            LiveDelta::Arguments { index, text } => state.add(&self.id, index, &text),
        }
    }
}

impl State {
    fn begin(&mut self, id: &InvocationId, index: usize, alias: &str) {
        let Some(invocation) = self.invocations.get_mut(id) else {
            return;
        };
        let Some((tool_id, chosen)) = invocation.tools.get(alias) else {
            return;
        };
        if invocation.calls.len() >= MAX_SHOWN_CALLS {
            return;
        }
        let call = LiveCall {
            tool_id: tool_id.clone(),
            invocation_id: id.clone(),
            invocation_exit_policy: invocation.exit_policy.clone(),
            tool_call_index: index,
            draft: LiveDraft::empty(tool_id.as_str() == WRITE),
        };
        let scanner = Scanner::new(chosen);
        let draft = Draft {
            call: call.clone(),
            scanner,
        };
        invocation.calls.insert(index, draft);
        self.tell(&LiveUpdate::Replace { call });
    }

    fn add(&mut self, id: &InvocationId, index: usize, text: &str) {
        let Some(draft) = self.draft(id, index) else { return };
        let Ok(added) = draft.scanner.feed(text) else {
            self.remove_call(id, index);
            return;
        };
        for (field, text) in added {
            // One after the other: a snapshot that is taken in between holds what was told, and no more.
            if let Some(draft) = self.draft(id, index) {
                draft.call.draft.add(field, &text);
            }
            self.tell(&LiveUpdate::Append {
                invocation_id: id.clone(),
                tool_call_index: index,
                field,
                word_delta: measure(&text).words,
                text,
            });
        }
    }

    fn draft(&mut self, id: &InvocationId, index: usize) -> Option<&mut Draft> {
        self.invocations.get_mut(id)?.calls.get_mut(&index)
    }

    fn remove_call(&mut self, id: &InvocationId, index: usize) {
        let invocation = self.invocations.get_mut(id);
        if invocation.is_some_and(|invocation| invocation.calls.remove(&index).is_some()) {
            self.tell(&LiveUpdate::Remove {
                invocation_id: id.clone(),
                tool_call_index: index,
            });
        }
    }

    fn remove_calls(&mut self, id: &InvocationId) {
        let calls = self.invocations.get(id).map(|invocation| &invocation.calls);
        let indexes: Vec<usize> = calls.into_iter().flat_map(BTreeMap::keys).copied().collect();
        indexes.into_iter().for_each(|index| self.remove_call(id, index));
    }

    fn tell(&mut self, update: &LiveUpdate) {
        let watchers: Vec<Arc<Mailbox>> = self.watchers.iter().filter_map(Weak::upgrade).collect();
        self.watchers.retain(|watcher| watcher.strong_count() > 0);
        for watcher in watchers {
            watcher.put(update, || self.snapshot());
        }
    }

    fn snapshot(&self) -> LiveUpdate {
        let drafts = self
            .invocations
            .values()
            .flat_map(|invocation| invocation.calls.values());
        LiveUpdate::Snapshot {
            calls: drafts.map(|draft| draft.call.counted()).collect(),
        }
    }
}

impl LiveDraft {
    const fn empty(is_write: bool) -> Self {
        if is_write {
            Self::Write {
                path: String::new(),
                content: String::new(),
                content_words: 0,
            }
        } else {
            Self::Patch {
                path: String::new(),
                old_string: String::new(),
                old_string_words: 0,
                new_string: String::new(),
                new_string_words: 0,
            }
        }
    }

    fn add(&mut self, field: LiveField, more: &str) {
        let text = match (self, field) {
            (Self::Write { path, .. } | Self::Patch { path, .. }, LiveField::Path) => path,
            (Self::Write { content, .. }, LiveField::Content) => content,
            (Self::Patch { old_string, .. }, LiveField::OldString) => old_string,
            (Self::Patch { new_string, .. }, LiveField::NewString) => new_string,
            // The chosen fields of a tool are those of its draft.
            _ => return,
        };
        text.push_str(more);
    }
}

impl LiveCall {
    /// The call with its words counted, which is not done for every piece.
    fn counted(&self) -> Self {
        let mut call = self.clone();
        match &mut call.draft {
            LiveDraft::Write {
                content, content_words, ..
            } => *content_words = measure(content).words,
            LiveDraft::Patch {
                old_string,
                old_string_words,
                new_string,
                new_string_words,
                ..
            } => {
                *old_string_words = measure(old_string).words;
                *new_string_words = measure(new_string).words;
            }
        }
        call
    }
}

#[cfg(test)]
mod tests;
