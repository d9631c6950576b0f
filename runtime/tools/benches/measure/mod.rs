//! Samples of durations: percentiles, and ratios within one run with how far they moved in its course.
//!
//! It judges nothing and knows no target: a machine's mood is no test.

use std::fmt;
use std::time::{Duration, Instant};

/// Parts of a run, in order of time, whose ratios are compared: a machine that was disturbed shows as a wide span.
const PARTS: usize = 5;
/// Calls before each batch that do not count: they bring code and data back into the processor's caches.
const WARM_UP: usize = 5;

/// Durations in the order in which they were measured.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sample(Vec<Duration>);

impl Sample {
    /// Times one batch of calls.
    pub(crate) async fn batch(&mut self, calls: usize, mut call: impl AsyncFnMut()) {
        for round in 0..WARM_UP.min(calls) + calls {
            let start = Instant::now();
            call().await;
            let time = start.elapsed();
            if round >= WARM_UP.min(calls) {
                self.push(time);
            }
        }
    }

    /// Adds one duration.
    pub(crate) fn push(&mut self, time: Duration) {
        self.0.push(time);
    }

    /// How many durations there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The smallest duration that so many of a hundred do not exceed; zero of nothing.
    pub(crate) fn percentile(&self, percent: usize) -> Duration {
        percentile(&self.0, percent)
    }

    /// Median to median.
    pub(crate) fn ratio_to(&self, other: &Self) -> Ratio {
        let of = |one: &[Duration], other: &[Duration]| {
            percentile(one, 50).as_secs_f64() / percentile(other, 50).as_secs_f64()
        };
        let whole = of(&self.0, &other.0);
        if self.len().min(other.len()) < PARTS {
            return Ratio { whole, span: None };
        }
        let parts = || self.parts().zip(other.parts()).map(|(one, other)| of(one, other));
        let span = (parts().fold(whole, f64::min), parts().fold(whole, f64::max));
        Ratio {
            whole,
            span: Some(span),
        }
    }

    fn parts(&self) -> impl Iterator<Item = &[Duration]> {
        self.0.chunks(self.0.len().div_ceil(PARTS).max(1))
    }
}

fn percentile(times: &[Duration], percent: usize) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let rank = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(rank).copied().unwrap_or_default()
}

/// A ratio of medians, and the lowest and highest among the parts of the run where there are enough durations for parts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ratio {
    whole: f64,
    span: Option<(f64, f64)>,
}

impl fmt::Display for Ratio {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:>8}", figure(self.whole))?;
        match self.span {
            Some((low, high)) => write!(out, " ({}..{})", figure(low), figure(high)),
            None => Ok(()),
        }
    }
}

/// A ratio as people read it: two decimals where they say something.
fn figure(ratio: f64) -> String {
    if ratio < 100.0 {
        format!("{ratio:.2}")
    } else {
        format!("{ratio:.0}")
    }
}

/// A duration in the unit that fits it.
pub(crate) fn time(duration: Duration) -> String {
    let micros = duration.as_secs_f64() * 1e6;
    match micros {
        ..1_000.0 => format!("{micros:.1} µs"),
        ..1_000_000.0 => format!("{:.2} ms", micros / 1e3),
        _ => format!("{:.2} s", micros / 1e6),
    }
}

/// Prints a heading with the names of the columns that [`row`] fills.
pub(crate) fn heading(title: &str, ratio_to: &str) {
    println!("\n{title}");
    println!(
        "  {:<44} {:>6} {:>10} {:>10}  ratio to {ratio_to} (low..high)",
        "", "n", "p50", "p99"
    );
}

/// Prints one row: percentiles, and the ratio to what it is compared with.
pub(crate) fn row(name: &str, sample: &Sample, base: &Sample) {
    println!(
        "  {name:<44} {:>6} {:>10} {:>10} {}",
        sample.len(),
        time(sample.percentile(50)),
        time(sample.percentile(99)),
        sample.ratio_to(base)
    );
}

/// Prints how busy the machine is, where the system says so: figures of a busy machine are to be read with care.
pub(crate) fn load(when: &str) {
    let Ok(text) = std::fs::read_to_string("/proc/loadavg") else {
        return;
    };
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let minute = text.split(' ').next().unwrap_or_default();
    println!("load over the last minute {when}: {minute} ({cores} cores)");
}
