//! The host side of the capability packages in `wit/`: what a tool component can reach, and only when its tool uses it.
//!
//! Everything goes through the ports of `innkeeper-protocol`; nothing here opens a file, knows a chat format or talks to a host. No
//! function here changes anything of a run: writers, commits and finishes are staged, and whoever made the call applies them. What a request
//! to the network changes, it changes at once; that is why it is told before it is sent.

mod chat;
mod clock;
mod control;
mod grant;
mod host;
mod http;
mod interface;
mod invocation;
mod link;
mod log;
mod random;
mod read_state;
mod reader;
mod skills;
mod staging;
mod wasi;
mod worldinfo;
mod writer;

/// The bindings of the capability packages.
#[allow(missing_docs, unreachable_pub, reason = "generated from the documented WIT packages")]
#[allow(clippy::all, clippy::unwrap_used, clippy::indexing_slicing, reason = "generated")]
mod bindings {
    wasmtime::component::bindgen!({
        inline: "
            package innkeeper:host;
            world capabilities {
                import innkeeper:chat/history@0.1.0;
                import innkeeper:worldinfo/activated@0.1.0;
                import innkeeper:skills/library@0.1.0;
                import innkeeper:workspace/reader@0.1.0;
                import innkeeper:workspace/writer@0.1.0;
                import innkeeper:run/control@0.1.0;
                import innkeeper:random/random@0.1.0;
                import innkeeper:clock/clock@0.1.0;
                import innkeeper:http/fetch@0.1.0;
                import innkeeper:log/log@0.1.0;
            }
        ",
        path: [
            "../../wit/workspace",
            "../../wit/chat",
            "../../wit/worldinfo",
            "../../wit/skills",
            "../../wit/run",
            "../../wit/random",
            "../../wit/clock",
            "../../wit/http",
            "../../wit/log",
        ],
        imports: { default: async | trappable },
    });
}

pub use grant::{CredentialGrant, Grant, GrantError, Grants};
pub use host::{CallHost, CallLeftovers, Supplies};
pub use http::{HostName, HostPattern, Network, NetworkAccess, outcome_unknown};
pub use interface::{Capability, Interface};
pub use invocation::{ControlRules, Invocation, InvocationSetup, Roots, SkillRules};
pub use link::link;
pub use log::LogLine;
pub use staging::StagedChanges;
pub use wasi::is_linked_empty;
