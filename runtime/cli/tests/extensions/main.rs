//! Extensions as a person or a script meets them: installed, granted, updated, tampered with, used in a run, removed.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that meets what it does not expect shall fail"
)]

#[cfg(target_os = "linux")]
mod asking;
mod guest;
mod installing;
mod killed;
mod refused;
mod running;
mod stage;
mod tampered;
mod updating;
