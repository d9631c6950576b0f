//! Talks to models: OpenAI-compatible servers, and a scripted model that needs none.
//!
//! It turns canonical messages into a provider's wire form and back. It adds no words to a prompt, resolves no alias, retries nothing
//! and never makes up what a provider left out.

mod calls;
pub mod error;
pub mod key;
pub mod openai;
pub mod scripted;
pub mod spec;
