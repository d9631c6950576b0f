//! A server on this machine that answers as it is told, one connection after the other.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

/// What a connection gets.
pub enum Answer {
    /// 200 and this body.
    Says(&'static str),
    /// What came, as the body.
    Echoes,
    /// A redirect.
    SendsOn(String),
    /// Nothing: the connection is closed when the request is there.
    HangsUp,
    /// Nothing: the connection stays.
    Waits,
    /// A body that goes on for ever.
    NeverEnds,
}

/// The server; it stops when it is dropped.
pub struct Server {
    address: SocketAddr,
    came: Arc<Mutex<Vec<String>>>,
    arrived: Arc<Semaphore>,
    serving: JoinHandle<()>,
}

impl Server {
    /// Answers the first connection with the first answer, and so on; the last answer stays.
    pub async fn start(answers: impl IntoIterator<Item = Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (came, arrived) = (Arc::<Mutex<Vec<String>>>::default(), Arc::new(Semaphore::new(0)));
        let answers: Vec<Answer> = answers.into_iter().collect();
        let (heard, told) = (came.clone(), arrived.clone());
        let serving = tokio::spawn(async move {
            let mut held = Vec::new();
            for number in 0.. {
                let (mut stream, _) = listener.accept().await.unwrap();
                let request = read(&mut stream).await;
                heard
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(request.clone());
                told.add_permits(1);
                let answer = answers.get(number).or(answers.last()).unwrap();
                if let Some(stream) = serve(stream, answer, &request).await {
                    held.push(stream);
                }
            }
        });
        Self {
            address,
            came,
            arrived,
            serving,
        }
    }

    /// Scheme, host and port.
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// A URL here.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.origin())
    }

    /// The requests so far.
    pub fn came(&self) -> Vec<String> {
        self.came.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits for the next request.
    pub async fn asked(&self) {
        self.arrived.acquire().await.unwrap().forget();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// One request, its body included where it says how long that is.
async fn read(stream: &mut TcpStream) -> String {
    let mut came = String::new();
    let mut buffer = [0; 4096];
    loop {
        let read = stream.read(&mut buffer).await.unwrap_or_default();
        came.push_str(&String::from_utf8_lossy(&buffer[..read]));
        let Some((head, body)) = came.split_once("\r\n\r\n") else {
            if read == 0 {
                return came;
            }
            continue;
        };
        let length = head
            .lines()
            .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
        if read == 0 || body.len() >= length.unwrap_or(0) {
            return came;
        }
    }
}

/// Answers; gives a connection back that has to stay open.
async fn serve(mut stream: TcpStream, answer: &Answer, request: &str) -> Option<TcpStream> {
    let said = |body: &str| format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    let text = match answer {
        Answer::Says(body) => said(body),
        Answer::Echoes => said(request),
        Answer::SendsOn(to) => format!("HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n"),
        Answer::HangsUp => return None,
        Answer::Waits => return Some(stream),
        Answer::NeverEnds => {
            let head = "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n";
            let mut went = stream.write_all(head.as_bytes()).await;
            while went.is_ok() {
                went = stream.write_all(&[b'x'; 65_536]).await;
            }
            return None;
        }
    };
    // Whoever has gone needs no answer.
    let _ = stream.write_all(text.as_bytes()).await;
    None
}
