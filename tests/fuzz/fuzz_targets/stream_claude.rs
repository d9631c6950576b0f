//! Streams of the messages format.
//!
//! What must hold is said in `streams.rs`.

#![no_main]

mod streams;

use innkeeper_gateway::provider::Provider;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| streams::check(Provider::Claude, data));
