//! `innkeeper:http`: requests to granted hosts.
//!
//! Everything is decided here: which hosts, which addresses, which headers, what a redirect may do, which credential goes along, what the
//! guest sees of the answer. The port only sends. A request that may have changed something outside and whose answer is not known ends the
//! call at once, and the run: nobody can say what happened, so nothing is tried again.

mod address;
mod answer;
mod exchange;
mod host;
mod outgoing;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use innkeeper_protocol::network::{HttpClient, RequestLog, Secrets};
use innkeeper_sandbox::{HostStop, Meter};
use tokio::time::Instant;

use crate::bindings::innkeeper::http::fetch;
use crate::grant::Grants;
use crate::host::{View, host_fault};
use crate::interface::Interface;
use exchange::{Exchange, Stop};
use outgoing::Outgoing;

pub use exchange::outcome_unknown;
pub use host::{HostName, HostPattern};

/// How the tools of a host reach the network.
#[derive(Clone)]
pub struct Network {
    /// Sends requests.
    pub client: Arc<dyn HttpClient>,
    /// Keeps credentials.
    pub secrets: Arc<dyn Secrets>,
    /// Learns of a request that may change something before it is sent; none where no journal is kept.
    pub log: Option<Arc<dyn RequestLog>>,
    /// Hosts that no request goes to, whatever was granted.
    pub denied: Arc<[HostName]>,
}

/// What one call may do with the network.
#[derive(Clone)]
pub struct NetworkAccess {
    /// How it gets there.
    pub network: Network,
    /// Whose tool it is; credentials are kept for each.
    pub owner: String,
    /// Where it may go.
    pub grants: Arc<Grants>,
    /// Whether the tool says that it changes nothing, and is held to it.
    pub reads_only: bool,
}

/// What is left to the guest of its call's time when a request has used up all the rest: a tenth, and at most this.
const MARGIN: Duration = Duration::from_millis(200);

/// Until when an answer is waited for.
fn answer_by(meter: &Meter) -> Instant {
    let margin = MARGIN.min(meter.limits().wall / 10);
    meter.deadline().checked_sub(margin).unwrap_or(meter.deadline())
}

impl fetch::Host for View<'_> {
    async fn send(&mut self, request: fetch::Request) -> wasmtime::Result<Result<fetch::Response, fetch::FetchError>> {
        self.enter(Interface::HttpFetch, outgoing::bytes(&request))?;
        let access = self.host.network.clone().ok_or(HostStop::CapabilityDenied {
            interface: Interface::HttpFetch.name(),
        })?;
        let outgoing = match Outgoing::check(request) {
            Ok(outgoing) => outgoing,
            Err(error) => return Ok(Err(error)),
        };
        let exchange = Exchange {
            access: &access,
            deadline: answer_by(self.meter),
            requests: &mut self.host.told.requests,
            reached_out: &mut self.host.reached_out,
        };
        match exchange.run(outgoing).await {
            Ok(response) => Ok(Ok(response)),
            Err(Stop::Refused(error)) => Ok(Err(error)),
            Err(Stop::Fault(error)) => Err(host_fault(error)),
        }
    }
}
