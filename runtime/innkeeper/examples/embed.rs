//! How an application loads the library: a host, its tools, one run over a chat, its events.
//!
//! It needs no network and no account: the model is a script. `cargo run -p innkeeper --example embed`

#![allow(clippy::print_stdout, reason = "an example talks to whoever runs it")]

use std::sync::Arc;

use innkeeper::gateway::scripted::ScriptedModel;
use innkeeper::{Innkeeper, StartRun};

/// A chat as SillyTavern writes it: a header, then one message a line.
const CHAT: &str = r#"{"user_name":"Ilo","character_name":"Wren","chat_metadata":{}}
{"name":"Ilo","is_user":true,"send_date":"2026-09-12T19:02:12.000Z","mes":"Is the ferry still running?","extra":{}}
{"name":"Wren","is_user":false,"send_date":"2026-09-12T19:02:40.000Z","mes":"Until the lamp is out.","extra":{}}
{"name":"Ilo","is_user":true,"send_date":"2026-09-12T19:03:05.000Z","mes":"And then?","extra":{}}
"#;

/// What the model answers: it writes a file, commits it as the message, and ends the run.
const TURNS: &str = r#"{"turns": [
    {"calls": [{"name": "workspace_write_file", "arguments": {"path": "output/main.md", "content": "Then you swim."}}]},
    {"calls": [{"name": "workspace_commit", "arguments": {}}]},
    {"calls": [{"name": "workspace_finish", "arguments": {}}]}]}"#;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let chat = folder.path().join("ferry.jsonl");
    std::fs::write(&chat, CHAT)?;

    let host = Innkeeper::builder()
        .data_root(folder.path().join("data"))
        .build()
        .await?;
    for tool in host.tools().tools() {
        println!("{:<26}{}", tool.spec.native_name.as_str(), tool.spec.title);
    }

    let model = Arc::new(ScriptedModel::from_json(TURNS)?);
    let mut run = host.start_run(StartRun::new(&chat, model)).await?;
    while let Some(event) = run.next_event().await {
        println!("{:>4}  {}", event.seq, event.kind);
    }
    let report = run.wait().await?;
    println!(
        "{:?}: the chat now ends with\n{}",
        report.status,
        std::fs::read_to_string(&chat)?.lines().last().unwrap_or("")
    );
    Ok(())
}
