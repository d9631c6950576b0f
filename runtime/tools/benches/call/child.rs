//! A tool as a native program that speaks JSON lines over its standard input and output: the bench itself, started again.
//!
//! It is the other way to keep a tool apart. It shares no memory with the host, but the system lets it do whatever the user may.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// Makes this program a tool instead of a bench.
const FLAG: &str = "--serve-json-lines";

/// Serves until the input ends, if this process was started for that.
pub(crate) fn serve_if_asked() -> bool {
    if !std::env::args().any(|argument| argument == FLAG) {
        return false;
    }
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line.expect("a line")).expect("JSON");
        let answer = answer(&request).to_string();
        writeln!(output, "{answer}")
            .and_then(|()| output.flush())
            .expect("a reader");
    }
    true
}

/// Rolls as the component does with the bench's constant numbers; formulas are `NdS+M`.
fn answer(request: &Value) -> Value {
    let formula = request
        .pointer("/arguments/formula")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let (count, rest) = formula.split_once('d').unwrap_or(("1", formula));
    let (sides, more) = rest.split_once('+').unwrap_or((rest, "0"));
    let [count, sides, more] = [count, sides, more].map(|number| number.parse::<u64>().unwrap_or_default());
    let rolls: Vec<u64> = (0..count).map(|_| 3 % sides.max(1) + 1).collect();
    let total = rolls.iter().sum::<u64>() + more;
    json!({
        "content": [{"type": "text", "text": format!("{formula} = {total} {rolls:?}")}],
        "structured": {"formula": formula, "rolls": rolls, "total": total},
    })
}

/// A running tool.
pub(crate) struct NativeTool {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl NativeTool {
    pub(crate) fn start() -> Self {
        let program = std::env::current_exe().expect("this program's path");
        let mut child = Command::new(program)
            .arg(FLAG)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a child process");
        let input = child.stdin.take().expect("its input");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        Self { child, input, output }
    }

    pub(crate) fn call(&mut self, request: &Value) {
        let line = json!({"name": "dice.roll", "arguments": request}).to_string();
        writeln!(self.input, "{line}").expect("a child that reads");
        let mut answer = String::new();
        self.output.read_line(&mut answer).expect("a child that answers");
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        assert!(answer.get("structured").is_some());
    }

    /// Ends the input, which ends the process.
    pub(crate) fn stop(self) {
        let Self { mut child, input, .. } = self;
        drop(input);
        child.wait().expect("an end");
    }
}
