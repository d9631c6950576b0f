//! Many calls at once: whether the slowest fares much worse than the middle one, and what long calls do to a short one.

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::task::JoinSet;

use crate::host::Host;
use crate::measure::{Sample, time};

/// Calls at the same time; as many as a sandbox lets run.
const CALLERS: usize = 64;
/// Short calls that each caller makes, one after the other.
const SHORT_CALLS: usize = 300;
const ROUNDS: usize = 5;
/// Short calls that arrive while long ones run; few enough that these still run at the last one.
const NEWCOMERS: usize = 4;

/// Measures and prints.
pub(crate) async fn report(host: &Arc<Host>) {
    println!("\n{CALLERS} callers at once, {ROUNDS} rounds: when the slowest is done, and the middle one");
    let short = rounds(|| many_short(host.clone())).await;
    print(&format!("dice.roll, {SHORT_CALLS} calls each"), &short);
    let long = rounds(|| one_long(host.clone())).await;
    print("chat.search, one long call each", &long);
    among_long(host).await;
}

async fn many_short(host: Arc<Host>) {
    let arguments = formula();
    let tool = host.tool("dice.roll");
    for _ in 0..SHORT_CALLS {
        host.call(tool, &arguments).await;
    }
}

async fn one_long(host: Arc<Host>) {
    let arguments = json!({ "query": "brass lantern" });
    host.call(host.tool("chat.search"), &arguments).await;
}

fn formula() -> Value {
    json!({ "formula": "3d6+4" })
}

/// How long each caller took in each round.
async fn rounds<F>(caller: impl Fn() -> F) -> Vec<Sample>
where
    F: Future<Output = ()> + Send + 'static,
{
    let mut rounds = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let mut callers = JoinSet::new();
        let start = Instant::now();
        for _ in 0..CALLERS {
            let caller = caller();
            callers.spawn(async move {
                caller.await;
                start.elapsed()
            });
        }
        let mut sample = Sample::default();
        callers.join_all().await.into_iter().for_each(|time| sample.push(time));
        rounds.push(sample);
    }
    rounds
}

fn print(name: &str, rounds: &[Sample]) {
    let unfairness = |round: &Sample| round.percentile(100).as_secs_f64() / round.percentile(50).as_secs_f64();
    let mut ratios: Vec<f64> = rounds.iter().map(unfairness).collect();
    ratios.sort_by(f64::total_cmp);
    let (Some(middle), Some(worst), Some(round)) = (ratios.get(ratios.len() / 2), ratios.last(), rounds.first()) else {
        return;
    };
    println!(
        "  {name:<44} slowest {:>10} median {:>10}  slowest/median {middle:.2} (worst round {worst:.2})",
        time(round.percentile(100)),
        time(round.percentile(50)),
    );
}

/// A new call has to wait until running guests yield, which they do at every tick.
async fn among_long(host: &Arc<Host>) {
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let mut long = JoinSet::new();
        for _ in 1..CALLERS {
            long.spawn(one_long(host.clone()));
        }
        let (waiting, runtime) = (host.clone(), Handle::current());
        let newcomers = tokio::task::spawn_blocking(move || newcomers(&waiting, &runtime));
        times.extend(newcomers.await.expect("no panic"));
        long.join_all().await;
    }
    let mut sample = Sample::default();
    times.into_iter().for_each(|time| sample.push(time));
    println!(
        "  {:<44} p50 {:>10} worst {:>10}  ({} calls)",
        "a new dice.roll among 63 long calls",
        time(sample.percentile(50)),
        time(sample.percentile(100)),
        sample.len()
    );
}

/// Short calls that arrive one after the other from outside the runtime's own threads.
fn newcomers(host: &Arc<Host>, runtime: &Handle) -> Vec<Duration> {
    let one = || {
        let host = host.clone();
        let start = Instant::now();
        let call = runtime.spawn(async move { host.call(host.tool("dice.roll"), &formula()).await });
        runtime.block_on(call).expect("no panic");
        start.elapsed()
    };
    (0..NEWCOMERS).map(|_| one()).collect()
}
