//! The caches of what journals say: `run.json`, its copy in the index, and the summaries of ended runs.
//!
//! A cache is believed when it covers the whole journal, continued when it covers a part, and made anew otherwise. Failing to write
//! one is never an error of the reader: the journal is still there.

use std::io::Read as _;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use innkeeper_protocol::id::RunId;
use rayon::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::error::RunsError;
use super::fold::RunFold;
use super::folder::{RunFolder, RunsRoot, private_dir};
use super::record::{Outcome, RunRecord, RunSummary, parse_time};
use crate::atomic::{self, Durability};
use crate::journal::{self, Access, JournalIssue, Reading};

/// The form of a cached summary; another number is made anew.
const SUMMARY_VERSION: u32 = 1;
/// Longest cache file that is read: records are small, and a longer file is none of ours.
const MAX_CACHE_BYTES: u64 = 1024 * 1024;
/// Most records that one pass over all runs writes into the caches. Making two files costs more than folding a usual journal, so a pass
/// that finds no caches writes a part of them, and the passes after it the rest.
pub(crate) const CACHED_IN_A_PASS: usize = 100;

/// How many records may still be written.
struct Room(AtomicUsize);

impl Room {
    fn of(records: usize) -> Self {
        Self(AtomicUsize::new(records))
    }

    fn take(&self) -> bool {
        let less = |left: usize| left.checked_sub(1);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }
}

/// A run's record, as good as its journal allows.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// None: the journal has no event yet, so nobody was told of this run.
    pub(crate) record: Option<RunRecord>,
    /// The first damaged place of the journal.
    pub(crate) damage: Option<JournalIssue>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CachedSummary {
    schema_version: u32,
    run_id: RunId,
    source_run_updated_at: String,
    journal_bytes: u64,
    #[serde(flatten)]
    outcome: Outcome,
}

impl RunsRoot {
    /// The record of a run, from a cache or from the journal.
    ///
    /// # Errors
    /// `store.journal_damaged` when the journal does not say what the run is; that it cannot be read.
    pub fn load_record(&self, folder: &RunFolder) -> Result<RunRecord, RunsError> {
        self.load(folder)?.record.ok_or_else(|| no_record(folder))
    }

    /// Writes the record beside the journal and into the index. Called by the run's owner as the run gets on.
    ///
    /// # Errors
    /// When one of the two cannot be written; readers then fold the journal.
    pub fn save_record(&self, folder: &RunFolder, record: &RunRecord) -> Result<(), RunsError> {
        write_cache(&folder.record_path(), record)?;
        write_cache(&self.index_path(folder.run_id()), record)
    }

    /// What a list shows of a run.
    ///
    /// # Errors
    /// As [`RunsRoot::load_record`].
    pub fn summary(&self, folder: &RunFolder) -> Result<RunSummary, RunsError> {
        let record = self.load_record(folder)?;
        self.summarise(folder, record)
    }

    pub(crate) fn load(&self, folder: &RunFolder) -> Result<Loaded, RunsError> {
        self.load_within(folder, &Room::of(1))
    }

    /// The records of many runs, each by itself, in the order of their folders. Journals are read at the same time; of the records that
    /// no cache had, at most `room` are written into the caches.
    pub(crate) fn load_all(&self, folders: &[RunFolder], room: usize) -> Vec<Result<Loaded, RunsError>> {
        let room = Room::of(room);
        folders
            .par_iter()
            .map(|folder| self.load_within(folder, &room))
            .collect()
    }

    fn load_within(&self, folder: &RunFolder, room: &Room) -> Result<Loaded, RunsError> {
        let cached = [self.index_path(folder.run_id()), folder.record_path()]
            .iter()
            .filter_map(|path| read_cache::<RunRecord>(path))
            .find(|record| is_of(record, folder));
        if let Some(record) = cached {
            if journal_size(folder) == Some(record.journal_bytes) {
                return Ok(Loaded {
                    record: Some(record),
                    damage: None,
                });
            }
            if let Some(record) = self.fold_on(folder, record, room)? {
                return Ok(Loaded {
                    record: Some(record),
                    damage: None,
                });
            }
        }
        self.rebuild(folder, room)
    }

