//! Everything on disk: journals, run workspaces, checkpoints, chat files.

pub mod atomic;
pub mod audit;
pub mod chat;
pub mod chats_registry;
pub mod checkpoint;
pub mod journal;
pub mod persistent;
pub mod policy_file;
pub mod runs;
pub mod skills;
pub mod tree;
pub mod workspace;
