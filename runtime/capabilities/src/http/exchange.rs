//! One request of a guest, with the redirects that it is sent along: every hop is checked, told and sent as if it were the first.

use std::net::{IpAddr, SocketAddr};

use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::network::{
    HttpAnswer, HttpFailure, HttpHeader, HttpMethod, HttpRequest, RecordedRequest, Secret, SentRequest,
};
use innkeeper_protocol::run::RunError;
use tokio::time::{Instant, timeout_at};
use url::{Host, Url};

use super::address::is_public;
use super::answer::shown;
use super::outgoing::{Outgoing, fit};
use super::{HostName, HostPattern, NetworkAccess};
use crate::bindings::innkeeper::http::fetch::{FetchError, Response};

/// Most redirects of one request: a server that needs more is going in circles.
const MAX_REDIRECTS: usize = 5;
/// Most requests of one call, redirects counted: enough to page through something, too few to crawl.
const MAX_REQUESTS: usize = 64;
/// Largest body of an answer, as the contract says.
const MAX_RESPONSE_BYTES: u64 = 4 * 1024 * 1024;
/// Why a guest gets no answer.
#[derive(Debug)]
pub(super) enum Stop {
    /// In a way that it is told.
    Refused(FetchError),
    /// The call is over, and the run with it.
    Fault(RunError),
}

impl From<FetchError> for Stop {
    fn from(error: FetchError) -> Self {
        Self::Refused(error)
    }
}

/// The error of a call that may have changed something outside, of which nobody knows.
#[must_use]
pub fn outcome_unknown(tool: Option<&str>, why: &str) -> RunError {
    let who = tool.map_or_else(|| "a tool".to_owned(), |tool| format!("the tool {tool}"));
    let message = format!("{who} had a request sent that may have changed something outside, and {why}");
    RunError::internal("tool.outcome_unknown", message)
        .with_hint("Look at the other side what came of it before you start again; nothing was sent twice.")
}

/// A request on its way.
pub(super) struct Exchange<'a> {
    pub(super) access: &'a NetworkAccess,
    /// Until when an answer is waited for.
    pub(super) deadline: Instant,
    pub(super) requests: &'a mut Vec<RecordedRequest>,
    /// Whether something outside may have changed by this call.
    pub(super) reached_out: &'a mut bool,
}

/// Where one hop goes.
struct Target {
    host: String,
    addresses: Vec<SocketAddr>,
}

/// The credential that a request asked for.
struct Credential {
    name: String,
    secret: Secret,
    /// Where it may go.
    origins: Vec<HostPattern>,
}

