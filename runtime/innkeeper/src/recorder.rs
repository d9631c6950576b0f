//! What a run leaves on disk: its journal, its workspace, and the files that its events point to.
//!
//! Every function that touches the disk does so away from the threads that drive calls.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use innkeeper_agent::Promotion;
use innkeeper_agent::profile::ResolvedArtifact;
use innkeeper_protocol::call::ToolResult;
use innkeeper_protocol::envelope::Envelope;
use innkeeper_protocol::event::{CheckpointReason, RunEvent};
use innkeeper_protocol::id::{CallId, InvocationId};
use innkeeper_protocol::port::{Clock, Entropy};
use innkeeper_protocol::run::{RunError, RunStatus};
use innkeeper_store::atomic::{Durability as FileDurability, write_json_atomic};
use innkeeper_store::audit::{Audit, CallFiles};
use innkeeper_store::checkpoint::{Checkpoints, NewCheckpoint};
use innkeeper_store::journal::{Journal, Stamp};
use innkeeper_store::persistent::States;
use innkeeper_store::runs::{RunFold, RunFolder, RunsRoot};
use innkeeper_store::tree::Tree;
use innkeeper_store::workspace::{
    self, ExitPolicy, InvocationInput, InvocationKind, InvocationRecord, InvocationStatus, ManifestData,
    PreparedWorkspace, WorkspaceError, WorkspaceSetup,
};
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch;

use crate::error::{fault, unwritable};
use crate::ports::blocking;
use crate::setup::RunFrame;
use crate::system::fresh_hex;

/// Stamps events with ids and dates of the host.
pub(crate) struct EventStamps {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
}

impl EventStamps {
    /// The stamp of an event that happens now.
    pub(crate) fn now(&self) -> Stamp {
        Stamp {
            event_id: format!("evt_{}", fresh_hex(&*self.entropy)),
            timestamp: timestamp(&*self.clock),
        }
    }
}

/// The present moment, RFC 3339 in UTC with milliseconds.
pub(crate) fn timestamp(clock: &dyn Clock) -> String {
    let ms = i64::try_from(clock.wall_ms()).unwrap_or(i64::MAX);
    innkeeper_store::chat::iso_date(ms).unwrap_or_else(|| "9999-12-31T23:59:59.999Z".to_owned())
}

/// The journal with the fold that its caches are made of.
struct Record {
    journal: Journal,
    fold: RunFold,
    /// Statuses that the caches have had.
    cached: HashSet<RunStatus>,
}

/// Writes events and tells of them.
struct EventWriter {
    record: Mutex<Record>,
    root: RunsRoot,
    folder: RunFolder,
    stamps: EventStamps,
    /// Hears of every event once it is durable, in order.
    listener: UnboundedSender<Envelope>,
    /// How far the run has come, for whoever waits for that.
    status: watch::Sender<RunStatus>,
}

impl EventWriter {
    fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes an event durable, then tells it. The caches follow where the run gets to a status that it has not had: round after round
    /// has the same ones, and a reader folds what its cache lacks. Gives the event's number.
    fn append(&self, event: &RunEvent) -> Result<u64, RunError> {
        let draft = event.draft().map_err(unwritable)?;
        let mut record = self.record();
        let Record { journal, fold, cached } = &mut *record;
        let envelope = journal
            .append(draft, self.stamps.now())
            .map_err(|error| fault(error.code(), &error))?;
        fold.apply(&envelope);
        if let (true, Some(now)) = (event.changes_status(), fold.record(journal.bytes())) {
            if cached.insert(now.status)
                && let Err(error) = self.root.save_record(&self.folder, &now)
            {
                // A cache that cannot be written is rebuilt from the journal when it is read.
                tracing::warn!(%error, "the run's record could not be cached");
            }
            self.status.send_replace(now.status);
        }
        let seq = envelope.seq;
        // Told while the journal is held, so in its order. Nobody may be listening; the journal has it.
        let _ = self.listener.send(envelope);
        Ok(seq)
    }
}

/// The files of one run.
pub(crate) struct Recorder {
    pub(crate) root: RunsRoot,
    pub(crate) folder: RunFolder,
    writer: Arc<EventWriter>,
    audit: Arc<Audit>,
    checkpoints: Arc<Checkpoints>,
    /// The workspace, once it is prepared.
    prepared: Arc<OnceLock<PreparedWorkspace>>,
}

