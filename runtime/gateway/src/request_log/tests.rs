//! What the log holds, what it leaves out, and where it stops.

use std::sync::Arc;

use innkeeper_protocol::model::{Excerpt, ProviderAnswer};

use super::*;
use crate::key::ApiKey;

const KEY: &str = "sk-canary-0123456789";

/// A sink that can be looked into.
#[derive(Clone, Default)]
struct Page(Arc<Mutex<Vec<u8>>>);

impl Write for Page {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Page {
    fn lines(&self) -> Vec<Value> {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn refused() -> Result<ModelResponse, ModelError> {
    Err(ModelError::Unauthorized(ProviderAnswer {
        status: Some(401),
        detail: Excerpt::new("no"),
        retry_after_ms: None,
    }))
}

#[test]
fn exchanges_are_numbered_and_hold_neither_key_nor_seals() {
    let page = Page::default();
    let log = RequestLog::new(page.clone(), DEFAULT_LOG_LIMIT);
    let key = ApiKey::parse(KEY, "OPENAI_API_KEY").unwrap();
    let body =
        json!({"messages": [{"content": format!("my key is {KEY}"), "signature": "s", "data": {"x": 1}, "url": null}]});
    log.request("http://x.example", &json!({}), &Secrets::default());
    let secrets = Secrets::new(key.as_ref(), []);
    log.request("http://x.example", &body, &secrets).answer(&refused());
    let message = json!({"content": "my key is [secret]", "signature": LEFT_OUT, "data": LEFT_OUT, "url": null});
    let error = json!({"code": "agent.unauthorized", "message": "the provider did not accept the credentials (HTTP status 401: no)"});
    assert_eq!(
        page.lines(),
        [
            json!({"exchange": 1, "endpoint": "http://x.example", "request": {}}),
            json!({"exchange": 2, "endpoint": "http://x.example", "request": {"messages": [message]}}),
            json!({"exchange": 2, "error": error}),
        ]
    );
}

#[test]
fn a_full_log_stays_as_it_is() {
    let page = Page::default();
    let log = RequestLog::new(page.clone(), 100);
    log.request(
        "http://x.example",
        &json!({"text": "x".repeat(100)}),
        &Secrets::default(),
    );
    log.request("http://x.example", &json!({}), &Secrets::default());
    assert_eq!(page.lines(), [] as [Value; 0]);
}

#[test]
fn a_file_is_appended_to_and_private() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("requests.jsonl");
    for _ in 0..2 {
        RequestLog::to_file(&path)
            .unwrap()
            .request("http://x.example", &json!({}), &Secrets::default());
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 2);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert!(RequestLog::to_file(folder.path()).is_err());
}
