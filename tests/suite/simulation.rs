//! A simulation: the pure loop with actors that a seed decides, over a real journal, with a crash at every append.
//!
//! Model, tools, host and people answer well or badly, a cancel may come at any time. Whatever happens, the whole journal keeps its order;
//! and whatever prefix of it a crash leaves, the store's own recovery makes of it a run in which every call and the run itself have one
//! end, no announced event is missing, and journal and chat tell of the same commits. `INNKEEPER_SWAP_ROUNDS`, which makes other long
//! loops longer, asks for more seeds.

mod actors;
mod crash;
mod play;
mod setup;

use crate::run::journal;
use crash::{Crashes, broken_rules};
use play::{Play, play};

/// Seeds in a usual run of the tests.
const SEEDS: u64 = 240;
/// Seeds whose every append is a crash; the others crash at a few.
const EXHAUSTIVE: u64 = 24;
/// Crashes of each of the others.
const CRASHES: usize = 4;

fn seeds() -> u64 {
    let rounds = std::env::var("INNKEEPER_SWAP_ROUNDS").ok();
    rounds.map_or(SEEDS, |text| {
        SEEDS.max(text.parse().expect("INNKEEPER_SWAP_ROUNDS must be a number"))
    })
}

/// Crashes one played run at some of its appends, or all.
fn crash(play: &Play, seed: u64) -> usize {
    let total = play.lines.len();
    let step = if seed < EXHAUSTIVE { 1 } else { total.div_ceil(CRASHES) };
    let first = 1 + usize::try_from(seed).unwrap() % step;
    let crashes = Crashes::of(play, seed);
    (first..=total)
        .step_by(step)
        .map(|appends| crashes.after(appends))
        .sum()
}

#[test]
fn whatever_happens_and_wherever_it_crashes_the_journal_can_be_closed_and_tells_the_truth() {
    let threads = 2;
    let one = |thread: u64| {
        let (mut endings, mut crashes) = (Vec::new(), 0);
        for seed in (thread..seeds()).step_by(2) {
            let play = play(seed);
            let violations = broken_rules(&play.events, !play.is_broken);
            assert!(
                violations.is_empty(),
                "seed {seed}: {violations:?}\n{}",
                journal::listing(&play.events)
            );
            crashes += crash(&play, seed);
            endings.extend(
                play.events
                    .iter()
                    .map(|event| event.kind.clone())
                    .filter(|kind| kind.starts_with("run_")),
            );
        }
        (endings, crashes)
    };
    let (endings, crashes) = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|thread| scope.spawn(move || one(thread))).collect();
        threads
            .into_iter()
            .fold((Vec::new(), 0), |(mut endings, crashes), thread| {
                let (more, others) = thread.join().unwrap();
                endings.extend(more);
                (endings, crashes + others)
            })
    });
    for end in ["run_completed", "run_failed", "run_partial_success", "run_cancelled"] {
        assert!(endings.iter().any(|kind| kind == end), "no seed ends as {end}");
    }
    eprintln!("{} seeds, {crashes} crashes", seeds());
}

#[test]
fn a_seed_plays_the_same_run_again() {
    for seed in [3, 30, 300] {
        assert_eq!(play(seed).lines, play(seed).lines);
    }
}
