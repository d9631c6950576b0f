//! The component's glue: hands calls to the core, with the host's randomness.

use innkeeper_tool::{Failure, Family, Reply, arguments};

use crate::{Randomness, Tool, roll};
use bindings::innkeeper::random::random;

#[allow(unsafe_code, missing_docs, reason = "generated from the WIT packages")]
mod bindings {
    wit_bindgen::generate!({
        path: ["../../wit/tool", "../../wit/random", "../../wit/log", "wit"],
        world: "innkeeper:dice/dice",
        generate_all,
    });
}

struct Dice;

impl Family for Dice {
    type Tool = Tool;

    fn call(tool: Tool, json: &str) -> Result<Reply, Failure> {
        match tool {
            Tool::Roll => roll(&arguments(json)?, &mut Host),
        }
    }
}

struct Host;

impl Randomness for Host {
    fn below(&mut self, bound: u64) -> u64 {
        random::below(bound)
    }
}

innkeeper_tool::export!(Dice);