impl Exchange<'_> {
    /// Sends it, follows redirects, and gives what the guest may see.
    pub(super) async fn run(mut self, mut outgoing: Outgoing) -> Result<Response, Stop> {
        let credential = self.credential(&outgoing).await?;
        for _ in 0..=MAX_REDIRECTS {
            let answer = self.hop(&outgoing, credential.as_ref()).await?;
            let secrets: Vec<Secret> = credential.iter().map(|credential| credential.secret.clone()).collect();
            let Some(next) = redirect(&outgoing, &answer)? else {
                return Ok(shown(answer, &secrets)?);
            };
            if secrets.iter().any(|secret| next.as_str().contains(secret.core())) {
                return Err(denied(
                    "the server sent the request on to an address that holds the credential",
                ));
            }
            outgoing = sent_on(outgoing, answer.status, next);
        }
        Err(denied("the request was sent on more than 5 times"))
    }

    /// The credential, if it was granted, may go where the request goes, and is there.
    async fn credential(&self, outgoing: &Outgoing) -> Result<Option<Credential>, Stop> {
        let Some(name) = outgoing.credential.clone() else {
            return Ok(None);
        };
        let granted = self.access.grants.credentials.iter().filter(|grant| grant.name == name);
        let origins: Vec<HostPattern> = granted.map(|grant| grant.origin.clone()).collect();
        if !origins.iter().any(|origin| origin.covers(&outgoing.url)) {
            return Err(denied("that credential was not granted for this host"));
        }
        let (secrets, owner) = (&self.access.network.secrets, &self.access.owner);
        match secrets.secret(owner, &name).await {
            Some(secret) => Ok(Some(Credential { name, secret, origins })),
            None => Err(denied("that credential is not set on this machine, or cannot be used")),
        }
    }

    async fn hop(&mut self, outgoing: &Outgoing, credential: Option<&Credential>) -> Result<HttpAnswer, Stop> {
        if self.access.reads_only && !outgoing.method.is_safe() {
            return Err(denied(
                "the tool says that it changes nothing, so it may send GET and HEAD only",
            ));
        }
        if self.requests.len() >= MAX_REQUESTS {
            return Err(denied("the call has sent its 64 requests"));
        }
        let target = self.target(&outgoing.url).await?;
        if Instant::now() >= self.deadline {
            return Err(FetchError::TimedOut.into());
        }
        let credential = credential.filter(|credential| credential.origins.iter().any(|o| o.covers(&outgoing.url)));
        let sent = told(outgoing, credential);
        if let (false, Some(log)) = (outgoing.method.is_safe(), &self.access.network.log) {
            log.begins(&sent).await.map_err(Stop::Fault)?;
        }
        self.requests.push(RecordedRequest {
            sent,
            status: None,
            response_digest: None,
            response_bytes: None,
        });
        let answer = self.send(outgoing, request(outgoing, target, credential)).await?;
        if let Some(record) = self.requests.last_mut() {
            record.status = Some(answer.status);
            record.response_digest = Some(Sha256::of(&answer.body));
            record.response_bytes = Some(answer.body.len() as u64);
        }
        Ok(answer)
    }

    /// Sends one hop. From here on it may have an effect until something says that it has none.
    async fn send(&mut self, outgoing: &Outgoing, request: HttpRequest) -> Result<HttpAnswer, Stop> {
        let reached_out_before = *self.reached_out;
        *self.reached_out |= !outgoing.method.is_safe() && self.access.network.client.reaches_out();
        let exchange = self.access.network.client.exchange(request);
        let failure = match timeout_at(self.deadline, exchange).await {
            Ok(Ok(answer)) => return Ok(answer),
            Ok(Err(HttpFailure::NotSent(why))) => {
                *self.reached_out = reached_out_before;
                return Err(FetchError::Unreachable(why).into());
            }
            Ok(Err(HttpFailure::Broken(why))) => FetchError::Broken(why),
            Ok(Err(HttpFailure::TooLarge(bytes))) => FetchError::TooLarge(bytes),
            Err(_elapsed) => FetchError::TimedOut,
        };
        if outgoing.method.is_safe() {
            return Err(failure.into());
        }
        let why = match failure {
            FetchError::TimedOut => "no answer came in time",
            FetchError::TooLarge(_) => "its answer was longer than is read",
            _ => "its answer broke off",
        };
        Err(Stop::Fault(outcome_unknown(None, why)))
    }

    /// Where a request to this URL may connect to.
    async fn target(&self, url: &Url) -> Result<Target, Stop> {
        let network = &self.access.network;
        let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else {
            return Err(FetchError::Invalid("the URL has no host".to_owned()).into());
        };
        if network.denied.iter().any(|name| name.covers(&host)) {
            return Err(denied(&format!("requests to {host} are denied on this machine")));
        }
        let granted = self.access.grants.hosts.iter().filter(|hosts| hosts.covers(url));
        let names: Vec<&HostName> = granted.map(HostPattern::name).collect();
        if names.is_empty() {
            return Err(denied(&format!(
                "{} was not granted",
                url.origin().ascii_serialization()
            )));
        }
        let name = match host {
            // An address is covered by nothing but a grant of itself.
            Host::Ipv4(address) => return Ok(Target::address(address.into(), port)),
            Host::Ipv6(address) => return Ok(Target::address(address.into(), port)),
            Host::Domain(name) => name.to_owned(),
        };
        let is_local = names.iter().any(|name| name.is_localhost());
        let found = timeout_at(self.deadline, network.client.resolve(&name)).await;
        let addresses = match found {
            Err(_elapsed) => return Err(FetchError::TimedOut.into()),
            Ok(Err(why)) => return Err(FetchError::Unreachable(why.to_string()).into()),
            Ok(Ok(addresses)) => addresses,
        };
        let may_be = |address: &IpAddr| {
            if is_local {
                address.is_loopback()
            } else {
                is_public(*address)
            }
        };
        if let Some(address) = addresses.iter().find(|address| !may_be(address)) {
            return Err(denied(&format!(
                "{name} has the address {address}, which was not granted"
            )));
        }
        if addresses.is_empty() {
            return Err(FetchError::Unreachable("the host has no address".to_owned()).into());
        }
        Ok(Target {
            host: name,
            addresses: addresses
                .into_iter()
                .map(|address| SocketAddr::new(address, port))
                .collect(),
        })
    }
}

