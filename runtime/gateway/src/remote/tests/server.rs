//! A server on this machine that says exactly the bytes it is given, one connection after the other.
//!
//! It understands no more HTTP than where a request ends.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// What a connection gets after its request.
pub(super) enum Reply {
    /// These bytes, then the end of the connection.
    Close(String),
    /// These bytes, then silence.
    Hold(String),
    /// These bytes, then silence until the other side closes the connection.
    Watch(String),
}

/// A whole HTTP answer.
pub(super) fn answer(status: &str, headers: &str, body: &str) -> Reply {
    let length = body.len();
    Reply::Close(format!(
        "HTTP/1.1 {status}\r\nconnection: close\r\n{headers}content-length: {length}\r\n\r\n{body}"
    ))
}

/// The server: where it is, and the requests that it saw once all replies are given.
pub(super) struct Server {
    pub(super) address: String,
    pub(super) seen: JoinHandle<Vec<String>>,
}

impl Server {
    /// Answers as many connections as there are replies.
    pub(super) async fn start(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let seen = tokio::spawn(async move {
            let mut seen = Vec::new();
            let mut held = Vec::new();
            for reply in replies {
                let (mut stream, _) = listener.accept().await.unwrap();
                seen.push(read_request(&mut stream).await);
                match reply {
                    Reply::Close(bytes) => stream.write_all(bytes.as_bytes()).await.unwrap(),
                    Reply::Hold(bytes) => {
                        stream.write_all(bytes.as_bytes()).await.unwrap();
                        held.push(stream);
                    }
                    Reply::Watch(bytes) => {
                        stream.write_all(bytes.as_bytes()).await.unwrap();
                        while stream.read(&mut [0]).await.is_ok_and(|count| count > 0) {}
                    }
                }
            }
            if !held.is_empty() {
                std::future::pending::<()>().await;
            }
            seen
        });
        Self { address, seen }
    }
}

/// Reads head and body; the end of the stream and bytes that are no HTTP end it too.
async fn read_request(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let count = stream.read(&mut buffer).await.unwrap();
        bytes.extend_from_slice(&buffer[..count]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let is_http = text.starts_with("POST ") || text.starts_with("CONNECT ");
        if count == 0 || !is_http || is_whole(&text) {
            return text;
        }
    }
}

fn is_whole(text: &str) -> bool {
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    let length = head
        .lines()
        .find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
    body.len() >= length.unwrap_or(0)
}