impl Recorder {
    /// Takes over a new run's empty journal and folder. Events are told to `listener`, which need not be there any more.
    pub(crate) fn new(
        root: RunsRoot,
        folder: RunFolder,
        journal: Journal,
        tree: Arc<Tree>,
        stamps: EventStamps,
        listener: UnboundedSender<Envelope>,
    ) -> Self {
        let record = Record {
            journal,
            fold: RunFold::default(),
            cached: HashSet::new(),
        };
        let writer = EventWriter {
            record: Mutex::new(record),
            root: root.clone(),
            folder: folder.clone(),
            stamps,
            listener,
            status: watch::Sender::new(RunStatus::Created),
        };
        Self {
            root,
            folder,
            writer: Arc::new(writer),
            audit: Arc::new(Audit::new(tree.clone())),
            checkpoints: Arc::new(Checkpoints::new(tree)),
            prepared: Arc::default(),
        }
    }

    /// How far the run has come, as it is told in the journal.
    pub(crate) fn status(&self) -> &watch::Sender<RunStatus> {
        &self.writer.status
    }

    /// Whether the journal may take events again after one failed.
    pub(crate) fn may_recover(&self) -> bool {
        self.writer.record().journal.may_recover()
    }

    /// Makes an event durable, then tells it to those who listen. Gives its number.
    pub(crate) async fn append(&self, event: RunEvent) -> Result<u64, RunError> {
        let writer = self.writer.clone();
        blocking(move || writer.append(&event)).await
    }

    /// Makes events durable one after the other, each before it is told to those who listen. Gives the numbers of those that the journal
    /// took, also where it took no more. One change of threads serves them all: it costs more than an append.
    pub(crate) async fn append_all(&self, events: Vec<RunEvent>) -> (Vec<u64>, Result<(), RunError>) {
        let writer = self.writer.clone();
        let appended = blocking::<_, RunError>(move || {
            let mut seqs = Vec::with_capacity(events.len());
            let done = events.iter().try_for_each(|event| {
                seqs.push(writer.append(event)?);
                Ok(())
            });
            Ok((seqs, done))
        });
        appended.await.unwrap_or_else(|error| (Vec::new(), Err(error)))
    }

    /// Keeps a JSON value in the run's folder.
    pub(crate) async fn store_json(&self, path: &str, value: Value) -> Result<(), RunError> {
        let path = self.folder.path().join(path);
        blocking(move || {
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent)
                    .map_err(|error| RunError::internal("store.io_failed", format!("{}: {error}", parent.display())))?;
            }
            write_json_atomic(&path, &value, FileDurability::Durable).map_err(|error| fault(error.code(), &error))
        })
        .await
    }

    /// Keeps the arguments of a call and names its files.
    pub(crate) async fn begin_call(&self, call_id: CallId, arguments: Value) -> Result<CallFiles, RunError> {
        let audit = self.audit.clone();
        blocking(move || {
            audit
                .begin(call_id.as_str(), &arguments)
                .map_err(|error| fault(error.code(), &error))
        })
        .await
    }

    /// Keeps the result of a call, and its readable form where there is one.
    pub(crate) async fn store_result(
        &self,
        files: CallFiles,
        result: ToolResult,
        view: Option<String>,
    ) -> Result<(), RunError> {
        let audit = self.audit.clone();
        blocking(move || {
            let stored = audit.store_result(&files, &result);
            let stored = stored.and_then(|()| view.map_or(Ok(()), |view| audit.store_view(&files, &view)));
            stored.map_err(|error| fault(error.code(), &error))
        })
        .await
    }

    /// Keeps the change that a person is asked about.
    pub(crate) async fn store_diff(&self, files: CallFiles, diff: String) -> Result<(), RunError> {
        let audit = self.audit.clone();
        blocking(move || {
            let stored = audit.store_diff(&files, &diff);
            stored.map_err(|error| fault(error.code(), &error))
        })
        .await
    }

    /// Saves the workspace as it is now, under the next number.
    pub(crate) async fn create_checkpoint(&self, number: u64, reason: CheckpointReason) -> Result<String, RunError> {
        let reason = match reason {
            CheckpointReason::ToolWorkspaceWrite => "tool_workspace_write",
            CheckpointReason::ToolWorkspacePatch => "tool_workspace_patch",
            CheckpointReason::ChatCommit => "chat_commit",
            CheckpointReason::DirectOutputCapture => "direct_output_capture",
            CheckpointReason::Rollback => "rollback",
        };
        let event_seq = self.writer.record().journal.last_seq();
        let new = NewCheckpoint {
            number,
            run_id: self.folder.run_id().to_string(),
            created_at: self.writer.stamps.now().timestamp,
            reason: reason.to_owned(),
            event_seq,
        };
        let checkpoints = self.checkpoints.clone();
        blocking(move || {
            let created = checkpoints.create(new);
            created
                .map(|created| created.checkpoint.id)
                .map_err(|error| fault(error.code(), &error))
        })
        .await
    }
}

