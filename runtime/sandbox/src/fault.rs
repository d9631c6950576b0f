//! How a call can break down: a limit, a trap, a reach for something it was not given, or a fault of the host.
//!
//! A failure that a guest *returns* is no fault; it is an answer.

use innkeeper_protocol::limits::LimitKind;
use innkeeper_protocol::run::RunError;

/// What a host function raises to stop the guest at once. It passes through the guest's stack as a trap and comes out as a [`Fault`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HostStop {
    /// A limit that the host counts.
    #[error("limit reached: {0:?}")]
    Limit(LimitKind),
    /// The called tool does not list this interface in its `uses`.
    #[error("the tool reached for {interface}, which it does not use")]
    CapabilityDenied {
        /// The interface, as `innkeeper:workspace/writer`.
        interface: &'static str,
    },
    /// The guest broke the contract of a host function.
    #[error("{0}")]
    Misuse(&'static str),
    /// A fault of the host itself, which ends the run.
    #[error(transparent)]
    Host(#[from] RunError),
}

/// Why a call brought no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A limit was reached.
    #[error("limit reached: {0:?}")]
    Limit(LimitKind),
    /// The guest trapped.
    #[error("the component trapped: {0}")]
    Trap(String),
    /// The called tool does not list this interface in its `uses`.
    #[error("the tool reached for {interface}, which it does not use")]
    CapabilityDenied {
        /// The interface, as `innkeeper:workspace/writer`.
        interface: &'static str,
    },
    /// A fault of the host, which ends the run.
    #[error(transparent)]
    Host(#[from] RunError),
}

impl Fault {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Limit(kind) => kind.code(),
            Self::Trap(_) => "tool.trap",
            Self::CapabilityDenied { .. } => "tool.capability_denied",
            Self::Host(error) => error.code,
        }
    }
}

impl From<HostStop> for Fault {
    fn from(stop: HostStop) -> Self {
        match stop {
            HostStop::Limit(kind) => Self::Limit(kind),
            HostStop::CapabilityDenied { interface } => Self::CapabilityDenied { interface },
            HostStop::Misuse(what) => Self::Trap(what.to_owned()),
            HostStop::Host(error) => Self::Host(error),
        }
    }
}
