//! `innkeeper:clock`: the time, as the host's port gives it, recorded. In whole milliseconds, and no finer clock beside it.

use innkeeper_sandbox::HostStop;

use crate::bindings::innkeeper::clock::clock;
use crate::host::View;
use crate::interface::Interface;

impl clock::Host for View<'_> {
    async fn now_ms(&mut self) -> wasmtime::Result<u64> {
        self.enter(Interface::Clock, 0)?;
        let denied = HostStop::CapabilityDenied {
            interface: Interface::Clock.name(),
        };
        Ok(self.tell_time().ok_or(denied)?)
    }
}

impl View<'_> {
    /// Milliseconds since 1970, for a tool that uses the clock.
    pub(crate) fn tell_time(&mut self) -> Option<u64> {
        let is_armed = self.host.armed.contains(&Interface::Clock);
        let now = self.host.clock.as_ref().filter(|_| is_armed)?.wall_ms();
        self.host.told.times.push(now);
        Some(now)
    }
}
