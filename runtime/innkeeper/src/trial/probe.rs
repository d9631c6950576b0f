//! One call of a trial: in files of its own, with a known seed, whole or stopped in the middle.
//!
//! What comes of it is judged elsewhere.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use innkeeper_protocol::limits::{Limits, Usage};
use innkeeper_tools::{Catalogue, Tool};
use serde_json::Value;

use super::ground::{Ground, Picture, clear, picture};
use crate::bench::{BenchResult, BenchSetup};
use crate::builder::Innkeeper;
use crate::error::HostError;

/// What calls are made with.
pub(super) struct Prober<'a> {
    host: &'a Innkeeper,
    catalogue: Arc<Catalogue>,
    ground: Ground,
    limits: Limits,
}

/// A call that was stopped, and what was found afterwards.
pub(super) struct Stopped {
    /// Whether it had begun.
    pub(super) had_begun: bool,
    /// Whether its files were left as they were.
    pub(super) left_files: bool,
    /// The next call of the same invocation.
    pub(super) next: BenchResult,
}

impl<'a> Prober<'a> {
    pub(super) fn new(host: &'a Innkeeper, catalogue: Arc<Catalogue>, ground: Ground, limits: Limits) -> Self {
        Self {
            host,
            catalogue,
            ground,
            limits,
        }
    }

    /// The ceilings of a call that nobody lowers.
    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Makes a call.
    pub(super) async fn call(
        &mut self,
        tool: &Tool,
        arguments: &Value,
        seed: u64,
        limits: &Limits,
    ) -> Result<BenchResult, HostError> {
        let setup = self.setup(seed, limits).await?;
        let workspace = setup.workspace.clone();
        let mut bench = self.host.bench_over(self.catalogue.clone(), setup).await?;
        let result = bench.call(tool.spec.native_name.as_str(), arguments).await;
        clear(&workspace).await?;
        result
    }

    /// Makes a call and drops it somewhere on its way, a share of 256 of it; then makes it again in the same invocation.
    pub(super) async fn stop(
        &mut self,
        tool: &Tool,
        arguments: &Value,
        seed: u64,
        share: u8,
    ) -> Result<Stopped, HostError> {
        let limits = self.limits.clone();
        let setup = self.setup(seed, &limits).await?;
        let workspace = setup.workspace.clone();
        let before: Picture = picture(&workspace).await?;
        let mut bench = self.host.bench_over(self.catalogue.clone(), setup).await?;
        // How often it has to be waited for is found out with a call whose plan nobody applies.
        let (_, polls) = polled(bench.dispatch(tool, arguments), u32::MAX).await;
        let at = polls.saturating_mul(share.into()) / 256;
        polled(bench.dispatch(tool, arguments), at).await;
        let left_files = picture(&workspace).await? == before;
        let next = bench.call(tool.spec.native_name.as_str(), arguments).await?;
        clear(&workspace).await?;
        Ok(Stopped {
            had_begun: at > 0,
            left_files,
            next,
        })
    }

    async fn setup(&mut self, seed: u64, limits: &Limits) -> Result<BenchSetup, HostError> {
        Ok(BenchSetup {
            seed: Some(seed),
            limits: limits.clone(),
            ..self.ground.fresh().await?
        })
    }
}

/// Waits for a future so often and then drops it. With how often it was waited for.
async fn polled<F: Future>(future: F, most: u32) -> (Option<F::Output>, u32) {
    let mut future = pin!(future);
    let mut polls = 0;
    let output = std::future::poll_fn(|context| {
        if polls == most {
            return Poll::Ready(None);
        }
        polls += 1;
        match future.as_mut().poll(context) {
            Poll::Ready(output) => Poll::Ready(Some(output)),
            Poll::Pending if polls == most => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    })
    .await;
    (output, polls)
}

/// The greater of each.
pub(super) fn most(one: Usage, other: Usage) -> Usage {
    Usage {
        wall_micros: one.wall_micros.max(other.wall_micros),
        peak_memory_bytes: one.peak_memory_bytes.max(other.peak_memory_bytes),
        host_calls: one.host_calls.max(other.host_calls),
        output_bytes: one.output_bytes.max(other.output_bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_future_is_dropped_after_so_many_looks() {
        let slow = || async {
            tokio::task::yield_now().await;
            tokio::task::yield_now().await;
            7
        };
        assert_eq!(polled(slow(), u32::MAX).await, (Some(7), 3));
        assert_eq!(polled(slow(), 2).await, (None, 2));
        assert_eq!(polled(slow(), 0).await, (None, 0));
    }
}
