//! One call after the other, in every way of making one: what a call costs, and what the limits add.

use innkeeper_sandbox::wire;
use serde_json::{Value, json};

use crate::bare::Bare;
use crate::child::NativeTool;
use crate::host::Host;
use crate::measure::{Sample, heading, row};

/// Rounds; in each, every way has its turn, so that all meet the same machine.
const ROUNDS: usize = 100;
/// Calls of a cheap way in one round.
const CHEAP: usize = 200;

/// Durations by way of calling.
#[derive(Default)]
struct Ways {
    bare: Sample,
    limited: Sample,
    ours: Sample,
    linked: Sample,
    all_linked: Sample,
    compiled: Sample,
    kept_child: Sample,
    new_child: Sample,
}

/// Measures and prints.
pub(crate) async fn report(host: &Host) {
    let dice = innkeeper_builtins::all()
        .iter()
        .find(|builtin| builtin.family == "dice");
    let bytes = dice.expect("a built-in family").bytes;
    let arguments = json!({ "formula": "3d6+4" });
    print(&measure(host, bytes, &arguments).await);
}

async fn measure(host: &Host, bytes: &[u8], arguments: &Value) -> Ways {
    let tool = host.tool("dice.roll");
    let (bare, prepared) = (Bare::new(&host.sandbox, bytes), host.prepare(bytes).await);
    let every_import = host.compile_with_every_import(bytes).await;
    let mut child = NativeTool::start();
    let request = wire::Request {
        name: "dice.roll".to_owned(),
        arguments: arguments.to_string(),
    };
    let mut ways = Ways::default();
    for _ in 0..ROUNDS {
        ways.bare.batch(CHEAP, async || bare.call(&request).await).await;
        let limited = async || host.sandbox_call(&prepared, tool, request.clone()).await;
        ways.limited.batch(CHEAP, limited).await;
        ways.ours.batch(CHEAP, async || host.call(tool, arguments).await).await;
        ways.linked
            .batch(CHEAP, async || bare.link_and_call(&request).await)
            .await;
        let linked = async || host.link_and_call(&every_import, tool, request.clone()).await;
        ways.all_linked.batch(CHEAP, linked).await;
        ways.kept_child.batch(CHEAP, async || child.call(arguments)).await;
        ways.new_child.batch(1, async || one_in_a_new_child(arguments)).await;
        ways.compiled
            .batch(1, async || bare.compile_and_call(bytes, &request).await)
            .await;
    }
    child.stop();
    ways
}

fn one_in_a_new_child(arguments: &Value) {
    let mut child = NativeTool::start();
    child.call(arguments);
    child.stop();
}

fn print(ways: &Ways) {
    heading("A warm call of dice.roll, a fresh instance each", "bare");
    row("bare wasmtime, no limits", &ways.bare, &ways.bare);
    row("with every limit and capability gate", &ways.limited, &ways.bare);
    row("ours: the same, arguments and reply checked", &ways.ours, &ways.bare);
    row("bare, a linker of 1 function for each call", &ways.linked, &ways.bare);
    row("limits, a linker of all 8 for each call", &ways.all_linked, &ways.bare);
    row("bare, compiled for each call", &ways.compiled, &ways.bare);
    row("native child, JSON lines, kept", &ways.kept_child, &ways.bare);
    row("native child, JSON lines, fresh", &ways.new_child, &ways.bare);
}
