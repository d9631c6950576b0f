//! One invocation as its tools see it: roots, ports, rules of control, and what it has been shown of its files.
//!
//! Nothing here outlives the invocation, and a child has one of its own.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use innkeeper_protocol::path::{PathRefusal, RootName, WorkspacePath};
use innkeeper_protocol::port::{ChatHistory, WorkspaceFiles};
use innkeeper_protocol::skill::SkillLibrary;
use innkeeper_protocol::worldinfo::Activation;

use crate::read_state::ReadStates;

/// The roots of an invocation, in the order in which they are listed.
#[derive(Debug, Clone)]
pub struct Roots {
    visible: Vec<RootName>,
    writable: Vec<RootName>,
}

impl Roots {
    /// Roots that may be read and, of these, roots that may be written. The folder of tool results is added, never writable.
    #[must_use]
    pub fn new(visible: Vec<RootName>, writable: Vec<RootName>) -> Self {
        let results = RootName::tool_results();
        let writable = writable
            .into_iter()
            .filter(|root| *root != results && visible.contains(root))
            .collect();
        let mut visible: Vec<_> = visible.into_iter().filter(|root| *root != results).collect();
        visible.push(results);
        Self { visible, writable }
    }

    /// All that may be read, tool results last.
    #[must_use]
    pub fn visible(&self) -> &[RootName] {
        &self.visible
    }

    /// All that may be written.
    #[must_use]
    pub fn writable(&self) -> &[RootName] {
        &self.writable
    }

    /// Whether the root may be written.
    #[must_use]
    pub fn is_writable_root(&self, root: &RootName) -> bool {
        self.writable.contains(root)
    }

    /// Whether the path is a visible root or lies in one.
    #[must_use]
    pub fn sees(&self, path: &WorkspacePath) -> bool {
        self.visible.iter().any(|root| path.is_under(root))
    }

    /// Whether the path lies strictly inside a writable root.
    #[must_use]
    pub fn may_write(&self, path: &WorkspacePath) -> bool {
        self.writable.iter().any(|root| path.is_beneath(root))
    }
}

/// What a tool may ask of the run itself.
#[derive(Debug, Clone)]
pub struct ControlRules {
    /// Where the message is drafted.
    pub message_path: WorkspacePath,
    /// Whether an empty message file cannot be committed.
    pub message_required: bool,
    /// Whether finishing needs an explicit commit first.
    pub foreground: bool,
    /// Whether this invocation must return its task instead.
    pub child: bool,
}

/// Which skills an invocation may see, and how much of them.
#[derive(Clone)]
pub struct SkillRules {
    /// The skills that apply to the run.
    pub library: Arc<dyn SkillLibrary>,
    /// Names that may be seen, or `*`.
    pub visible: Vec<String>,
    /// Names that may not, or `*`; a deny wins.
    pub deny: Vec<String>,
    /// Characters that one read may show.
    pub max_chars_per_call: u32,
    /// Characters that the whole invocation may be shown.
    pub max_chars_per_run: u32,
}

/// What an invocation is made of.
pub struct InvocationSetup {
    /// What may be read and written.
    pub roots: Roots,
    /// The files of the run.
    pub files: Arc<dyn WorkspaceFiles>,
    /// The chat of the run, if it has one.
    pub chat: Option<Arc<dyn ChatHistory>>,
    /// World info that was activated for the run, if that is known.
    pub activation: Option<Arc<Activation>>,
    /// Skills, if the run has any.
    pub skills: Option<SkillRules>,
    /// What a tool may ask of the run.
    pub control: ControlRules,
}

/// One invocation: shared by all its calls.
pub struct Invocation {
    pub(crate) setup: InvocationSetup,
    read_states: Mutex<ReadStates>,
    has_explicit_commit: AtomicBool,
    skill_chars_spent: AtomicU32,
}

impl Invocation {
    /// An invocation that has seen nothing yet.
    #[must_use]
    pub fn new(setup: InvocationSetup) -> Self {
        Self {
            setup,
            read_states: Mutex::default(),
            has_explicit_commit: AtomicBool::new(false),
            skill_chars_spent: AtomicU32::new(0),
        }
    }

    /// The roots of this invocation.
    #[must_use]
    pub fn roots(&self) -> &Roots {
        &self.setup.roots
    }

    /// The files of the run.
    #[must_use]
    pub fn files(&self) -> &Arc<dyn WorkspaceFiles> {
        &self.setup.files
    }

    /// Notes that the host has confirmed a commit that the model asked for; finishing is open from now on.
    pub fn explicit_commit_confirmed(&self) {
        self.has_explicit_commit.store(true, Ordering::SeqCst);
    }

    pub(crate) fn has_explicit_commit(&self) -> bool {
        self.has_explicit_commit.load(Ordering::SeqCst)
    }

    pub(crate) fn skill_chars_spent(&self) -> u32 {
        self.skill_chars_spent.load(Ordering::SeqCst)
    }

    pub(crate) fn read_states(&self) -> MutexGuard<'_, ReadStates> {
        // The map is replaced entry by entry; a panic elsewhere cannot leave it half changed.
        self.read_states.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A path that this invocation cannot use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PathDenial {
    Invalid(PathRefusal),
    NotVisible,
    NotWritable,
}

impl Invocation {
    /// Parses a path and checks that it may be read. Looks at no disk.
    pub(crate) fn readable(&self, text: &str) -> Result<WorkspacePath, PathDenial> {
        let path = WorkspacePath::parse(text).map_err(PathDenial::Invalid)?;
        if self.setup.roots.sees(&path) {
            Ok(path)
        } else {
            Err(PathDenial::NotVisible)
        }
    }

    /// The same for a listing, where no path means all roots.
    pub(crate) fn listable(&self, text: &str) -> Result<Option<WorkspacePath>, PathDenial> {
        match WorkspacePath::parse_or_root(text).map_err(PathDenial::Invalid)? {
            Some(path) if !self.setup.roots.sees(&path) => Err(PathDenial::NotVisible),
            found => Ok(found),
        }
    }

    /// Parses a path and checks that it may be written. Looks at no disk.
    pub(crate) fn writable(&self, text: &str) -> Result<WorkspacePath, PathDenial> {
        let path = WorkspacePath::parse(text).map_err(PathDenial::Invalid)?;
        if self.setup.roots.may_write(&path) {
            Ok(path)
        } else {
            Err(PathDenial::NotWritable)
        }
    }
}

impl Invocation {
    /// Takes over what a call has shown and written, once its plan has been applied.
    pub fn settle(&self, applied: &crate::StagedChanges) {
        self.skill_chars_spent.fetch_add(applied.skill_chars, Ordering::SeqCst);
        let mut states = self.read_states();
        for (path, state) in &applied.read_states {
            match state {
                Some(state) => states.set(path.clone(), state.clone()),
                None => states.forget(path),
            }
        }
    }
}