    pub(crate) fn summarise(&self, folder: &RunFolder, record: RunRecord) -> Result<RunSummary, RunsError> {
        let path = self.summary_path(folder.run_id());
        let fits = |cached: &CachedSummary| {
            cached.schema_version == SUMMARY_VERSION
                && cached.run_id == record.id
                && cached.source_run_updated_at == record.updated_at
                && cached.journal_bytes == record.journal_bytes
        };
        if record.status.is_terminal()
            && let Some(cached) = read_cache(&path).filter(fits)
        {
            return Ok(RunSummary::new(record, cached.outcome));
        }
        let mut fold = RunFold::default();
        let reading = journal::fold(folder.journal(), &mut |event| fold.apply(&event))?;
        let outcome = fold.into_outcome();
        if record.status.is_terminal() && outcome.terminal_at.is_some() && reading.issues.is_empty() {
            let cached = CachedSummary {
                schema_version: SUMMARY_VERSION,
                run_id: record.id.clone(),
                source_run_updated_at: record.updated_at.clone(),
                journal_bytes: record.journal_bytes,
                outcome: outcome.clone(),
            };
            ignore_failure(write_cache(&path, &cached));
        }
        Ok(RunSummary::new(record, outcome))
    }

    /// Continues a record that covers a part of the journal; None when it does not fit.
    fn fold_on(&self, folder: &RunFolder, record: RunRecord, room: &Room) -> Result<Option<RunRecord>, RunsError> {
        let offset = record.journal_bytes;
        let mut fold = RunFold::resume(record);
        let reading = journal::fold_from(folder.journal(), offset, &mut |event| fold.apply(&event))?;
        let Some(Reading { issues, bytes, .. }) = reading else {
            return Ok(None);
        };
        if !issues.is_empty() || bytes < offset {
            return Ok(None);
        }
        let record = fold.record(bytes);
        if let Some(record) = record.as_ref().filter(|record| record.journal_bytes != offset)
            && room.take()
        {
            ignore_failure(self.save_record(folder, record));
        }
        Ok(record)
    }

    fn rebuild(&self, folder: &RunFolder, room: &Room) -> Result<Loaded, RunsError> {
        let mut fold = RunFold::default();
        let mut count = 0_u64;
        let reading = journal::fold(folder.journal(), &mut |event| {
            count = count.saturating_add(1);
            fold.apply(&event);
        })?;
        let damage = reading.issues.into_iter().next();
        let Some(record) = fold.record(reading.bytes) else {
            return if count == 0 && damage.is_none() {
                Ok(Loaded {
                    record: None,
                    damage: None,
                })
            } else {
                Err(no_record(folder))
            };
        };
        if record.workspace_id != *folder.workspace_id() {
            return Err(no_record(folder));
        }
        if damage.is_none() && room.take() {
            // A record of a damaged journal is not kept: whoever reads it next should hear of the damage again.
            ignore_failure(self.save_record(folder, &record));
        }
        Ok(Loaded {
            record: Some(record),
            damage,
        })
    }
}

fn is_of(record: &RunRecord, folder: &RunFolder) -> bool {
    record.id == *folder.run_id()
        && record.workspace_id == *folder.workspace_id()
        && parse_time(&record.created_at).is_some()
}

fn no_record(folder: &RunFolder) -> RunsError {
    RunsError::NoRecord {
        path: folder.journal().events(),
    }
}

fn journal_size(folder: &RunFolder) -> Option<u64> {
    folder
        .journal()
        .events()
        .symlink_metadata()
        .ok()
        .filter(std::fs::Metadata::is_file)
        .map(|metadata| metadata.len())
}

fn read_cache<T: DeserializeOwned>(path: &Path) -> Option<T> {
    let file = journal::open(path, Access::Read).ok()?;
    let mut bytes = Vec::new();
    file.take(MAX_CACHE_BYTES).read_to_end(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

fn write_cache<T: Serialize>(path: &Path, value: &T) -> Result<(), RunsError> {
    if let Some(parent) = path.parent() {
        private_dir(true).create(parent).map_err(|source| RunsError::Io {
            path: parent.to_owned(),
            source,
        })?;
    }
    Ok(atomic::write_json_atomic(path, value, Durability::Cache)?)
}

fn ignore_failure(written: Result<(), RunsError>) {
    if let Err(error) = written {
        tracing::debug!(code = error.code(), %error, "a cache of a run was not written");
    }
}
