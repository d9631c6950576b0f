//! The component's glue: hands each call to the core. The host behind it is in `host.rs`.

use innkeeper_tool::{Failure, Family, Reply, arguments};

use crate::host::Host;
use crate::{Tool, apply_patch, commit, finish, list_files, read_file, search_files, write_file};

#[allow(unsafe_code, missing_docs, reason = "generated from the WIT packages")]
pub(crate) mod bindings {
    wit_bindgen::generate!({
        path: ["../../wit/tool", "../../wit/workspace", "../../wit/run", "../../wit/log", "wit"],
        world: "innkeeper:workspace-tools/workspace",
        generate_all,
    });
}

struct Workspace;

impl Family for Workspace {
    type Tool = Tool;

    fn call(tool: Tool, json: &str) -> Result<Reply, Failure> {
        match tool {
            Tool::ApplyPatch => apply_patch(&arguments(json)?, &mut Host),
            Tool::Commit => commit(&arguments(json)?, &mut Host),
            Tool::Finish => finish(&arguments(json)?, &mut Host),
            Tool::ListFiles => list_files(&arguments(json)?, &mut Host),
            Tool::ReadFile => read_file(&arguments(json)?, &mut Host),
            Tool::SearchFiles => search_files(&arguments(json)?, &mut Host),
            Tool::WriteFile => write_file(&arguments(json)?, &mut Host),
        }
    }
}

innkeeper_tool::export!(Workspace);
