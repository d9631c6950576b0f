//! Requests from a guest's call to the port and back: where they may go, what goes along, and what is known when it goes wrong.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use innkeeper_protocol::network::{
    HttpAnswer, HttpClient, HttpFailure, HttpRequest, RecordedRequest, RequestLog, Secret, Secrets, SentRequest,
};
use innkeeper_protocol::run::RunError;

use super::exchange::{Exchange, Stop};
use super::*;
use crate::bindings::innkeeper::http::fetch::{FetchError, Request, Response};
use crate::grant::Grant;

/// A key that must never be seen.
const KEY: &str = "sk-canary-12345";

/// A network that does as it is told and remembers what it was asked for.
#[derive(Default)]
struct Web {
    /// Addresses by name, one answer after the other; the last one stays.
    names: Mutex<HashMap<String, VecDeque<Vec<IpAddr>>>>,
    answers: Mutex<VecDeque<Result<HttpAnswer, HttpFailure>>>,
    sent: Mutex<Vec<HttpRequest>>,
    /// Whether an answer never comes.
    hangs: bool,
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[async_trait]
impl HttpClient for Web {
    async fn resolve(&self, host: &str) -> Result<Vec<IpAddr>, HttpFailure> {
        let mut names = locked(&self.names);
        let Some(answers) = names.get_mut(host) else {
            return Ok(vec!["1.1.1.1".parse().unwrap()]);
        };
        let next = if answers.len() > 1 {
            answers.pop_front()
        } else {
            answers.front().cloned()
        };
        Ok(next.unwrap())
    }

    async fn exchange(&self, request: HttpRequest) -> Result<HttpAnswer, HttpFailure> {
        locked(&self.sent).push(request);
        if self.hangs {
            std::future::pending::<()>().await;
        }
        locked(&self.answers).pop_front().unwrap_or_else(|| Ok(said("")))
    }
}

#[async_trait]
impl Secrets for Web {
    async fn secret(&self, owner: &str, name: &str) -> Option<Secret> {
        (owner == "mood" && name == "key").then(|| Secret::parse(KEY).unwrap())
    }
}

/// A journal, which may be full.
#[derive(Default)]
struct Log {
    told: Mutex<Vec<SentRequest>>,
    is_full: bool,
}

#[async_trait]
impl RequestLog for Log {
    async fn begins(&self, request: &SentRequest) -> Result<(), RunError> {
        if self.is_full {
            return Err(RunError::internal("store.journal_write_failed", "full"));
        }
        locked(&self.told).push(request.clone());
        Ok(())
    }
}

fn said(body: &str) -> HttpAnswer {
    HttpAnswer {
        status: 200,
        headers: Vec::new(),
        body: body.as_bytes().to_vec(),
    }
}

fn sent_on(status: u16, location: &str) -> Result<HttpAnswer, HttpFailure> {
    Ok(HttpAnswer {
        status,
        headers: vec![("location".to_owned(), location.to_owned())],
        body: Vec::new(),
    })
}

/// A call with these grants.
struct Call {
    web: Arc<Web>,
    log: Arc<Log>,
    access: NetworkAccess,
    requests: Vec<RecordedRequest>,
    reached_out: bool,
}

impl Call {
    fn new(grants: &[&str], web: Web) -> Self {
        let (web, log) = (Arc::new(web), Arc::new(Log::default()));
        let network = Network {
            client: web.clone(),
            secrets: web.clone(),
            log: Some(log.clone()),
            denied: Arc::from([]),
        };
        let access = NetworkAccess {
            network,
            owner: "mood".to_owned(),
            grants: Arc::new(grants.iter().map(|name| Grant::parse(name).unwrap()).collect()),
            reads_only: false,
        };
        Self {
            web,
            log,
            access,
            requests: Vec::new(),
            reached_out: false,
        }
    }

    /// A network that gives these answers.
    fn answering(grants: &[&str], answers: impl IntoIterator<Item = Result<HttpAnswer, HttpFailure>>) -> Self {
        let answers = Mutex::new(answers.into_iter().collect());
        Self::new(
            grants,
            Web {
                answers,
                ..Web::default()
            },
        )
    }

    async fn send(&mut self, request: Request) -> Result<Response, Stop> {
        let exchange = Exchange {
            access: &self.access,
            deadline: Instant::now() + Duration::from_secs(10),
            requests: &mut self.requests,
            reached_out: &mut self.reached_out,
        };
        exchange.run(Outgoing::check(request).map_err(Stop::from)?).await
    }

