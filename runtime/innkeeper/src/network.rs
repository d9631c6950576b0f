//! The network as the tools of this host have it: who sends, who keeps credentials, what is denied; and its stand-ins on a bench.
//!
//! Which hosts an extension was granted is kept with the extension; what a request may be is decided in `innkeeper-capabilities`.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use async_trait::async_trait;
use innkeeper_capabilities::{HostName, Network};
use innkeeper_gateway::egress::Egress;
use innkeeper_protocol::event::{RunEvent, SentRequestPayload};
use innkeeper_protocol::id::{CallId, InvocationId, ToolId};
use innkeeper_protocol::network::{
    HttpAnswer, HttpClient, HttpFailure, HttpMethod, HttpRequest, RequestLog, Secret, Secrets, SentRequest,
};
use innkeeper_protocol::port::Clock;
use innkeeper_protocol::run::RunError;

use crate::recorder::Recorder;

/// An address that stands for every host where nothing is ever sent: one that a tool may reach.
const ANYWHERE: IpAddr = IpAddr::V4(Ipv4Addr::new(1, 1, 1, 1));

/// How this host's tools reach the network.
#[derive(Clone)]
pub(crate) struct NetworkPorts {
    pub(crate) client: Arc<dyn HttpClient>,
    pub(crate) secrets: Arc<dyn Secrets>,
    pub(crate) denied: Vec<HostName>,
}

impl Default for NetworkPorts {
    fn default() -> Self {
        Self {
            client: Arc::new(Egress::default()),
            secrets: Arc::new(NoSecrets),
            denied: Vec::new(),
        }
    }
}

impl NetworkPorts {
    /// The same without these hosts.
    pub(crate) fn without(&self, denied: impl IntoIterator<Item = HostName>) -> Self {
        let mut ports = self.clone();
        ports.denied.extend(denied);
        ports
    }

    /// The network of one call. `log` learns of what may change something.
    pub(crate) fn network(&self, log: Option<Arc<dyn RequestLog>>) -> Network {
        Network {
            client: self.client.clone(),
            secrets: self.secrets.clone(),
            log,
            denied: self.denied.clone().into(),
        }
    }
}

/// Keeps nothing.
struct NoSecrets;

#[async_trait]
impl Secrets for NoSecrets {
    async fn secret(&self, _owner: &str, _name: &str) -> Option<Secret> {
        None
    }
}

/// Writes into a run's journal what a call is about to have sent.
pub(crate) struct JournalledRequests {
    recorder: Arc<Recorder>,
    call_id: CallId,
    tool_id: ToolId,
    /// Held while an event is written; says whether there was one.
    any: Arc<tokio::sync::Mutex<bool>>,
}

impl JournalledRequests {
    pub(crate) fn new(recorder: Arc<Recorder>, call_id: CallId, tool_id: ToolId) -> Self {
        Self {
            recorder,
            call_id,
            tool_id,
            any: Arc::default(),
        }
    }

    /// Whether the journal tells of a request, once nothing is being written any more.
    pub(crate) async fn any(&self) -> bool {
        *self.any.lock().await
    }
}

#[async_trait]
impl RequestLog for JournalledRequests {
    async fn begins(&self, request: &SentRequest) -> Result<(), RunError> {
        let event = RunEvent::ToolCallRequestStarted(SentRequestPayload {
            invocation_id: InvocationId::root(),
            call_id: self.call_id.clone(),
            tool_id: self.tool_id.clone(),
            request: request.clone(),
        });
        let mut any = self.any.clone().lock_owned().await;
        let recorder = self.recorder.clone();
        // A call that is stopped meanwhile does not stop the writing: whoever ends the call waits for it.
        let written = tokio::spawn(async move {
            let written = recorder.append(event).await;
            *any |= written.is_ok();
            written
        });
        let written = written
            .await
            .map_err(|e| RunError::internal("agent.internal_error", e.to_string()))?;
        written.map(drop)
    }
}

/// How the tools on a bench reach the network.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum BenchNetwork {
    /// Not at all: no request gets anywhere.
    #[default]
    Unreachable,
    /// As in a run.
    Real,
    /// These answers, each as often as it is asked for; every other request gets nowhere.
    Canned(Vec<CannedAnswer>),
}

/// What comes back for one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CannedAnswer {
    /// The method.
    pub method: HttpMethod,
    /// The URL as it is sent, without a fragment.
    pub url: String,
    /// The status.
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl BenchNetwork {
    /// The ports of a bench, made of those of its host.
    pub(crate) fn ports(self, host: &NetworkPorts) -> NetworkPorts {
        let answers = match self {
            Self::Real => return host.clone(),
            Self::Canned(answers) => answers,
            Self::Unreachable => Vec::new(),
        };
        NetworkPorts {
            client: Arc::new(Canned(answers)),
            secrets: Arc::new(StandInSecrets),
            denied: Vec::new(),
        }
    }
}

/// Sends nothing.
struct Canned(Vec<CannedAnswer>);

#[async_trait]
impl HttpClient for Canned {
    async fn resolve(&self, _host: &str) -> Result<Vec<IpAddr>, HttpFailure> {
        Ok(vec![ANYWHERE])
    }

    async fn exchange(&self, request: HttpRequest) -> Result<HttpAnswer, HttpFailure> {
        let is_meant = |canned: &&CannedAnswer| canned.method == request.method && canned.url == request.url;
        let Some(canned) = self.0.iter().find(is_meant) else {
            return Err(HttpFailure::NotSent(
                "there is no network here, and no answer for this request".to_owned(),
            ));
        };
        if canned.body.len() as u64 > request.max_response_bytes {
            return Err(HttpFailure::TooLarge(request.max_response_bytes));
        }
        Ok(HttpAnswer {
            status: canned.status,
            headers: canned.headers.clone(),
            body: canned.body.clone(),
        })
    }

    fn reaches_out(&self) -> bool {
        false
    }
}

/// Has every credential, and none that is worth anything.
struct StandInSecrets;

#[async_trait]
impl Secrets for StandInSecrets {
    async fn secret(&self, _owner: &str, _name: &str) -> Option<Secret> {
        Secret::parse("stand-in-for-a-credential")
    }
}

/// A clock whose hands stand still, for tools that are tried.
pub(crate) struct FrozenClock(pub(crate) u64);

impl Clock for FrozenClock {
    fn wall_ms(&self) -> u64 {
        self.0
    }

    fn monotonic_micros(&self) -> u64 {
        0
    }
}
