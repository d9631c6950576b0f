//! The list of runs, newest first, a page at a time.
//!
//! A run that cannot be read is reported beside the page and hides no other. Nothing is deleted here.

use innkeeper_protocol::id::StableChatId;
use innkeeper_protocol::run::{ChatRef, RunStatus};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::cache::{CACHED_IN_A_PASS, Loaded};
use super::error::{RunIssue, RunsError};
use super::folder::{RunFolder, RunsRoot, issue, names};
use super::record::{RunRecord, RunSummary, parse_time};
use crate::inbox;
use crate::journal::{EVENTS_FILE, JournalError, LOCK_FILE, REPAIR_FILE};

const DEFAULT_LIMIT: u64 = 50;
/// Most runs of a page; each may need its journal read.
const MAX_LIMIT: u64 = 200;

/// Where the next page begins: strictly older than this run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListCursor {
    /// RFC 3339.
    pub created_at: String,
    /// Decides among runs of one moment.
    pub run_id: String,
}

/// Which runs a reader wants.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListQuery {
    /// Only runs of this chat, as the application names it.
    #[serde(default)]
    pub chat_ref: Option<ChatRef>,
    /// Only runs of this chat.
    #[serde(default, alias = "stableId")]
    pub stable_chat_id: Option<StableChatId>,
    /// Only runs of these statuses; empty means all.
    #[serde(default)]
    pub statuses: Vec<RunStatus>,
    /// Only runs older than this.
    #[serde(default)]
    pub before: Option<ListCursor>,
    /// Most runs, 1 to 200; 50 when absent.
    #[serde(default)]
    pub limit: Option<u64>,
}

/// One page of the list.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunPage {
    /// Newest first.
    pub runs: Vec<RunSummary>,
    /// Where the next page begins, when there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<ListCursor>,
    /// Runs that could not be read as they should be, whatever the filters say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<RunIssue>,
}

/// What orders the list: creation, then id.
type Key = (OffsetDateTime, String);

struct Row {
    key: Key,
    folder: RunFolder,
    record: RunRecord,
}

impl RunsRoot {
    /// One page of runs, newest first.
    ///
    /// # Errors
    /// `agent.run_history_limit_invalid`, `agent.run_history_cursor_invalid`, and that the folder of chats cannot be read.
    pub fn list(&self, query: &ListQuery) -> Result<RunPage, RunsError> {
        let limit = query.limit.unwrap_or(DEFAULT_LIMIT);
        if !(1..=MAX_LIMIT).contains(&limit) {
            return Err(RunsError::LimitInvalid { limit, max: MAX_LIMIT });
        }
        let before = query.before.as_ref().map(parse_cursor).transpose()?;
        let (mut rows, mut issues) = self.rows()?;
        rows.retain(|row| before.as_ref().is_none_or(|before| row.key < *before) && matches(query, &row.record));
        rows.sort_by(|a, b| b.key.cmp(&a.key));
        let wanted = usize::try_from(limit).unwrap_or(usize::MAX);
        let more = rows.len() > wanted;
        rows.truncate(wanted);
        let next_cursor = rows.last().filter(|_| more).map(|row| ListCursor {
            created_at: row.record.created_at.clone(),
            run_id: row.record.id.to_string(),
        });
        let mut runs = Vec::with_capacity(rows.len());
        for row in rows {
            match self.summarise(&row.folder, row.record) {
                Ok(summary) => runs.push(summary),
                Err(error) => issues.push(issue(Some(row.folder.run_id().clone()), EVENTS_FILE, &error)),
            }
        }
        Ok(RunPage {
            runs,
            next_cursor,
            issues,
        })
    }

    fn rows(&self) -> Result<(Vec<Row>, Vec<RunIssue>), RunsError> {
        let (folders, mut issues) = self.folders()?;
        let mut rows = Vec::with_capacity(folders.len());
        let found = self.load_all(&folders, CACHED_IN_A_PASS);
        for (folder, found) in folders.into_iter().zip(found) {
            let loaded = match found {
                Ok(loaded) => loaded,
                Err(error) => {
                    issues.push(issue(Some(folder.run_id().clone()), EVENTS_FILE, &error));
                    continue;
                }
            };
            issues.extend(damage_of(&folder, &loaded).or_else(|| loss_of(&folder, &loaded)));
            let dated = loaded
                .record
                .and_then(|record| Some((parse_time(&record.created_at)?, record)));
            if let Some((created, record)) = dated {
                rows.push(Row {
                    key: (created, record.id.to_string()),
                    folder,
                    record,
                });
            }
        }
        Ok((rows, issues))
    }
}

/// The first damaged place of the run's journal, as an issue.
pub(crate) fn damage_of(folder: &RunFolder, loaded: &Loaded) -> Option<RunIssue> {
    let place = loaded.damage.clone()?;
    let path = folder.journal().events();
    let error = JournalError::Damaged {
        path,
        line: place.line,
        offset: place.offset,
        damage: place.damage,
    };
    Some(issue(
        Some(folder.run_id().clone()),
        EVENTS_FILE,
        &RunsError::Journal(error),
    ))
}

/// A run whose folder holds more than a beginning leaves, and whose journal tells nothing: its events are lost, and that is no empty run.
pub(crate) fn loss_of(folder: &RunFolder, loaded: &Loaded) -> Option<RunIssue> {
    const OF_A_BEGINNING: [&str; 4] = [EVENTS_FILE, LOCK_FILE, REPAIR_FILE, inbox::FOLDER];
    if loaded.record.is_some() {
        return None;
    }
    let more = names(folder.path()).map(|found| found.iter().any(|(name, _)| !OF_A_BEGINNING.contains(&name.as_str())));
    let error = match more {
        Ok(false) => return None,
        Ok(true) => RunsError::NoRecord {
            path: folder.journal().events(),
        },
        Err(error) => error,
    };
    Some(issue(Some(folder.run_id().clone()), EVENTS_FILE, &error))
}

fn parse_cursor(cursor: &ListCursor) -> Result<Key, RunsError> {
    let id = cursor.run_id.trim();
    let created = parse_time(cursor.created_at.trim()).filter(|_| !id.is_empty());
    created
        .map(|created| (created, id.to_owned()))
        .ok_or(RunsError::CursorInvalid)
}

fn matches(query: &ListQuery, record: &RunRecord) -> bool {
    query.chat_ref.as_ref().is_none_or(|chat| *chat == record.chat_ref)
        && query
            .stable_chat_id
            .as_ref()
            .is_none_or(|chat| *chat == record.stable_chat_id)
        && (query.statuses.is_empty() || query.statuses.contains(&record.status))
}

#[cfg(test)]
mod tests;
