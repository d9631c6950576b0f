//! Everything on disk: journals, run workspaces, checkpoints, persistent states, chat files, cards and books, skills, profiles, extensions,
//! policies, standing approvals.
//!
//! It has no clock, asks nobody, and does not decide what the files mean for a run.

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
mod listing;
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
pub use listing::{Difference, ListedFile, differences};
