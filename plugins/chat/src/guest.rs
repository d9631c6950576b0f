//! The component's glue: hands calls to the core, with the host's chat.

use innkeeper_tool::{Failure, Family, Reply, arguments};

use crate::{Tool, host::Host, read_messages, search};

struct Chat;

impl Family for Chat {
    type Tool = Tool;

    fn call(tool: Tool, json: &str) -> Result<Reply, Failure> {
        match tool {
            Tool::Search => search(&arguments(json)?, &Host),
            Tool::ReadMessages => read_messages(&arguments(json)?, &Host),
        }
    }
}

innkeeper_tool::export!(Chat);
