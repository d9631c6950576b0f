//! `innkeeper:skills`: the skills that this invocation may see, charged to its read budget.
//!
//! Policy is asked before anything about existence. What a call shows is charged once the call has succeeded.

use std::sync::Arc;

use innkeeper_protocol::path::WorkspacePath;
use innkeeper_protocol::port::FileText;
use innkeeper_protocol::skill::{HIDDEN_SEGMENTS, SkillError, SkillLibrary, SkillSummary, is_hidden, is_skill_name};
use innkeeper_text::{Caps, RangeError, Selection, select};

use crate::bindings::innkeeper::skills::library;
use crate::bindings::innkeeper::workspace::types;
use crate::host::{View, host_fault};
use crate::interface::Interface;
use crate::invocation::{Invocation, SkillRules};
use crate::reader::{host_span, wire_text};

/// Skills have no limit on lines; characters are what is charged.
const ANY_LINES: u32 = u32::MAX;

type Refused<T> = Result<T, library::SkillError>;

/// A skill that this invocation may look into.
struct Opened {
    invocation: Arc<Invocation>,
    library: Arc<dyn SkillLibrary>,
    skill: SkillSummary,
    budget_left: u32,
}

impl library::Host for View<'_> {
    async fn list(&mut self) -> wasmtime::Result<Vec<library::Skill>> {
        let invocation = self.enter_invocation(Interface::SkillsLibrary, 0)?;
        let Some(skills) = &invocation.setup.skills else {
            return Ok(Vec::new());
        };
        let listed = skills.library.list().await.map_err(host_fault)?;
        let shown = listed.into_iter().filter(|skill| skills.shows(&skill.name));
        Ok(shown
            .map(|skill| library::Skill {
                name: skill.name,
                description: skill.description,
                files: skill.files,
            })
            .collect())
    }

    async fn open(&mut self, name: String) -> wasmtime::Result<Refused<u32>> {
        Ok(self.opened(&name, name.len()).await?.map(|opened| opened.budget_left))
    }

    async fn files(&mut self, name: String, path: String) -> wasmtime::Result<Refused<(Vec<String>, u32)>> {
        let opened = match self.opened(&name, name.len() + path.len()).await? {
            Ok(opened) => opened,
            Err(refused) => return Ok(Err(refused)),
        };
        let below = match WorkspacePath::parse_or_root(&path) {
            Ok(below) => below,
            Err(refusal) => return Ok(Err(library::SkillError::Invalid(refusal.to_string()))),
        };
        if below.as_ref().is_some_and(is_hidden) {
            return Ok(Err(hidden()));
        }
        let found = match wire(opened.library.files(&opened.skill.name, below.as_ref()).await)? {
            Ok(found) => found,
            Err(refused) => return Ok(Err(refused)),
        };
        let shown = found
            .paths
            .iter()
            .filter(|path| !is_hidden(path))
            .map(|path| path.as_str().to_owned());
        Ok(Ok((shown.collect(), found.skipped)))
    }

    async fn read(&mut self, name: String, path: String) -> wasmtime::Result<Refused<types::TextFile>> {
        let opened = match self.opened(&name, name.len() + path.len()).await? {
            Ok(opened) => opened,
            Err(refused) => return Ok(Err(refused)),
        };
        Ok(file(&opened, &path).await?.map(wire_text))
    }

    async fn show(
        &mut self,
        name: String,
        path: String,
        span: types::Span,
    ) -> wasmtime::Result<Refused<library::Page>> {
        let opened = match self.opened(&name, name.len() + path.len()).await? {
            Ok(opened) => opened,
            Err(refused) => return Ok(Err(refused)),
        };
        if opened.budget_left == 0 {
            return Ok(Err(library::SkillError::BudgetExhausted(0)));
        }
        let file = match file(&opened, &path).await? {
            Ok(file) => file,
            Err(refused) => return Ok(Err(refused)),
        };
        let per_call = opened
            .invocation
            .setup
            .skills
            .as_ref()
            .map_or(0, |skills| skills.max_chars_per_call);
        let caps = Caps {
            max_lines: ANY_LINES,
            max_chars: per_call.min(opened.budget_left),
        };
        match select(&file.text, host_span(span), caps) {
            Err(RangeError {
                total_lines,
                total_chars,
            }) => Ok(Err(library::SkillError::Range((total_lines, total_chars)))),
            Ok(page) => {
                self.host.staging.charge_skill_chars(page.metrics.chars);
                let left = opened.budget_left.saturating_sub(page.metrics.chars);
                Ok(Ok(wire_page(&file, &page, left)))
            }
        }
    }

    async fn charge(&mut self, chars: u32) -> wasmtime::Result<Refused<u32>> {
        let invocation = self.enter_invocation(Interface::SkillsLibrary, 0)?;
        let left = self.budget_left(&invocation);
        if chars > left {
            return Ok(Err(library::SkillError::BudgetExhausted(left)));
        }
        self.host.staging.charge_skill_chars(chars);
        Ok(Ok(left - chars))
    }
}

