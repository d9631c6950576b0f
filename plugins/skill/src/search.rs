//! `skill.search`: the best places for a query in the files of one skill.
//!
//! Scoring and merging is the SDK's file search; what is shown is charged by the host, all or nothing.

use innkeeper_tool::file_search::{Context, Found, Limit, MAX_FILES, OutOfBounds, Place, Searched};
use innkeeper_tool::{Failure, Reply, Whole};
use serde::{Deserialize, Serialize};

use crate::library::{Library, LibraryError, Location, ref_prefix};
use crate::refusal::{Refusal, required};
use crate::words;

/// Arguments of `skill.search`.
#[derive(Clone, Debug, Deserialize)]
pub struct SearchArguments {
    /// The skill.
    pub name: String,
    /// Words to look for.
    pub query: String,
    /// Folder or file; the whole skill when absent.
    pub path: Option<String>,
    /// 1 to 50.
    pub limit: Option<Whole>,
    /// 0 to 5.
    pub context_lines: Option<Whole>,
}

/// What is looked for, without spaces around it.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct Query<'a>(pub(crate) &'a str);

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Structured<'a> {
    name: &'a str,
    query: Query<'a>,
    hits: Vec<Hit<'a>>,
    searched_files: u32,
    skipped_files: u32,
    truncated: bool,
    returned_chars: u32,
    returned_words: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Hit<'a> {
    #[serde(flatten)]
    place: &'a Place,
    resource_ref: &'a str,
}

/// Searches the files of a skill.
///
/// # Errors
/// `tool.invalid_arguments` for a blank name or query, `skill.policy_denied`, `skill.not_visible`, `skill.search_limit_invalid`,
/// `skill.search_limit_too_large`, `skill.search_context_too_large`, `skill.read_budget_exhausted` when nothing is left or the places found
/// are more than is left, `skill.invalid_request` for a path that cannot be used, `skill.not_found` for one with no file.
pub fn search(arguments: &SearchArguments, library: &mut impl Library) -> Result<Reply, Failure> {
    let skill = required("name", &arguments.name)?;
    let query = Query(required("query", &arguments.query)?);
    let left = library.open(skill).map_err(|error| Refusal::open(skill, error))?;
    let limit = Limit::new(arguments.limit).map_err(|OutOfBounds(limit)| Refusal::SearchLimit { limit })?;
    let context =
        Context::new(arguments.context_lines).map_err(|OutOfBounds(lines)| Refusal::SearchContext { lines })?;
    if left == 0 {
        return Err(Refusal::BudgetSpent.into());
    }
    // Which texts mean the whole skill is the host's rule.
    let path = arguments.path.as_deref().unwrap_or_default().trim();
    let mut found = Found::new(query.0, limit, context);
    let at = Location { skill, path };
    find(&mut found, at, library)?;
    let returned = Returned::of(&found);
    let left = returned.charge(left, library)?;
    reply(at, query, &found, returned, left)
}

/// Searches every file at or below the place.
fn find(found: &mut Found, at: Location<'_>, library: &mut impl Library) -> Result<(), Refusal> {
    let files = library.files(at).map_err(|error| Refusal::file(at, error))?;
    if files.paths.is_empty() && files.skipped == 0 {
        return Err(Refusal::file(at, LibraryError::NotFound));
    }
    found.skip(files.skipped);
    found.unsearched = files.paths.len() > MAX_FILES;
    for path in files.paths.iter().take(MAX_FILES) {
        let file = Location { skill: at.skill, path };
        match library.read(file) {
            Ok(read) => found.search(Searched {
                path,
                text: &read.text,
                sha256: &read.sha256,
            }),
            // Whatever has become of one file must not end the search.
            Err(LibraryError::NotFound | LibraryError::Invalid(_)) => found.skip(1),
            Err(error) => return Err(Refusal::file(file, error)),
        }
    }
    Ok(())
}

/// Size of all snippets, line numbers included.
#[derive(Clone, Copy)]
struct Returned {
    chars: u32,
    words: u32,
}

impl Returned {
    fn of(found: &Found) -> Self {
        let sum = |size: fn(&Place) -> u32| found.places.iter().map(size).fold(0, u32::saturating_add);
        Self {
            chars: sum(Place::chars),
            words: sum(Place::words),
        }
    }

    /// Pays for the snippets; gives what is left of the budget.
    fn charge(self, left: u32, library: &mut impl Library) -> Result<u32, Refusal> {
        if self.chars == 0 {
            return Ok(left);
        }
        // A charge names no skill and no path, so it can fail for no other reason.
        library.charge(self.chars).map_err(|error| Refusal::OverBudget {
            needed: self.chars,
            left: match error {
                LibraryError::BudgetExhausted(left) => left,
                _ => left,
            },
        })
    }
}

fn reply(at: Location<'_>, query: Query<'_>, found: &Found, returned: Returned, left: u32) -> Result<Reply, Failure> {
    let prefix = ref_prefix(at.skill);
    let refs: Vec<String> = found.places.iter().map(|place| place.reference(&prefix)).collect();
    let hits = found.places.iter().zip(&refs);
    let header = if found.places.is_empty() {
        found.nothing(query.0, &words::place(at))
    } else {
        words::places(at.skill, query, found.places.len())
    };
    let text = format!("{}\n\n{}", found.words(&header, &refs), words::budget(left));
    Reply::text(text).refs(refs.clone()).structured(&Structured {
        name: at.skill,
        query,
        hits: hits.map(|(place, resource_ref)| Hit { place, resource_ref }).collect(),
        searched_files: found.searched,
        skipped_files: found.skipped,
        truncated: found.truncated(),
        returned_chars: returned.chars,
        returned_words: returned.words,
    })
}

#[cfg(test)]
mod tests;