    async fn get(&mut self, url: &str) -> Result<Response, Stop> {
        self.send(request("GET", url)).await
    }

    fn sent(&self) -> Vec<HttpRequest> {
        locked(&self.web.sent).clone()
    }

    fn urls(&self) -> Vec<String> {
        self.sent().into_iter().map(|request| request.url).collect()
    }
}

fn request(method: &str, url: &str) -> Request {
    Request {
        method: method.to_owned(),
        url: url.to_owned(),
        headers: Vec::new(),
        body: None,
        credential: None,
    }
}

fn with_credential(method: &str, url: &str) -> Request {
    Request {
        credential: Some("key".to_owned()),
        ..request(method, url)
    }
}

fn denial(answer: Result<Response, Stop>) -> String {
    match answer.unwrap_err() {
        Stop::Refused(FetchError::Denied(why)) => why,
        other => panic!("{other:?}"),
    }
}

fn addresses(name: &str, answers: &[&str]) -> Web {
    let parse = |text: &&str| vec![text.parse().unwrap()];
    Web {
        names: Mutex::new(HashMap::from([(name.to_owned(), answers.iter().map(parse).collect())])),
        ..Web::default()
    }
}

#[tokio::test]
async fn a_request_to_a_granted_host_is_sent_to_its_looked_up_address() {
    let mut call = Call::answering(&["http=a.example"], [Ok(said("hello"))]);
    let answer = call.get("https://a.example/x?y#z").await.unwrap();
    assert_eq!((answer.status, answer.body.as_slice()), (200, &b"hello"[..]));
    let sent = call.sent().remove(0);
    assert_eq!(
        (sent.url.as_str(), sent.host.as_str()),
        ("https://a.example/x?y", "a.example")
    );
    assert_eq!(sent.addresses, ["1.1.1.1:443".parse().unwrap()]);
    let record = call.requests.remove(0);
    assert_eq!(
        (record.sent.origin.as_str(), record.status, record.response_bytes),
        ("https://a.example", Some(200), Some(5))
    );
    assert_eq!(record.sent.path_digest, innkeeper_protocol::digest::Sha256::of(b"/x?y"));
    assert!(
        locked(&call.log.told).is_empty() && !call.reached_out,
        "reading is no effect"
    );
}

#[tokio::test]
async fn a_request_to_anything_else_is_denied_and_nothing_is_sent() {
    for url in [
        "https://b.example/",
        "http://a.example/",
        "https://a.example:8443/",
        "https://a.example.evil.org/",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://localhost/",
        "https://2130706433/",
        "https://169.254.169.254/latest/meta-data",
    ] {
        let mut call = Call::new(&["http=a.example"], Web::default());
        assert!(denial(call.get(url).await).ends_with("was not granted"), "{url}");
        assert_eq!((call.urls(), call.requests.len()), (Vec::new(), 0));
    }
}

#[tokio::test]
async fn a_granted_name_that_leads_inside_is_denied() {
    for address in [
        "127.0.0.1",
        "10.0.0.1",
        "169.254.169.254",
        "::1",
        "::ffff:10.0.0.1",
        "64:ff9b::a00:1",
        "fd00::1",
    ] {
        let mut call = Call::new(&["http=a.example"], addresses("a.example", &[address]));
        let why = denial(call.get("https://a.example/").await);
        assert_eq!(
            why,
            format!("a.example has the address {address}, which was not granted")
        );
        assert_eq!(call.urls(), [""; 0]);
    }
}

#[tokio::test]
async fn a_host_of_this_machine_is_reached_where_it_was_granted_as_such() {
    let mut call = Call::new(&["http=http://localhost:8080"], addresses("localhost", &["127.0.0.1"]));
    call.get("http://localhost:8080/").await.unwrap();
    let mut call = Call::new(
        &["http=http://127.0.0.1:8080", "http=http://[::1]:8080"],
        Web::default(),
    );
    call.get("http://127.0.0.1:8080/").await.unwrap();
    call.get("http://[::1]:8080/").await.unwrap();
    let reached: Vec<String> = call.sent().iter().map(|sent| sent.addresses[0].to_string()).collect();
    assert_eq!(reached, ["127.0.0.1:8080", "[::1]:8080"]);
    // The name of this machine leads to this machine and nowhere else.
    let mut call = Call::new(&["http=http://localhost"], addresses("localhost", &["10.0.0.1"]));
    denial(call.get("http://localhost/").await);
}

#[tokio::test]
async fn a_name_that_changes_its_address_is_looked_at_each_time_and_used_as_it_was_seen() {
    let web = addresses("a.example", &["1.1.1.1", "127.0.0.1"]);
    let mut call = Call::new(&["http=a.example"], web);
    call.get("https://a.example/1").await.unwrap();
    denial(call.get("https://a.example/2").await);
    assert_eq!(call.sent()[0].addresses, ["1.1.1.1:443".parse().unwrap()]);
    assert_eq!(call.sent().len(), 1);
}

#[tokio::test]
async fn what_this_machine_denies_is_denied_whatever_was_granted() {
    let mut call = Call::new(&["http=*.example.com"], Web::default());
    call.access.network.denied = Arc::from([HostName::parse("inner.example.com").unwrap()]);
    assert_eq!(
        denial(call.get("https://inner.example.com/").await),
        "requests to inner.example.com are denied on this machine"
    );
    call.get("https://other.example.com/").await.unwrap();
}

#[tokio::test]
async fn a_redirect_is_checked_like_a_request_of_its_own() {
    for location in [
        "https://b.example/",
        "http://a.example/",
        "http://127.0.0.1/",
        "https://localhost/",
        "https://u:p@a.example/",
        "file:///etc/passwd",
        "//b.example/",
    ] {
        let mut call = Call::answering(&["http=a.example"], [sent_on(302, location)]);
        denial(call.get("https://a.example/").await);
        assert_eq!(call.urls(), ["https://a.example/"], "{location}");
    }
    let mut call = Call::answering(&["http=a.example"], [sent_on(301, "../y"), Ok(said("there"))]);
    assert_eq!(call.get("https://a.example/x/").await.unwrap().body, b"there");
    assert_eq!(call.urls(), ["https://a.example/x/", "https://a.example/y"]);
}

#[tokio::test]
async fn a_redirect_in_circles_comes_to_an_end() {
    let mut call = Call::answering(&["http=a.example"], (0..20).map(|_| sent_on(302, "/")));
    assert_eq!(
        denial(call.get("https://a.example/").await),
        "the request was sent on more than 5 times"
    );
    assert_eq!(call.requests.len(), 6);
}

#[tokio::test]
async fn what_a_redirect_makes_of_a_request_follows_the_status() {
    let post = || Request {
        headers: vec![("content-type".to_owned(), "text/plain".to_owned())],
        body: Some(b"x".to_vec()),
        ..request("POST", "https://a.example/")
    };
    for (status, method, has_body) in [
        (301, "GET", false),
        (302, "GET", false),
        (303, "GET", false),
        (307, "POST", true),
        (308, "POST", true),
    ] {
        let mut call = Call::answering(&["http=a.example"], [sent_on(status, "/y")]);
        call.send(post()).await.unwrap();
        let second = call.sent().remove(1);
        let found = (second.method.name(), second.body.is_some(), !second.headers.is_empty());
        assert_eq!(found, (method, has_body, has_body), "{status}");
    }
}

#[tokio::test]
async fn what_proves_who_asks_stays_with_its_origin() {
    let granted = ["http=a.example", "http=b.example", "credential=key@a.example"];
    let own = Request {
        headers: vec![
            ("Authorization".to_owned(), "own".to_owned()),
            ("X-A".to_owned(), "1".to_owned()),
        ],
        ..request("GET", "https://a.example/")
    };
    let names = |sent: &HttpRequest| {
        sent.headers
            .iter()
            .map(|header| header.name.clone())
            .collect::<Vec<_>>()
    };
    for request in [own, with_credential("GET", "https://a.example/")] {
        let mut call = Call::answering(&granted, [sent_on(307, "/2"), sent_on(307, "https://b.example/3")]);
        call.send(request).await.unwrap();
        let has: Vec<bool> = call
            .sent()
            .iter()
            .map(|sent| names(sent).contains(&"authorization".to_owned()))
            .collect();
        assert_eq!(has, [true, true, false]);
    }
}

#[tokio::test]
async fn a_credential_goes_where_it_was_granted_for_and_is_never_seen() {
    let granted = ["http=a.example", "http=b.example", "credential=key@a.example"];
    let echo = HttpAnswer {
        headers: vec![("x-echo".to_owned(), format!("Bearer {KEY}"))],
        ..said(&format!("you are {KEY}"))
    };
    let mut call = Call::answering(&granted, [Ok(echo)]);
    let answer = call.send(with_credential("GET", "https://a.example/")).await.unwrap();
    let header = &call.sent()[0].headers[0];
    assert_eq!(
        (header.name.as_str(), header.value.as_str(), header.is_secret),
        ("authorization", "Bearer sk-canary-12345", true)
    );
    assert_eq!(answer.body, b"you are [secret]");
    assert_eq!(call.requests[0].sent.credential.as_deref(), Some("key"));
    assert!(!format!("{answer:?} {:?} {:?}", call.requests, call.sent()).contains(KEY));
    for request in [
        with_credential("GET", "https://b.example/"),
        Request {
            credential: Some("other".to_owned()),
            ..request("GET", "https://a.example/")
        },
    ] {
        assert_eq!(
            denial(call.send(request).await),
            "that credential was not granted for this host"
        );
    }
    let mut call = Call::answering(&granted, [sent_on(302, &format!("https://b.example/?{KEY}"))]);
    let why = denial(call.send(with_credential("GET", "https://a.example/")).await);
    assert!(!why.contains(KEY) && call.sent().len() == 1, "{why}");
}

#[tokio::test]
async fn a_request_that_may_change_something_is_told_before_it_is_sent() {
    let mut call = Call::answering(&["http=a.example"], [Ok(said("done"))]);
    let body = Some(b"secret words".to_vec());
    call.send(Request {
        body,
        ..request("POST", "https://a.example/x")
    })
    .await
    .unwrap();
    let told = locked(&call.log.told).clone();
    assert_eq!(told, [call.requests[0].sent.clone()]);
    assert_eq!((told[0].body_bytes, call.reached_out), (12, true));
    let mut full = Call::new(&["http=a.example"], Web::default());
    let log = Log {
        is_full: true,
        ..Log::default()
    };
    full.access.network.log = Some(Arc::new(log));
    let stop = full.send(request("DELETE", "https://a.example/x")).await.unwrap_err();
    assert!(matches!(stop, Stop::Fault(error) if error.code == "store.journal_write_failed"));
    assert_eq!((full.urls(), full.reached_out), (Vec::new(), false));
}

#[tokio::test]
async fn a_request_whose_answer_is_not_known_ends_the_run_unless_it_only_reads() {
    let failures = || [HttpFailure::Broken("cut".to_owned()), HttpFailure::TooLarge(4_194_304)];
    for failure in failures() {
        let mut call = Call::answering(&["http=a.example"], [Err(failure)]);
        let stop = call.send(request("PUT", "https://a.example/")).await.unwrap_err();
        assert!(
            matches!(&stop, Stop::Fault(error) if error.code == "tool.outcome_unknown"),
            "{stop:?}"
        );
        assert!(call.reached_out && call.requests[0].status.is_none());
    }
    for failure in failures() {
        let mut call = Call::answering(&["http=a.example"], [Err(failure)]);
        assert!(matches!(call.get("https://a.example/").await, Err(Stop::Refused(_))));
        assert!(!call.reached_out);
    }
}

#[tokio::test]
async fn a_request_that_was_never_sent_has_changed_nothing() {
    let mut call = Call::answering(&["http=a.example"], [Err(HttpFailure::NotSent("no route".to_owned()))]);
    let stop = call.send(request("POST", "https://a.example/")).await.unwrap_err();
    assert!(
        matches!(&stop, Stop::Refused(FetchError::Unreachable(why)) if why == "no route"),
        "{stop:?}"
    );
    assert!(!call.reached_out);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_answers_is_waited_for_within_the_calls_own_time() {
    let silent = || {
        Call::new(
            &["http=a.example"],
            Web {
                hangs: true,
                ..Web::default()
            },
        )
    };
    let mut call = silent();
    assert!(matches!(
        call.get("https://a.example/").await,
        Err(Stop::Refused(FetchError::TimedOut))
    ));
    let mut call = silent();
    let stop = call.send(request("POST", "https://a.example/")).await.unwrap_err();
    assert!(
        matches!(&stop, Stop::Fault(error) if error.code == "tool.outcome_unknown"),
        "{stop:?}"
    );
}

#[tokio::test]
async fn a_tool_that_says_that_it_only_reads_is_held_to_it() {
    let mut call = Call::new(&["http=a.example"], Web::default());
    call.access.reads_only = true;
    assert!(denial(call.send(request("POST", "https://a.example/")).await).contains("GET and HEAD only"));
    call.get("https://a.example/").await.unwrap();
}

#[tokio::test]
async fn a_call_has_so_many_requests_and_no_more() {
    let mut call = Call::new(&["http=a.example"], Web::default());
    for _ in 0..64 {
        call.get("https://a.example/").await.unwrap();
    }
    assert_eq!(
        denial(call.get("https://a.example/").await),
        "the call has sent its 64 requests"
    );
}
