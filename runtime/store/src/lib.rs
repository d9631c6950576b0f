//! Everything on disk: journals, run workspaces, checkpoints, chat files.

pub mod approvals;
pub mod atomic;
pub mod audit;
pub mod book;
pub mod card;
pub mod chat;
pub mod chats_registry;
pub mod checkpoint;
pub mod diff;
mod document;
pub mod extensions;
pub mod inbox;
pub mod journal;
pub mod persistent;
pub mod policy_file;
pub mod profiles;
mod regular;
pub mod rollback;
pub mod runs;
pub mod skills;
pub mod timeline;
pub mod tree;
pub mod turn;
pub mod workspace;

pub use document::ReadError;
