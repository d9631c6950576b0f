//! The component's glue: hands calls to the core, with the host's activation.

use innkeeper_tool::{Failure, Family, Reply, arguments};

use crate::{Tool, host::Host, read_activated};

struct Worldinfo;

impl Family for Worldinfo {
    type Tool = Tool;

    fn call(tool: Tool, json: &str) -> Result<Reply, Failure> {
        match tool {
            Tool::ReadActivated => read_activated(&arguments(json)?, &Host),
        }
    }
}

innkeeper_tool::export!(Worldinfo);