impl Target {
    fn address(address: IpAddr, port: u16) -> Self {
        Self {
            host: address.to_string(),
            addresses: vec![SocketAddr::new(address, port)],
        }
    }
}

fn denied(why: &str) -> Stop {
    Stop::Refused(FetchError::Denied(why.to_owned()))
}

/// What the journal may know.
fn told(outgoing: &Outgoing, credential: Option<&Credential>) -> SentRequest {
    let url = &outgoing.url;
    let path = url
        .query()
        .map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()));
    SentRequest {
        method: outgoing.method,
        origin: url.origin().ascii_serialization(),
        path_digest: Sha256::of(path.as_bytes()),
        body_digest: outgoing.body.as_ref().map(|body| Sha256::of(body)),
        body_bytes: outgoing.body.as_ref().map_or(0, |body| body.len() as u64),
        credential: credential.map(|credential| credential.name.clone()),
    }
}

fn request(outgoing: &Outgoing, target: Target, credential: Option<&Credential>) -> HttpRequest {
    let own = credential.map(|credential| credential.secret.header());
    let is_replaced = |header: &HttpHeader| own.as_ref().is_some_and(|own| own.name == header.name);
    let mut headers: Vec<HttpHeader> = outgoing
        .headers
        .iter()
        .filter(|header| !is_replaced(header))
        .cloned()
        .collect();
    headers.extend(own);
    HttpRequest {
        method: outgoing.method,
        url: outgoing.url.to_string(),
        host: target.host,
        addresses: target.addresses,
        headers,
        body: outgoing.body.clone(),
        max_response_bytes: MAX_RESPONSE_BYTES,
    }
}

/// Where an answer sends the request on to; nothing for an answer that is one.
fn redirect(outgoing: &Outgoing, answer: &HttpAnswer) -> Result<Option<Url>, Stop> {
    if !matches!(answer.status, 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let Some((_, location)) = answer.headers.iter().find(|(name, _)| name == "location") else {
        return Ok(None);
    };
    let next = outgoing
        .url
        .join(location)
        .map_err(|_| denied("the server sent the request on to what is no URL"))?;
    match fit(next) {
        Ok(next) => Ok(Some(next)),
        Err(_) => Err(denied("the server sent the request on to a URL that cannot be used")),
    }
}

/// The request as it goes on (RFC 9110, 15.4): after 303, and for POST after 301 and 302 as everybody does, it becomes a GET without a body.
/// What proves who is asking stays with the origin that it was given for; a credential of the host is looked at again for each hop.
fn sent_on(outgoing: Outgoing, status: u16, next: Url) -> Outgoing {
    let becomes_get = match status {
        303 => !outgoing.method.is_safe(),
        301 | 302 => outgoing.method == HttpMethod::Post,
        _ => false,
    };
    let (method, body) = match becomes_get {
        true => (HttpMethod::Get, None),
        false => (outgoing.method, outgoing.body),
    };
    let stays = outgoing.url.origin() == next.origin();
    let goes_along = |header: &HttpHeader| {
        (stays || header.name != "authorization") && !(becomes_get && header.name.starts_with("content-"))
    };
    Outgoing {
        method,
        url: next,
        headers: outgoing.headers.into_iter().filter(goes_along).collect(),
        body,
        credential: outgoing.credential,
    }
}
