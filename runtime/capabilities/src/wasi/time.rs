//! `wasi:clocks`: a clock that stands still, at the beginning of 1970, unless the tool uses `innkeeper:clock`.
//!
//! Waiting takes its time either way, and the call's deadline goes on.

use std::time::Duration;

use wasmtime::component::Resource;
use wasmtime_wasi::clocks::WasiClocksView as _;
use wasmtime_wasi::p2::DynPollable;
use wasmtime_wasi::p2::bindings::clocks::{monotonic_clock, wall_clock};

use crate::host::View;

/// What a reading is worth: the contract's own clock counts milliseconds.
const RESOLUTION: Duration = Duration::from_millis(1);

impl wall_clock::Host for View<'_> {
    fn now(&mut self) -> wasmtime::Result<wall_clock::Datetime> {
        Ok(datetime(self.reading()?))
    }

    fn resolution(&mut self) -> wasmtime::Result<wall_clock::Datetime> {
        self.meter.host_call(0)?;
        Ok(datetime(RESOLUTION))
    }
}

impl monotonic_clock::Host for View<'_> {
    fn now(&mut self) -> wasmtime::Result<u64> {
        Ok(nanos(self.steady_reading()?))
    }

    fn resolution(&mut self) -> wasmtime::Result<u64> {
        self.meter.host_call(0)?;
        Ok(nanos(RESOLUTION))
    }

    fn subscribe_instant(&mut self, when: u64) -> wasmtime::Result<Resource<DynPollable>> {
        let wait = when.saturating_sub(nanos(self.steady_reading()?));
        self.wasi().clocks().subscribe_duration(wait)
    }

    fn subscribe_duration(&mut self, wait: u64) -> wasmtime::Result<Resource<DynPollable>> {
        self.meter.host_call(0)?;
        self.wasi().clocks().subscribe_duration(wait)
    }
}

fn datetime(since_1970: Duration) -> wall_clock::Datetime {
    wall_clock::Datetime {
        seconds: since_1970.as_secs(),
        nanoseconds: since_1970.subsec_nanos(),
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

impl View<'_> {
    /// The time since 1970.
    fn reading(&mut self) -> wasmtime::Result<Duration> {
        self.meter.host_call(0)?;
        Ok(Duration::from_millis(self.tell_time().unwrap_or_default()))
    }

    /// The same, and never before the reading before.
    fn steady_reading(&mut self) -> wasmtime::Result<Duration> {
        let reading = self.reading()?;
        Ok(later(&mut self.wasi().latest, reading))
    }
}

/// The reading of a clock that cannot be set back, over one that can.
fn later(latest: &mut Duration, reading: Duration) -> Duration {
    *latest = reading.max(*latest);
    *latest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_set_back_stands_until_it_has_caught_up() {
        let mut latest = Duration::ZERO;
        let told = [5, 9, 3, 8, 10].map(|ms| later(&mut latest, Duration::from_millis(ms)).as_millis());
        assert_eq!(told, [5, 9, 9, 9, 10]);
    }
}
