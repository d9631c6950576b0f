//! The state that a call's store carries, and the gate that every host function passes first.
//!
//! The gate arms and counts; what a function does behind it is its own file's business.

use std::sync::Arc;

use innkeeper_protocol::call::RecordedDraw;
use innkeeper_protocol::port::Randomness;
use innkeeper_protocol::run::RunError;
use innkeeper_sandbox::{CallState, HostStop, Meter};

use crate::interface::Interface;
use crate::invocation::Invocation;
use crate::staging::{StagedChanges, Staging};

/// A line that a tool logged, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// `debug`, `info`, `warn` or `error`.
    pub level: &'static str,
    /// At most 4 KiB.
    pub message: String,
}

/// The capabilities' state of one call.
pub struct CallHost {
    armed: Vec<Interface>,
    pub(crate) invocation: Option<Arc<Invocation>>,
    pub(crate) randomness: Option<Box<dyn Randomness>>,
    pub(crate) staging: Staging,
    pub(crate) draws: Vec<RecordedDraw>,
    pub(crate) log: Vec<LogLine>,
    pub(crate) log_bytes: u64,
    pub(crate) log_dropped: u64,
}

/// What a call leaves behind.
pub struct CallLeftovers {
    /// Its plan.
    pub staged: StagedChanges,
    /// Random numbers that it drew.
    pub draws: Vec<RecordedDraw>,
    /// What it logged.
    pub log: Vec<LogLine>,
    /// Lines beyond the log's limits.
    pub log_dropped: u64,
}

impl CallHost {
    /// Nothing armed: for asking a component for its specs.
    #[must_use]
    pub fn unarmed() -> Self {
        Self {
            armed: vec![Interface::Log],
            invocation: None,
            randomness: None,
            staging: Staging::default(),
            draws: Vec::new(),
            log: Vec::new(),
            log_bytes: 0,
            log_dropped: 0,
        }
    }

    /// Armed with what the called tool uses.
    #[must_use]
    pub fn armed(uses: &[Interface], invocation: Arc<Invocation>, randomness: Box<dyn Randomness>) -> Self {
        let mut host = Self::unarmed();
        host.armed.extend_from_slice(uses);
        host.invocation = Some(invocation);
        host.randomness = Some(randomness);
        host
    }

    /// Takes the call's plan and records out.
    #[must_use]
    pub fn into_leftovers(self) -> CallLeftovers {
        CallLeftovers {
            staged: self.staging.finish(),
            draws: self.draws,
            log: self.log,
            log_dropped: self.log_dropped,
        }
    }
}

/// What a host function works on.
pub(crate) struct View<'a> {
    pub(crate) host: &'a mut CallHost,
    pub(crate) meter: &'a mut Meter,
}

impl View<'_> {
    /// The first line of every host function: counts the call with the bytes that came, and refuses what the tool does not use.
    pub(crate) fn enter(&mut self, interface: Interface, bytes: usize) -> Result<(), HostStop> {
        self.meter.host_call(bytes)?;
        if self.host.armed.contains(&interface) {
            Ok(())
        } else {
            Err(HostStop::CapabilityDenied {
                interface: interface.name(),
            })
        }
    }

    /// The same for functions that need the invocation.
    pub(crate) fn enter_invocation(&mut self, interface: Interface, bytes: usize) -> Result<Arc<Invocation>, HostStop> {
        self.enter(interface, bytes)?;
        self.host.invocation.clone().ok_or(HostStop::CapabilityDenied {
            interface: interface.name(),
        })
    }
}

/// The view of a call's state; how generated code reaches the functions.
pub(crate) fn view(state: &mut CallState<CallHost>) -> View<'_> {
    View {
        host: &mut state.host,
        meter: &mut state.meter,
    }
}

/// A fault of the host, on its way out through the guest.
pub(crate) fn host_fault(error: RunError) -> wasmtime::Error {
    HostStop::Host(error).into()
}

/// The marker by which generated code finds the view.
pub(crate) struct HasView;

impl wasmtime::component::HasData for HasView {
    type Data<'a> = View<'a>;
}
