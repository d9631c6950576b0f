//! What is left of the host's memory after each hostile component, and how much it was at its worst.
//!
//! The figures are a process's own, so the test starts itself again, alone, and looks there.

use std::process::Command;

use innkeeper::protocol::limits::Limits;
use innkeeper::{Capability, Innkeeper};
use serde_json::json;

use super::load;
use crate::guests::{bench_on, component, the_host_lives};
use crate::host;

/// Says that this process is the one that looks at itself.
const ALONE: &str = "INNKEEPER_ALONE";
/// The name of the test, for the process that is to run it alone.
const NAME: &str = "hostile::memory::every_component_gives_back_what_it_took";

const MIB: u64 = 1024 * 1024;
/// What the host itself may have taken for good, allocator and caches included.
const LEFT: u64 = 64 * MIB;

/// Guests that meet a limit in a call, of every kind.
const GUESTS: [&str; 16] = [
    "endless_host_calls",
    "handles_held",
    "large_host_call",
    "large_host_calls",
    "large_reply",
    "loop_in_call",
    "loop_in_destructor",
    "lying_list",
    "lying_pointer",
    "memories_summed",
    "memory_at_once",
    "memory_growth",
    "recursion",
    "resource_handles",
    "table_growth",
    "tables_summed",
];

/// A line of `/proc/self/status`, in bytes.
fn status(line: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap();
    let found = text.lines().find_map(|found| found.strip_prefix(line)).unwrap();
    let kib: u64 = found.trim_matches(|c: char| !c.is_ascii_digit()).parse().unwrap();
    kib * 1024
}

/// Lets the peak begin anew.
fn forget_the_peak() {
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
}

async fn load_and_call(host: &Innkeeper, bytes: Vec<u8>) {
    let limits = Limits {
        wall: std::time::Duration::from_millis(300),
        ..Limits::default()
    };
    let everything: Vec<Capability> = Capability::GRANTABLE
        .iter()
        .map(|(_, capability)| *capability)
        .collect();
    if let Ok((mut bench, _workspace)) = bench_on(host, bytes, &everything, limits).await {
        let result = bench.call("hostile.act", &json!({})).await.unwrap();
        drop(result);
    }
}

async fn look() {
    let host = host::builder().build().await.unwrap();
    for _ in 0..2 {
        load_and_call(&host, component("well_behaved")).await;
        the_host_lives().await;
    }
    let before = status("VmRSS:");
    let guests = GUESTS.map(|name| (name, component(name)));
    let files = [load::floods(), load::shapes(), load::lookalikes(), load::imports()].concat();
    let files = files.into_iter().map(|(name, bytes, _, _)| (name, bytes));
    for (name, bytes) in guests.into_iter().chain(files) {
        let own = bytes.len() as u64;
        forget_the_peak();
        load_and_call(&host, bytes).await;
        the_host_lives().await;
        let (peak, left) = (status("VmHWM:"), status("VmRSS:"));
        // The file itself lies in memory while it is looked at, once in the test's hands and once on its way.
        let most = before + Limits::default().memory_bytes + LEFT + 2 * own;
        assert!(peak <= most, "{name}: {} MiB at its worst", peak / MIB);
        assert!(left <= before + LEFT + 2 * own, "{name}: {} MiB are left", left / MIB);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_component_gives_back_what_it_took() {
    if std::env::var_os(ALONE).is_some() {
        return look().await;
    }
    let alone = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", NAME, "--test-threads=1", "--nocapture"])
        .env(ALONE, "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&alone.stdout);
    assert!(
        alone.status.success() && text.contains("1 passed"),
        "{text}{}",
        String::from_utf8_lossy(&alone.stderr)
    );
}
