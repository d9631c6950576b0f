//! Counts what one call uses: memory, tables, calls into the host and bytes that the guest hands over.
//!
//! Time is not counted here; the call's deadline is kept around the whole call.

use std::time::Duration;

use innkeeper_protocol::limits::{LimitKind, Limits};
use tokio::time::Instant;
use wasmtime::ResourceLimiter;

use crate::fault::HostStop;

/// Core instances of one component; what JavaScript and Python toolchains need, and some room.
pub(crate) const MAX_INSTANCES: u32 = 64;
/// Linear memories of one component.
pub(crate) const MAX_MEMORIES: u32 = 8;
/// Tables of one component.
pub(crate) const MAX_TABLES: u32 = 64;

/// What a store carries during one call: the host's side of the capabilities, and the meter.
pub struct CallState<T> {
    /// The capabilities' state.
    pub host: T,
    /// The counts.
    pub meter: Meter,
}

/// The counts of one call against its limits.
#[derive(Debug)]
pub struct Meter {
    limits: Limits,
    deadline: Instant,
    memory_now: u64,
    memory_peak: u64,
    table_elements: u64,
    refused: Option<LimitKind>,
    host_calls: u64,
    host_bytes: u64,
    overrun: Option<LimitKind>,
}

/// The end of a call whose time no clock can count to: some thirty years.
const FAR: Duration = Duration::from_secs(1_000_000_000);

impl Meter {
    /// Nothing used yet.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        let now = Instant::now();
        Self {
            deadline: now.checked_add(limits.wall).unwrap_or(now + FAR),
            limits,
            memory_now: 0,
            memory_peak: 0,
            table_elements: 0,
            refused: None,
            host_calls: 0,
            host_bytes: 0,
            overrun: None,
        }
    }

    /// The limits of this call.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// When the call's time is over. The deadline is kept around the whole call; this is for a host function that would rather stop before.
    #[must_use]
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Counts one call into the host, with the bytes that the guest handed over.
    ///
    /// # Errors
    /// [`HostStop::Limit`] when this call is one too many.
    pub fn host_call(&mut self, bytes: usize) -> Result<(), HostStop> {
        self.host_calls = self.host_calls.saturating_add(1);
        self.host_bytes = self.host_bytes.saturating_add(bytes as u64);
        if self.host_calls > self.limits.host_calls {
            return Err(HostStop::Limit(LimitKind::HostCalls));
        }
        if bytes > self.limits.host_bytes_per_call || self.host_bytes > self.limits.host_bytes {
            return Err(HostStop::Limit(LimitKind::HostData));
        }
        Ok(())
    }

    /// Counts a call whose host function is a library's and cannot be refused from here. One too many stops the guest at the next tick of
    /// the engine, or makes a fault of its answer.
    pub fn library_call(&mut self, bytes: usize) {
        if let Err(HostStop::Limit(kind)) = self.host_call(bytes) {
            self.overrun.get_or_insert(kind);
        }
    }

    /// The limit that [`library_call`](Self::library_call) found exceeded, if one was.
    pub(crate) fn overrun(&self) -> Option<LimitKind> {
        self.overrun
    }

    /// Calls into the host so far.
    #[must_use]
    pub fn host_calls(&self) -> u64 {
        self.host_calls
    }

    /// Most linear memory held at once, in bytes.
    #[must_use]
    pub fn memory_peak(&self) -> u64 {
        self.memory_peak
    }

    /// The limit that an allocation ran into, if one did. A guest whose `memory.grow` was refused usually traps a little later.
    #[must_use]
    pub fn refused(&self) -> Option<LimitKind> {
        self.refused
    }
}

impl ResourceLimiter for Meter {
    fn memory_growing(&mut self, current: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        let grown = self.memory_now.saturating_add(desired.saturating_sub(current) as u64);
        if grown > self.limits.memory_bytes {
            self.refused = Some(LimitKind::Memory);
            return Ok(false);
        }
        self.memory_now = grown;
        self.memory_peak = self.memory_peak.max(grown);
        Ok(true)
    }

    fn table_growing(&mut self, current: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        let grown = self
            .table_elements
            .saturating_add(desired.saturating_sub(current) as u64);
        if grown > self.limits.table_elements {
            self.refused = Some(LimitKind::Resource);
            return Ok(false);
        }
        self.table_elements = grown;
        Ok(true)
    }

    fn instances(&self) -> usize {
        MAX_INSTANCES as usize
    }

    fn memories(&self) -> usize {
        MAX_MEMORIES as usize
    }

    fn tables(&self) -> usize {
        MAX_TABLES as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meter() -> Meter {
        Meter::new(Limits {
            host_calls: 2,
            host_bytes_per_call: 10,
            host_bytes: 15,
            memory_bytes: 100,
            ..Limits::default()
        })
    }

    #[test]
    fn host_calls_and_bytes_are_counted_together() {
        let mut meter = meter();
        assert_eq!(meter.host_call(10), Ok(()));
        assert_eq!(meter.host_call(6), Err(HostStop::Limit(LimitKind::HostData)));
        assert_eq!(meter.host_call(0), Err(HostStop::Limit(LimitKind::HostCalls)));
    }

    #[test]
    fn a_call_whose_time_no_clock_can_count_to_is_not_over_when_it_begins() {
        let wall = Duration::MAX;
        let meter = Meter::new(Limits {
            wall,
            ..Limits::default()
        });
        assert!(meter.deadline().duration_since(Instant::now()) > Duration::from_secs(3600));
    }

    #[test]
    fn a_librarys_call_too_many_is_remembered_with_its_first_reason() {
        let mut meter = meter();
        meter.library_call(10);
        assert_eq!(meter.overrun(), None);
        meter.library_call(6);
        meter.library_call(0);
        assert_eq!((meter.overrun(), meter.host_calls()), (Some(LimitKind::HostData), 3));
    }

    #[test]
    fn memories_are_summed() {
        let mut meter = meter();
        assert!(meter.memory_growing(0, 60, None).unwrap());
        assert!(!meter.memory_growing(0, 60, None).unwrap());
        assert_eq!(meter.refused(), Some(LimitKind::Memory));
        assert!(meter.memory_growing(60, 100, None).unwrap());
        assert_eq!(meter.memory_peak(), 100);
    }
}
