//! Talks to models: four wire formats over HTTP, and a scripted model that needs no server.
//!
//! It turns canonical messages into a provider's wire form and back. It adds no words to a prompt, resolves no alias, retries nothing
//! and never makes up what a provider left out.

mod calls;
mod claude;
pub mod egress;
pub mod error;
#[cfg(test)]
mod fixture;
mod gemini;
pub mod headers;
mod http;
pub mod key;
mod message;
mod native;
mod openai;
pub mod provider;
pub mod remote;
pub mod request_log;
mod responses;
mod schema;
pub mod scripted;
mod secrets;
mod settings;
pub mod spec;
pub mod stream;
mod transcript;
mod turn;
mod wire;
