//! What is left when the program is killed at any moment or its disk fails: every journal can be read, every call gets its end, and the
//! chat holds the old lines and a commit once or not at all.
//!
//! `INNKEEPER_SWAP_ROUNDS`, which makes other long loops longer, makes these try every single point. Over the longest chat that takes
//! minutes where the program is optimised (`CARGO_PROFILE_DEV_OPT_LEVEL=2`), and much longer where it is not; a `TMPDIR` in memory helps.
//! `cases.md` beside this file says which test stands for which promise.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that meets what it does not expect shall fail"
)]
#![allow(unreachable_pub, reason = "nothing of a test binary can be reached from outside")]

mod checks;
mod events;
#[cfg(target_os = "linux")]
mod faults;
mod place;
mod processes;
mod rollbacks;
mod stepper;
mod syscalls;

/// Whether every point is to be tried.
fn is_thorough() -> bool {
    std::env::var_os("INNKEEPER_SWAP_ROUNDS").is_some()
}