impl Recorder {
    /// Makes the run's roots and freezes its input. Returns the roots that are carried from run to run.
    pub(crate) async fn prepare_workspace(&self, frame: &RunFrame) -> Result<Vec<String>, RunError> {
        let states = States::new(&self.root, &frame.workspace_id);
        let (folder, prepared) = (self.folder.clone(), self.prepared.clone());
        let now = self.writer.stamps.now().timestamp;
        let setup = workspace_setup(frame, &now).map_err(unwritable)?;
        let (tools, skills) = (frame.tool_snapshot.clone(), frame.skills.clone());
        let invocation = root_invocation(frame, &now);
        blocking(move || {
            let failed = |error: WorkspaceError| fault(error.code(), &error);
            let workspace = workspace::prepare(&folder, &states, &setup).map_err(failed)?;
            workspace.create_invocation(&invocation).map_err(failed)?;
            workspace.freeze_skills(&skills).map_err(failed)?;
            workspace
                .freeze(&invocation.id, InvocationInput::ToolSnapshot, &tools)
                .map_err(failed)?;
            let roots = workspace.promoted_roots();
            // A run prepares its workspace once; `prepare` itself refuses a second time.
            let _ = prepared.set(workspace);
            Ok(roots)
        })
        .await
    }

    /// Makes the persistent roots a new state of the chat.
    pub(crate) async fn promote(&self, frame: &RunFrame) -> Result<Promotion, RunError> {
        let states = States::new(&self.root, &frame.workspace_id);
        let (prepared, now) = (self.prepared.clone(), self.writer.stamps.now().timestamp);
        blocking(move || {
            let workspace = prepared.get().ok_or_else(|| {
                RunError::internal(
                    "agent.internal_error",
                    "a run was finished whose workspace was never prepared",
                )
            })?;
            let promoted = workspace.promote(&states, &now);
            promoted
                .map(|made| Promotion {
                    state_id: made.state_id,
                    base_state_id: made.base_state_id,
                    changes: made.changes,
                })
                .map_err(|error| fault(error.code(), &error))
        })
        .await
    }

    /// Brings the record of the root invocation up to its journal. It is a cache: failing to is only reported.
    pub(crate) async fn note_invocation(&self, status: InvocationStatus) {
        let (prepared, now) = (self.prepared.clone(), self.writer.stamps.now().timestamp);
        let noted = blocking::<(), RunError>(move || {
            if let Some(workspace) = prepared.get()
                && let Err(error) = workspace.update_invocation(&InvocationId::root(), status, &now)
            {
                tracing::warn!(%error, "the record of the invocation could not be written");
            }
            Ok(())
        });
        // The closure above never fails.
        let _ = noted.await;
    }
}

fn workspace_setup(frame: &RunFrame, now: &str) -> Result<WorkspaceSetup, serde_json::Error> {
    let (profile, roots) = (&frame.profile, frame.profile.workspace());
    let artifact = |artifact: &ResolvedArtifact| workspace::Artifact {
        id: artifact.id.clone(),
        path: artifact.path.clone(),
        kind: artifact.kind.clone(),
        target: workspace::ArtifactTarget::MessageBody,
        required: artifact.required,
        assembly_order: artifact.assembly_order,
    };
    Ok(WorkspaceSetup {
        manifest: ManifestData {
            stable_chat_id: frame.stable_chat_id.clone(),
            chat_ref: frame.chat_ref.clone(),
            created_at: now.to_owned(),
            visible: roots.visible_roots.clone(),
            writable: roots.writable_roots.clone(),
            artifacts: profile.output().artifacts.iter().map(artifact).collect(),
        },
        persist_base_state_id: frame.persist_base_state_id.clone(),
        prompt_snapshot: frame.prompt_snapshot.clone(),
        resolved_profile: serde_json::to_value(profile)?,
    })
}

fn root_invocation(frame: &RunFrame, now: &str) -> InvocationRecord {
    InvocationRecord {
        id: InvocationId::root(),
        run_id: frame.run_id.clone(),
        parent_invocation_id: None,
        profile_id: frame.profile_id.clone(),
        kind: InvocationKind::Root,
        status: InvocationStatus::Running,
        exit_policy: ExitPolicy::RunFinishAllowed,
        created_at: now.to_owned(),
        updated_at: now.to_owned(),
    }
}
