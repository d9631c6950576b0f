//! Good components with a few bytes changed, or cut short: whatever becomes of each, the host stays.
//!
//! `INNKEEPER_MUTANTS` says how many are made; the default keeps the suite short.

use std::path::PathBuf;

use innkeeper::protocol::limits::Limits;
use innkeeper::{Capability, Innkeeper};
use serde_json::json;
use tempfile::TempDir;

use crate::guests::{bench_on, component, the_host_lives};
use crate::host;

/// Mutants that are made when nobody asks for more.
const MUTANTS: u64 = 150;
/// Places at which a file is cut.
const CUTS: usize = 100;

/// A host that keeps nothing of what it compiles: nobody sees the same mutant twice.
async fn forgetful() -> (Innkeeper, TempDir) {
    let scratch = TempDir::new().unwrap();
    let cache: PathBuf = scratch.path().join("cache");
    (host::builder().cache_dir(cache).build().await.unwrap(), scratch)
}

/// Loads and calls; a refusal or an error is as good as an answer, as long as it has a code.
async fn survives(host: &Innkeeper, bytes: Vec<u8>) -> &'static str {
    let limits = Limits {
        wall: std::time::Duration::from_millis(300),
        ..Limits::default()
    };
    match bench_on(host, bytes, &[Capability::Random], limits).await {
        Err(error) => {
            let code = error.code.as_str();
            assert!(
                code.starts_with("extension.") || code.starts_with("tool."),
                "{code}: {error}"
            );
            "refused"
        }
        Ok((mut bench, _workspace)) => match bench.call("hostile.act", &json!({})).await {
            // Its tool has another name now.
            Err(error) if error.code == "tool.not_found" => "refused",
            Err(error) => panic!("{}: {error}", error.code),
            Ok(result) if result.error_code.is_some() => "failed",
            Ok(_) => "answered",
        },
    }
}

/// Numbers that are the same in every run: a linear congruence is random enough to choose bytes by.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_component_that_is_cut_short_is_refused() {
    let (host, _scratch) = forgetful().await;
    let whole = component("undeclared_use");
    for cut in 0..CUTS {
        let bytes = whole[..whole.len() * cut / CUTS].to_vec();
        assert_eq!(survives(&host, bytes).await, "refused", "{cut}");
    }
    the_host_lives().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_mutant_hurts_the_host() {
    let asked = std::env::var("INNKEEPER_MUTANTS")
        .ok()
        .and_then(|text| text.parse().ok());
    let (host, _scratch) = forgetful().await;
    let mut seen = std::collections::BTreeMap::new();
    for seed in 0..asked.unwrap_or(MUTANTS) {
        let mut dice = Dice(seed);
        let mut bytes = component(["undeclared_use", "well_behaved", "resource_handles"][dice.below(3)]);
        for _ in 0..=dice.below(3) {
            let at = 8 + dice.below(bytes.len() - 8);
            bytes[at] ^= 1 << dice.below(8);
        }
        *seen.entry(survives(&host, bytes).await).or_insert(0_u64) += 1;
    }
    the_host_lives().await;
    // If none got as far as a call, or none was refused, the mutants would prove little.
    assert!(seen.len() >= 2 && seen.contains_key("refused"), "{seen:?}");
}
