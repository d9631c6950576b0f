//! Somebody swaps a folder for a link to the outside and back, as fast as they can, while tools read and write in it.
//!
//! Whatever a call meets, it says so or works; it never follows the link and never ends a run. `INNKEEPER_SWAP_ROUNDS` asks for more
//! rounds than the usual few hundred.
//!
//! Where the folder is missing between the two, only reading is tried: a write makes the missing folder, and where somebody has put a
//! link in its place before the write is refused, the host cannot take that folder back and calls it a fault.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use innkeeper::ToolBench;
use serde_json::{Value, json};

use super::ground::{self, Ground, SECRET};
use crate::host;
use innkeeper_cases::files::link;

/// Rounds where nothing else is asked for.
const ROUNDS: u32 = 200;

/// How a call may end that met a swap.
const ALLOWED: [&str; 7] = [
    "workspace.invalid_path",
    "workspace.file_not_found",
    "workspace.path_not_found",
    "workspace.path_is_directory",
    "workspace.write_requires_read",
    "workspace.write_stale_file",
    "workspace.patch_stale_file",
];

fn rounds() -> u32 {
    let asked = std::env::var("INNKEEPER_SWAP_ROUNDS").ok();
    asked.map_or(ROUNDS, |text| {
        text.parse().expect("INNKEEPER_SWAP_ROUNDS must be a number")
    })
}

/// How the folder and the link change places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Swap {
    /// In one step: there is always one of them.
    AtOnce,
    /// One after the other: for a moment there is nothing.
    WithGaps,
}

impl Swap {
    /// Swaps there and back.
    fn once(self, here: &Path, aside: &Path, outside: &str) {
        match self {
            Self::AtOnce => {
                exchange(here, aside);
                exchange(here, aside);
            }
            Self::WithGaps => {
                fs::rename(here, aside).unwrap();
                link(outside, here).unwrap();
                fs::remove_file(here).unwrap();
                fs::rename(aside, here).unwrap();
            }
        }
    }

    /// Swaps until it is told to stop, and counts.
    fn swap(self, output: &Path, outside: &str, stop: &AtomicBool) -> u64 {
        let (here, aside) = (output.join("swapped"), output.join("aside"));
        if self == Self::AtOnce {
            link(outside, &aside).unwrap();
        }
        let mut swaps = 0;
        while !stop.load(Ordering::SeqCst) {
            self.once(&here, &aside, outside);
            swaps += 1;
        }
        swaps
    }

    /// The calls of a round.
    fn calls(self, round: u32) -> Vec<(&'static str, Value)> {
        let mut calls = reading();
        if self == Self::AtOnce {
            calls.extend(writing(round));
        }
        calls
    }
}

fn exchange(one: &Path, other: &Path) {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).unwrap();
}

fn reading() -> Vec<(&'static str, Value)> {
    vec![
        ("workspace.read_file", json!({"path": "output/swapped/deep.md"})),
        ("workspace.list_files", json!({"path": "output/swapped"})),
        (
            "workspace.search_files",
            json!({"path": "output/swapped", "query": "harmless"}),
        ),
        ("workspace.commit", json!({"path": "output/swapped/deep.md"})),
    ]
}

fn writing(round: u32) -> Vec<(&'static str, Value)> {
    vec![
        (
            "workspace.write_file",
            json!({"path": "output/swapped/deep.md", "content": format!("harmless {round}")}),
        ),
        (
            "workspace.write_file",
            json!({"path": "output/swapped/log.md", "content": "x", "mode": "append"}),
        ),
        (
            "workspace.write_file",
            json!({"path": format!("output/swapped/new/{round}.md"), "content": "new"}),
        ),
    ]
}

async fn round(swap: Swap, bench: &mut ToolBench, ground: &Ground, number: u32) -> (u32, u32) {
    let (mut worked, mut refused) = (0, 0);
    for (tool, arguments) in swap.calls(number) {
        let result = bench.call(tool, &arguments).await;
        let result = result.unwrap_or_else(|fault| panic!("round {number}, {tool}: a fault {} ({fault})", fault.code));
        assert!(
            !result.model_text.contains(SECRET),
            "round {number}, {tool}: {}",
            result.model_text
        );
        match result.error_code.as_deref() {
            None => worked += 1,
            Some(code) if ALLOWED.contains(&code) => refused += 1,
            Some(code) => panic!("round {number}, {tool}: {code}: {}", result.model_text),
        }
        ground.check_outside(&format!("round {number}, {tool}"));
    }
    (worked, refused)
}

/// Plays all rounds while somebody swaps; how many calls worked, and how many were refused.
async fn play(swap: Swap) -> (u32, u32) {
    let ground = Ground::new();
    let output = ground.workspace().join("output");
    ground::put(&output.join("swapped/deep.md"), "harmless");
    let outside = ground.base().join("outside/dir").to_str().unwrap().to_owned();
    let stop = Arc::new(AtomicBool::new(false));
    let swapper = {
        let (stop, outside) = (stop.clone(), outside.clone());
        std::thread::spawn(move || swap.swap(&output, &outside, &stop))
    };
    // Also where the test fails, or the thread would go on for ever.
    let _stop = StopAtEnd(stop.clone());
    let mut bench = host::shared().await.tool_bench(ground.setup()).await.unwrap();
    let (mut worked, mut refused) = (0, 0);
    for number in 0..rounds() {
        let (well, ill) = round(swap, &mut bench, &ground, number).await;
        worked += well;
        refused += ill;
    }
    stop.store(true, Ordering::SeqCst);
    assert!(swapper.join().unwrap() > 0);
    (worked, refused)
}

/// Stops the swapper when it goes.
struct StopAtEnd(Arc<AtomicBool>);

impl Drop for StopAtEnd {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_that_turns_into_a_link_is_never_followed() {
    for swap in [Swap::AtOnce, Swap::WithGaps] {
        let (worked, refused) = play(swap).await;
        // Both sides were seen: calls that found the folder, and calls that met the link.
        assert!(
            worked > 0 && refused > 0,
            "{swap:?}: {worked} worked, {refused} refused"
        );
    }
}