impl View<'_> {
    /// Policy first, so that a denied name never tells whether it exists; then the skills that apply.
    async fn opened(&mut self, name: &str, bytes: usize) -> wasmtime::Result<Refused<Opened>> {
        let invocation = self.enter_invocation(Interface::SkillsLibrary, bytes)?;
        if !is_skill_name(name) {
            let why = "a skill's name has lower-case letters, digits, `_` and `-`, at most 128".to_owned();
            return Ok(Err(library::SkillError::Invalid(why)));
        }
        let Some(skills) = &invocation.setup.skills else {
            return Ok(Err(library::SkillError::NotVisible));
        };
        if !skills.shows(name) {
            return Ok(Err(library::SkillError::Denied));
        }
        let library = skills.library.clone();
        let listed = library.list().await.map_err(host_fault)?;
        let Some(skill) = listed.into_iter().find(|skill| skill.name == name) else {
            return Ok(Err(library::SkillError::NotVisible));
        };
        let budget_left = self.budget_left(&invocation);
        Ok(Ok(Opened {
            invocation: invocation.clone(),
            library,
            skill,
            budget_left,
        }))
    }

    fn budget_left(&self, invocation: &Invocation) -> u32 {
        let per_run = invocation
            .setup
            .skills
            .as_ref()
            .map_or(0, |skills| skills.max_chars_per_run);
        let spent = invocation
            .skill_chars_spent()
            .saturating_add(self.host.staging.skill_chars());
        per_run.saturating_sub(spent)
    }
}

impl SkillRules {
    /// Whether policy lets the name be seen: a deny wins, then it must be allowed.
    fn shows(&self, name: &str) -> bool {
        let names = |list: &[String]| list.iter().any(|entry| entry == "*" || entry == name);
        !names(&self.deny) && names(&self.visible)
    }
}

async fn file(opened: &Opened, path: &str) -> wasmtime::Result<Refused<FileText>> {
    let path = match WorkspacePath::parse(path) {
        Ok(path) => path,
        Err(refusal) => return Ok(Err(library::SkillError::Invalid(refusal.to_string()))),
    };
    if is_hidden(&path) {
        return Ok(Err(hidden()));
    }
    wire(opened.library.read(&opened.skill.name, &path).await)
}

fn hidden() -> library::SkillError {
    library::SkillError::Invalid(format!("{} are never shown", HIDDEN_SEGMENTS.join(", ")))
}

/// Parts what a tool can act on from what ends the run.
fn wire<T>(result: Result<T, SkillError>) -> wasmtime::Result<Refused<T>> {
    Ok(match result {
        Ok(value) => Ok(value),
        Err(SkillError::NotVisible) => Err(library::SkillError::NotVisible),
        Err(SkillError::NotFound) => Err(library::SkillError::NotFound),
        Err(SkillError::Invalid(why)) => Err(library::SkillError::Invalid(why)),
        Err(SkillError::Fault(error)) => return Err(host_fault(error)),
    })
}

fn wire_page(file: &FileText, page: &Selection<'_>, budget_left: u32) -> library::Page {
    library::Page {
        text: page.text.to_owned(),
        sha256: file.sha256.as_str().to_owned(),
        total_lines: page.total_lines,
        total_chars: page.total.chars,
        total_words: page.total.words,
        start_line: page.start_line,
        end_line: page.end_line,
        next_start_line: page.next_start_line,
        start_char: page.start_char,
        end_char: page.end_char,
        line_truncated: page.line_truncated,
        truncated: page.truncated,
        budget_left,
    }
}
