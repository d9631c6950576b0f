//! What a call costs beside other ways to make one, how it fares among many, and how soon after a start it answers.
//!
//! Everything is a ratio within one run, printed and not asserted: a machine's mood is no test.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a bench may stop where it stands, and prints its result"
)]
#![allow(clippy::disallowed_methods, reason = "time is what is measured")]

mod bare;
mod child;
mod fair;
mod host;
mod load;
#[path = "../measure/mod.rs"]
mod measure;
mod start;
mod warm;

use std::sync::Arc;

use innkeeper_sandbox::SandboxConfig;

fn main() {
    if child::serve_if_asked() {
        return;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("threads");
    runtime.block_on(async {
        measure::load("before");
        let host = Arc::new(host::Host::new(SandboxConfig::default()).await);
        warm::report(&host).await;
        load::report().await;
        start::report().await;
        fair::report(&host).await;
        measure::load("after");
    });
}
