//! Everything that needs more than one crate: conformance cases, seams, hostile guests, and checks on the repository itself.
//!
//! One binary, so that the host is linked once. Unit tests are not here; they sit beside the code that they test.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that meets the unexpected must stop; the exemption of clippy.toml does not reach functions beside the tests"
)]
#![allow(unreachable_pub, reason = "nothing of a test binary can be reached from outside")]

mod cases;
mod coverage;
mod crowd;
mod direct;
mod faults;
mod frozen;
mod guests;
mod host;
mod hostile;
mod layers;
mod network;
mod openai;
#[cfg(unix)]
mod paths;
#[cfg(feature = "pulley")]
mod pulley;
mod repository;
mod run;
mod schemas;
mod simulation;
mod timing;
mod wire;
