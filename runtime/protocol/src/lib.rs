//! Plain data and ports that every other crate of Innkeeper speaks: ids, paths, tools, run events, model messages, and the traits
//! by which a host supplies models, chats and files.
//!
//! It deliberately does nothing: no I/O, no clock, no randomness, no policy. Types are parsed at the border and cannot hold a wrong
//! value afterwards.

pub mod approval;
pub mod call;
pub mod digest;
pub mod envelope;
pub mod event;
pub mod extension;
pub mod guidance;
pub mod id;
pub mod limits;
pub mod model;
pub mod network;
pub mod path;
pub mod port;
pub mod redaction;
pub mod run;
pub mod shown;
pub mod skill;
pub mod tool;
pub mod view;
pub mod worldinfo;
