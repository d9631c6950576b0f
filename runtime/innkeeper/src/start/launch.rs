//! A run whose start was checked gets its folder, its journal and its executor.
//!
//! The folder and the lock come first; the executor writes the first event.

use std::path::Path;
use std::sync::Arc;

use innkeeper_agent::live::{LiveProjection, LiveSource};
use innkeeper_agent::{OfferedTool, Run, RunSetup};
use innkeeper_protocol::id::InvocationId;
use innkeeper_protocol::port::{ChatHost, WorkspaceFiles};
use innkeeper_store::approvals::Approvals;
use innkeeper_store::journal::{Durability, Journal};
use innkeeper_store::runs::RunsRoot;
use innkeeper_store::tree::Tree;
use tokio::sync::mpsc::unbounded_channel;
use tracing::Instrument as _;

use super::StartRun;
use super::input::{Input, Owner};
use crate::builder::Innkeeper;
use crate::cancel::CancelSwitch;
use crate::control::{ActiveRun, ActiveRuns, ApprovalDesk, Mailbox, Served, WayIn};
use crate::error::HostError;
use crate::executor::{Ended, Executor, Work};
use crate::handle::RunHandle;
use crate::inputs::{Sources, invocation};
use crate::ports::{FileHost, FileHostSetup, RunFiles};
use crate::recorder::{EventStamps, Recorder};
use crate::recovery::close_after;
use crate::setup::RunFrame;

impl Innkeeper {
    pub(super) fn launch(
        &self,
        data_root: &Path,
        setup: RunSetup,
        frame: RunFrame,
        sources: Sources,
        input: &Input,
        start: &StartRun,
    ) -> Result<RunHandle, HostError> {
        let root = RunsRoot::new(data_root);
        let folder = root.create_run(&frame.workspace_id, &frame.run_id)?;
        let journal = Journal::create(folder.journal().clone(), Durability::Durable)?;
        let tree = Arc::new(Tree::open(folder.path())?);
        let files: Arc<dyn WorkspaceFiles> = Arc::new(RunFiles::new(tree.clone()));
        let host = self.chat_host(data_root, &setup, input);
        let (listener, events) = unbounded_channel();
        let run_folder = folder.path().to_path_buf();
        let active = Arc::new(ActiveRun {
            run_id: frame.run_id.clone(),
            workspace_id: frame.workspace_id.clone(),
            stable_chat_id: frame.stable_chat_id.clone(),
            generation_type: frame.generation_type,
            cancel: CancelSwitch::new(),
            mailbox: Mailbox::default(),
            desk: Arc::new(ApprovalDesk::default()),
            live: LiveProjection::new(),
            recorder: Arc::new(Recorder::new(root, folder, journal, tree, self.stamps(), listener)),
        });
        let (catalogue, network) = (sources.catalogue.clone(), sources.network.clone());
        let executor = Executor {
            invocation: Arc::new(invocation(&frame.profile, setup.presentation, files, sources)),
            active: active.clone(),
            sandbox: self.sandbox.clone(),
            catalogue,
            model: start.model.clone(),
            host,
            clock: self.clock.clone(),
            network,
            approvals: start.approvals,
            standing: Arc::new(Approvals::new(data_root)),
            live: start
                .stream
                .unwrap_or(frame.profile.run().stream)
                .then(|| active.live.invocation(live_source(&setup))),
            limits: frame.profile.call_limits(&self.limits),
            seed: start.seed.unwrap_or_else(|| self.entropy.seed()),
            work: Work::default(),
            frame,
            run: Run::new(setup),
        };
        let handle = |task| RunHandle {
            live: active.live.subscribe(),
            run_id: active.run_id.clone(),
            workspace_id: active.workspace_id.clone(),
            chat: input.file(),
            folder: run_folder,
            cancel: active.cancel.clone(),
            events,
            task,
        };
        let entered = self.active.enter(active.clone());
        let span = tracing::info_span!("run", run = %active.run_id, workspace = %active.workspace_id);
        let invocation = tracing::info_span!(parent: &span, "invocation", invocation = %InvocationId::root());
        let way_in = WayIn::open(&active.recorder.folder);
        let (runs, stamps, run) = (self.active.clone(), self.stamps(), active.clone());
        let data_root = data_root.to_path_buf();
        let drive = async move {
            let ended = drive(executor, way_in, &runs, &run, &stamps).await;
            drop(entered);
            close_after(&ended, run, data_root, stamps).await;
            ended
        };
        Ok(handle(tokio::spawn(drive.instrument(invocation).instrument(span))))
    }

    /// Whoever writes into the chat.
    fn chat_host(&self, data_root: &Path, setup: &RunSetup, input: &Input) -> Arc<dyn ChatHost> {
        match &input.owner {
            Owner::Application(_) => self.bridge.clone(),
            Owner::File { path, speaker } => Arc::new(FileHost::new(FileHostSetup {
                path: path.clone(),
                lock_folder: data_root.join("locks"),
                start: input.frozen.boundary.clone(),
                speaker: speaker.clone(),
                api: Some(setup.model.source.clone()),
                model: Some(setup.model.model.clone()),
                clock: self.clock.clone(),
                entropy: self.entropy.clone(),
            })),
        }
    }
}

/// Drives a run to its end, and lets other processes in meanwhile.
async fn drive(
    executor: Executor,
    way_in: Option<WayIn>,
    runs: &ActiveRuns,
    run: &ActiveRun,
    stamps: &EventStamps,
) -> Ended {
    let Some(way_in) = way_in else {
        return executor.drive().await;
    };
    let driven = async {
        let ended = executor.drive().await;
        way_in.close().await;
        ended
    };
    tokio::select! {
        ended = driven => ended,
        // Never over before the run is.
        never = way_in.serve(runs, Served::Active(run), stamps) => match never {},
    }
}

/// The root invocation, as those see it who watch it write.
fn live_source(setup: &RunSetup) -> LiveSource {
    let tool = |tool: &OfferedTool| (tool.offer.alias.clone(), tool.id.clone());
    LiveSource {
        invocation_id: InvocationId::root(),
        exit_policy: "run_finish_allowed".to_owned(),
        tools: setup.tools.iter().map(tool).collect(),
    }
}
