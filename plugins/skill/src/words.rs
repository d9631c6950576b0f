//! The sentences of refusals and notes, for a model: what happened, why, and the next call that would work.
//!
//! Only wording; those for ranges and for places found are the SDK's. No message tells whether a skill exists that
//! policy hides.

use innkeeper_tool::{counted, fixed_path, path_rule, quoted};

use crate::library::{DEFAULT_PATH, Location};
use crate::refusal::Reason;
use crate::search::Query;

pub(crate) const BUDGET_SPENT: &str = "Nothing was read: the read budget for skills is used up, and no more of them can \
     be read or searched here. Go on with what you have read.";

pub(crate) fn blank(argument: &str) -> String {
    format!("Nothing was read: argument /{argument} is blank. Call again with a text that is not blank.")
}

pub(crate) fn denied(skill: &str) -> String {
    format!(
        "You may not use a skill {}, whether or not there is one. Call skill_list to see those that you may use, and read one of \
         them or go on without.",
        quoted(skill)
    )
}

pub(crate) fn not_visible(skill: &str) -> String {
    format!(
        "There is no skill {} among those that you can use. Call skill_list to see their names, then call again with one \
         of them.",
        quoted(skill)
    )
}

pub(crate) fn bad_name(skill: &str, reason: &Reason) -> String {
    format!(
        "{} cannot be the name of a skill: {}. Call skill_list to see the names, then call again with one of them.",
        quoted(skill),
        reason.clause()
    )
}

pub(crate) fn skill_gone(skill: &str) -> String {
    format!(
        "Skill {} has no files any more. Call skill_list to see which skills there are, and use one of them or go on \
         without.",
        quoted(skill)
    )
}

pub(crate) fn bad_path(path: &str, reason: &Reason) -> String {
    format!(
        "{} cannot be read in a skill: {}. Call again with {}, or without path.",
        quoted(path),
        reason.clause(),
        match fixed_path(path) {
            Some(fixed) => format!("path {}, from the skill's folder", quoted(&fixed)),
            None => "the path of a text file from the skill's folder, as \"references/style.md\"".to_owned(),
        }
    )
}

pub(crate) fn instructions_missing(skill: &str) -> String {
    format!(
        "Skill {} has no file \"{DEFAULT_PATH}\". Call skill_search with its name and without path to find what else is in it.",
        quoted(skill)
    )
}

pub(crate) fn file_missing(file: &str) -> String {
    format!(
        "{file} does not exist. Call skill_read without path, because {DEFAULT_PATH} says which files there are, or \
         skill_search without path."
    )
}

pub(crate) fn search_limit(limit: u64) -> String {
    format!("limit is {limit}, but must be 1 to 50. Call skill_search again with such a limit.")
}

pub(crate) fn search_context(lines: u64) -> String {
    format!("context_lines is {lines}, but at most 5 is allowed. Call skill_search again with 0 to 5.")
}

pub(crate) fn over_budget(needed: u32, left: u32) -> String {
    format!(
        "Nothing was shown or charged: the places found have {}, but the read budget for skills has {left} left. Call skill_search again with a lower limit, with context_lines 0, or with a narrower path or query.",
        counted(needed, "character")
    )
}

pub(crate) fn budget_short(left: u32) -> String {
    format!(
        "Nothing was read: the read budget for skills has {} left, which is too few. Call again for a \
         smaller part.",
        counted(left, "character")
    )
}

/// The first line of a search that found something.
pub(crate) fn places(skill: &str, Query(query): Query<'_>, places: usize) -> String {
    let query = quoted(query);
    let count = match places {
        1 => "1 place".to_owned(),
        count => format!("{count} places"),
    };
    format!(
        "{count} in skill {skill} for {query}; skill_read with name, path, start_line and line_count shows more around a \
         place"
    )
}

/// Where a search looked.
pub(crate) fn place(at: Location<'_>) -> String {
    match at.path {
        "" => format!("skill {}", at.skill),
        path => format!("{} of skill {}", quoted(path), at.skill),
    }
}

/// What stands in the place of the next call where none would work.
pub(crate) fn out_of_reach(range: &str) -> String {
    format!("[More follows from {range}, but it can no longer be read.]")
}

/// The last line of everything that was charged.
pub(crate) fn budget(left: u32) -> String {
    match left {
        0 => "(the read budget for skills is now used up: no more can be read)".to_owned(),
        1 => "(left of the read budget for skills: 1 character)".to_owned(),
        _ => format!("(left of the read budget for skills: {left} characters)"),
    }
}

impl Reason {
    /// The reason inside a sentence of ours.
    fn clause(&self) -> &str {
        let rule = path_rule(&self.0);
        // Paths of a skill begin in its own folder, so advice about the workspace would mislead.
        match rule.split_once(';') {
            Some((broken, advice)) if advice.contains("workspace") => broken,
            _ => rule,
        }
    }
}
