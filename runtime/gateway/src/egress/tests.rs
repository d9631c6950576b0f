//! One request at a time, against a server on this machine that does as it is told.

use std::net::SocketAddr;

use innkeeper_protocol::network::HttpHeader;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::*;

/// Reads one request up to the end of its body, answers with these bytes and closes; gives what came.
async fn server(answer: &'static str) -> (SocketAddr, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let served = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut came = Vec::new();
        let mut buffer = [0; 1024];
        while !String::from_utf8_lossy(&came).contains("\r\n\r\n") {
            let read = stream.read(&mut buffer).await.unwrap();
            came.extend_from_slice(&buffer[..read]);
        }
        stream.write_all(answer.as_bytes()).await.unwrap();
        String::from_utf8(came).unwrap()
    });
    (address, served)
}

fn request(address: SocketAddr) -> HttpRequest {
    HttpRequest {
        method: HttpMethod::Get,
        url: format!("http://granted.example:{}/x?y", address.port()),
        host: "granted.example".to_owned(),
        addresses: vec![address],
        headers: Vec::new(),
        body: None,
        max_response_bytes: 10,
    }
}

async fn exchanged(answer: &'static str) -> Result<HttpAnswer, HttpFailure> {
    let (address, _served) = server(answer).await;
    Egress::default().exchange(request(address)).await
}

#[tokio::test]
async fn a_request_goes_to_the_addresses_that_it_names_and_to_no_others() {
    let (address, served) = server("HTTP/1.1 200 OK\r\nX-A: 1\r\ncontent-length: 2\r\n\r\nhi").await;
    let header = HttpHeader {
        name: "x-own".to_owned(),
        value: "yes".to_owned(),
        is_secret: false,
    };
    let answer = Egress::default()
        .exchange(HttpRequest {
            headers: vec![header],
            ..request(address)
        })
        .await
        .unwrap();
    let headers = vec![
        ("x-a".to_owned(), "1".to_owned()),
        ("content-length".to_owned(), "2".to_owned()),
    ];
    let expected = HttpAnswer {
        status: 200,
        headers,
        body: b"hi".to_vec(),
    };
    assert_eq!(answer, expected);
    let came = served.await.unwrap().to_ascii_lowercase();
    assert!(came.starts_with("get /x?y http/1.1\r\n"), "{came}");
    for line in [
        "x-own: yes",
        "accept-encoding: identity",
        &format!("host: granted.example:{}", address.port()),
    ] {
        assert!(came.contains(&format!("\r\n{line}\r\n")), "{line}: {came}");
    }
}

#[tokio::test]
async fn a_redirect_is_an_answer() {
    let answer = exchanged("HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:9/\r\ncontent-length: 0\r\n\r\n")
        .await
        .unwrap();
    assert_eq!(answer.status, 302);
}

#[tokio::test]
async fn an_answer_is_read_up_to_its_limit_whatever_it_says_of_its_length() {
    let long = exchanged("HTTP/1.1 200 OK\r\ncontent-length: 11\r\n\r\n01234567890").await;
    assert_eq!(long, Err(HttpFailure::TooLarge(10)));
    let unsaid = exchanged("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n01234567890").await;
    assert_eq!(unsaid, Err(HttpFailure::TooLarge(10)));
    let just = exchanged("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n0123456789").await;
    assert_eq!(just.unwrap().body, b"0123456789");
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_told_from_a_connection_that_never_was() {
    for cut in [
        "",
        "HTTP/1.1 200",
        "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhi",
        "nonsense\r\n\r\n",
    ] {
        let failure = exchanged(cut).await.unwrap_err();
        assert!(matches!(failure, HttpFailure::Broken(_)), "{cut:?}: {failure:?}");
    }
    // A port that was just given back is nobody's.
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let failure = Egress::default().exchange(request(free)).await.unwrap_err();
    assert!(matches!(failure, HttpFailure::NotSent(_)), "{failure:?}");
}

#[test]
fn a_credential_has_a_variable() {
    assert_eq!(EnvironmentSecrets::variable("my-key"), "INNKEEPER_SECRET_MY_KEY");
}
