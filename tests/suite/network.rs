//! Requests of tools, from a guest to a server on this machine and back: grants, credentials, the journal, and runs in which nobody knows
//! what came of one.
//!
//! What may be sent at all is tested beside the code that decides it.

mod runs;
mod server;
mod trial;

use std::sync::Arc;

use async_trait::async_trait;
use innkeeper::protocol::network::{Secret, Secrets};
use innkeeper::{BenchNetwork, BenchResult, BenchSetup, ForeignComponent, Grant, Grants};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use crate::guests::{assemble, text};
use crate::host;
use server::{Answer, Server};

/// A key that nobody must ever see.
const KEY: &str = "sk-canary-0123456789";

/// What a guest sends, and what it does then.
#[derive(Clone)]
pub struct Sends {
    pub method: &'static str,
    pub url: String,
    pub credential: Option<&'static str>,
    pub then: &'static str,
}

impl Sends {
    pub fn new(method: &'static str, url: String) -> Self {
        Self {
            method,
            url,
            credential: None,
            then: "",
        }
    }

    /// The component that does so.
    pub fn component(&self) -> Vec<u8> {
        let credential = self.credential.unwrap_or_default();
        let has_body = u8::from(!["GET", "HEAD"].contains(&self.method));
        let marks = [
            ("method-length", self.method.len().to_string()),
            ("url-length", self.url.len().to_string()),
            ("credential-length", credential.len().to_string()),
            ("has-credential", u8::from(self.credential.is_some()).to_string()),
            ("has-body", has_body.to_string()),
            ("method", self.method.to_owned()),
            ("url", self.url.clone()),
            ("credential", credential.to_owned()),
            ("then", self.then.to_owned()),
        ];
        let whole = marks.iter().fold(text("fetch"), |text, (mark, with)| {
            text.replace(&format!("{{{{{mark}}}}}"), with)
        });
        assemble(&whole)
    }

    /// A package with that component, which asks for this origin.
    pub fn package(&self, origin: &str) -> TempDir {
        let package = TempDir::new().unwrap();
        let bytes = self.component();
        let digest: String = Sha256::digest(&bytes)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let manifest = format!(
            "id = \"tide\"\nversion = \"1.0.0\"\npublisher = \"p\"\ndescription = \"d\"\nwit = \"0.1.0\"\ncomponent = \"t.wasm\"\n\
             sha256 = \"{digest}\"\n[capabilities]\n\"http={origin}\" = \"To tell of the tide.\"\n"
        );
        std::fs::write(package.path().join("t.wasm"), bytes).unwrap();
        std::fs::write(package.path().join("extension.toml"), manifest).unwrap();
        package
    }

    /// A call on a bench with these grants.
    async fn on_bench(&self, grants: &[&str]) -> BenchResult {
        let workspace = TempDir::new().unwrap();
        let host = host::builder().secrets(Arc::new(OneKey)).build().await.unwrap();
        let setup = BenchSetup {
            workspace: workspace.path().to_path_buf(),
            network: BenchNetwork::Real,
            component: Some(ForeignComponent {
                id: "hostile".to_owned(),
                bytes: self.component(),
                granted: grants
                    .iter()
                    .map(|name| Grant::parse(name).unwrap())
                    .collect::<Grants>(),
            }),
            ..BenchSetup::default()
        };
        let mut bench = host.tool_bench(setup).await.unwrap();
        bench.call("hostile.act", &json!({})).await.unwrap()
    }
}

/// Keeps one credential.
struct OneKey;

#[async_trait]
impl Secrets for OneKey {
    async fn secret(&self, _owner: &str, name: &str) -> Option<Secret> {
        (name == "key").then(|| Secret::parse(KEY).unwrap())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_guest_reads_from_a_granted_host_and_from_no_other() {
    let server = Server::start([Answer::Says("the tide is high")]).await;
    let sends = Sends::new("GET", server.url("/tide?at=six"));
    let granted = format!("http={}", server.origin());
    assert_eq!(sends.on_bench(&[&granted]).await.model_text, "the tide is high");
    let came = server.came();
    assert!(came[0].starts_with("GET /tide?at=six HTTP/1.1\r\n"), "{came:?}");
    let denied = sends.on_bench(&["http=https://a.example"]).await.model_text;
    assert_eq!(denied, format!("{} was not granted", server.origin()));
    assert_eq!(server.came().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_cannot_send_a_guest_on_to_another() {
    let inner = Server::start([Answer::Says("secrets")]).await;
    let outer = Server::start([Answer::SendsOn(inner.url("/"))]).await;
    let sends = Sends::new("GET", outer.url("/"));
    let text = sends.on_bench(&[&format!("http={}", outer.origin())]).await.model_text;
    assert_eq!(text, format!("{} was not granted", inner.origin()));
    assert_eq!(inner.came().len(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_credential_reaches_the_server_and_never_the_guest() {
    let server = Server::start([Answer::Echoes]).await;
    let (host, credential) = (
        format!("http={}", server.origin()),
        format!("credential=key@{}", server.origin()),
    );
    let sends = Sends {
        credential: Some("key"),
        ..Sends::new("GET", server.url("/"))
    };
    let text = sends.on_bench(&[&host, &credential]).await.model_text;
    assert!(
        server.came()[0].contains(&format!("authorization: Bearer {KEY}\r\n")),
        "{:?}",
        server.came()
    );
    assert!(
        text.contains("authorization: Bearer [secret]") && !text.contains("canary"),
        "{text}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_without_an_end_is_cut_off_at_the_limit() {
    let server = Server::start([Answer::NeverEnds]).await;
    let result = Sends::new("GET", server.url("/"))
        .on_bench(&[&format!("http={}", server.origin())])
        .await;
    assert_eq!(result.model_text, "too large");
}
