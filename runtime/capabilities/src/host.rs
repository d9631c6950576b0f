//! The state that a call's store carries, and the gate that every host function passes first.
//!
//! The gate arms and counts; what a function does behind it is its own file's business.

use std::sync::{Arc, Mutex};

use innkeeper_protocol::call::Told;
use innkeeper_protocol::port::{Clock, Randomness};
use innkeeper_protocol::run::RunError;
use innkeeper_sandbox::{CallState, HostStop, Meter};

use crate::http::NetworkAccess;
use crate::interface::Interface;
use crate::invocation::Invocation;
use crate::log::{LogLine, SharedLog};
use crate::staging::{StagedChanges, Staging};
use crate::wasi::Wasi;

/// The capabilities' state of one call.
pub struct CallHost {
    pub(crate) armed: Vec<Interface>,
    pub(crate) invocation: Option<Arc<Invocation>>,
    pub(crate) randomness: Option<Box<dyn Randomness>>,
    pub(crate) clock: Option<Arc<dyn Clock>>,
    pub(crate) network: Option<NetworkAccess>,
    pub(crate) staging: Staging,
    pub(crate) told: Told,
    /// Whether something outside may have changed.
    pub(crate) reached_out: bool,
    pub(crate) log: SharedLog,
    /// In a mutex for its type's sake: nobody ever waits for it.
    pub(crate) wasi: Option<Box<Mutex<Wasi>>>,
}

/// What the capabilities of one call draw on.
pub struct Supplies {
    /// Where its random numbers come from.
    pub randomness: Box<dyn Randomness>,
    /// Where it learns the time.
    pub clock: Arc<dyn Clock>,
    /// What it may do with the network; nothing where none is given.
    pub network: Option<NetworkAccess>,
}

/// What a call leaves behind.
pub struct CallLeftovers {
    /// Its plan.
    pub staged: StagedChanges,
    /// What the host told it.
    pub told: Told,
    /// Whether it had a request sent that may have changed something outside.
    pub reached_out: bool,
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
            clock: None,
            network: None,
            staging: Staging::default(),
            told: Told::default(),
            reached_out: false,
            log: SharedLog::default(),
            wasi: None,
        }
    }

    /// Armed with what the called tool uses.
    #[must_use]
    pub fn armed(uses: &[Interface], invocation: Arc<Invocation>, supplies: Supplies) -> Self {
        let mut host = Self::unarmed();
        host.armed.extend_from_slice(uses);
        host.invocation = Some(invocation);
        host.randomness = Some(supplies.randomness);
        host.clock = Some(supplies.clock);
        host.network = supplies.network;
        host
    }

    /// Takes the call's plan and records out.
    #[must_use]
    pub fn into_leftovers(self) -> CallLeftovers {
        // Lines that were never ended come into the log here.
        drop(self.wasi);
        let log = std::mem::take(&mut *self.log.lock());
        CallLeftovers {
            staged: self.staging.finish(),
            told: self.told,
            reached_out: self.reached_out,
            log: log.lines,
            log_dropped: log.dropped,
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
