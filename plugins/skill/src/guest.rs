//! The component's glue: hands each call to the core. The host behind it is in `host.rs`.

use innkeeper_tool::{Failure, Family, Reply, arguments};

use crate::{Tool, host::Host, list, read, search};

#[allow(unsafe_code, missing_docs, reason = "generated from the WIT packages")]
pub(crate) mod bindings {
    wit_bindgen::generate!({
        path: ["../../wit/tool", "../../wit/workspace", "../../wit/skills", "../../wit/log", "wit"],
        world: "innkeeper:skill-tools/skill",
        generate_all,
    });
}

struct Skills;

impl Family for Skills {
    type Tool = Tool;

    fn call(tool: Tool, json: &str) -> Result<Reply, Failure> {
        match tool {
            Tool::List => list(arguments(json)?, &mut Host),
            Tool::Read => read(&arguments(json)?, &mut Host),
            Tool::Search => search(&arguments(json)?, &mut Host),
        }
    }
}

innkeeper_tool::export!(Skills);
