//! The host's own words, where a component could not speak for itself: to the model, and to whoever loads it.

use innkeeper_protocol::limits::{LimitKind, Limits};
use innkeeper_sandbox::Fault;

/// What happened when a limit was met, and what to do.
pub(crate) fn limit(kind: LimitKind, limits: &Limits, tool: &str) -> String {
    format!(
        "The tool {tool} {}. Nothing was changed. Ask for less at once (a narrower range, a smaller limit, a shorter text) and call it again.",
        met(kind, limits)
    )
}

/// Why a component could not list its tools.
pub(crate) fn unlisted(fault: &Fault, limits: &Limits) -> String {
    match fault {
        Fault::Limit(kind) => format!("it {}", met(*kind, limits)),
        Fault::Trap(_) | Fault::CapabilityDenied { .. } | Fault::Host(_) => fault.to_string(),
    }
}

/// The limit and its number, as what somebody did.
fn met(kind: LimitKind, limits: &Limits) -> String {
    let mib = |bytes: u64| bytes / (1024 * 1024);
    match kind {
        LimitKind::Timeout => format!("did not finish within {} ms and was stopped", limits.wall.as_millis()),
        LimitKind::Memory => format!(
            "needed more than {} MiB of memory and was stopped",
            mib(limits.memory_bytes)
        ),
        LimitKind::Resource => format!(
            "needed more than {} table elements or {} handles, or more instances than are free, and was stopped",
            limits.table_elements, limits.resource_handles
        ),
        LimitKind::Stack => "nested its own calls too deeply and was stopped".to_owned(),
        LimitKind::HostCalls => format!("asked the host more than {} times and was stopped", limits.host_calls),
        LimitKind::HostData => {
            format!(
                "handed the host more than {} KiB in one step or {} KiB in all, and was stopped",
                limits.host_bytes_per_call / 1024,
                limits.host_bytes / 1024
            )
        }
        LimitKind::Output => format!(
            "answered with more than {} KiB, which was not kept",
            limits.output_bytes / 1024
        ),
        LimitKind::Write => format!(
            "tried to write more than {} files or {} MiB in one call",
            limits.write_files,
            mib(limits.write_bytes)
        ),
    }
}

/// A trap: the tool broke.
pub(crate) fn trap(tool: &str) -> String {
    format!(
        "The tool {tool} broke down while it worked. Nothing was changed. The same call will probably break again: try other arguments, or go on without this tool."
    )
}

/// The tool reached for something that it does not list.
pub(crate) fn capability_denied(tool: &str, interface: &str) -> String {
    format!(
        "The tool {tool} reached for {interface}, which it is not allowed to use, and was stopped. Nothing was changed. Go on without this tool."
    )
}

/// The reply was not what the tool promises.
pub(crate) fn output_invalid(tool: &str, why: &str) -> String {
    format!(
        "The tool {tool} answered in a form that it does not promise ({why}), so its answer was not kept. Nothing was changed. Go on without this tool."
    )
}
