//! `innkeeper:random`: numbers that the host draws and records.

use innkeeper_protocol::call::RecordedDraw;
use innkeeper_sandbox::HostStop;

use crate::bindings::innkeeper::random::random;
use crate::host::View;
use crate::interface::Interface;

impl random::Host for View<'_> {
    async fn below(&mut self, bound: u64) -> wasmtime::Result<u64> {
        self.enter(Interface::Random, 0)?;
        if bound == 0 {
            return Err(HostStop::Misuse("random.below was called with the bound 0").into());
        }
        let denied = HostStop::CapabilityDenied {
            interface: Interface::Random.name(),
        };
        let value = self.host.randomness.as_mut().ok_or(denied)?.below(bound);
        self.host.told.draws.push(RecordedDraw { bound, value });
        Ok(value)
    }
}
