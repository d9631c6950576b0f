//! The limits of one tool call, with their defaults and the codes that exceeding them gives.
//!
//! The table only names limits; `sandbox` and `capabilities` enforce them.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The ceilings of one call. A host may lower any of them; none can be absent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Wall clock of a call, waiting in the host included.
    pub wall: Duration,
    /// Linear memory in bytes, summed over all memories of the instance.
    pub memory_bytes: u64,
    /// Table elements, summed over all tables.
    pub table_elements: u64,
    /// Handles of resources that are held at the same time.
    pub resource_handles: usize,
    /// Guest stack in bytes.
    pub stack_bytes: usize,
    /// Calls from the guest into the host.
    pub host_calls: u64,
    /// Bytes copied from the guest in one host call.
    pub host_bytes_per_call: usize,
    /// Bytes copied from the guest in all host calls together.
    pub host_bytes: u64,
    /// Bytes of a reply: content and structured part together.
    pub output_bytes: u64,
    /// Log lines; more are counted and dropped.
    pub log_lines: u64,
    /// Bytes of log text; more are counted and dropped.
    pub log_bytes: u64,
    /// Staged writes.
    pub write_files: u64,
    /// Bytes of all staged writes together.
    pub write_bytes: u64,
}

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

impl Default for Limits {
    fn default() -> Self {
        Self {
            wall: Duration::from_secs(10),
            memory_bytes: 64 * MIB,
            table_elements: 20_000,
            resource_handles: 1_024,
            stack_bytes: 512 * 1024,
            host_calls: 10_000,
            host_bytes_per_call: 20 * 1024 * 1024,
            host_bytes: 48 * MIB,
            output_bytes: 4 * MIB,
            log_lines: 1_000,
            log_bytes: 256 * KIB,
            write_files: 64,
            write_bytes: 16 * MIB,
        }
    }
}

impl Limits {
    /// The lower of the two, limit by limit: what somebody asks for can only take away.
    #[must_use]
    pub fn lowered_to(&self, asked: &Self) -> Self {
        Self {
            wall: self.wall.min(asked.wall),
            memory_bytes: self.memory_bytes.min(asked.memory_bytes),
            table_elements: self.table_elements.min(asked.table_elements),
            resource_handles: self.resource_handles.min(asked.resource_handles),
            stack_bytes: self.stack_bytes.min(asked.stack_bytes),
            host_calls: self.host_calls.min(asked.host_calls),
            host_bytes_per_call: self.host_bytes_per_call.min(asked.host_bytes_per_call),
            host_bytes: self.host_bytes.min(asked.host_bytes),
            output_bytes: self.output_bytes.min(asked.output_bytes),
            log_lines: self.log_lines.min(asked.log_lines),
            log_bytes: self.log_bytes.min(asked.log_bytes),
            write_files: self.write_files.min(asked.write_files),
            write_bytes: self.write_bytes.min(asked.write_bytes),
        }
    }
}

/// A limit that a call ran into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitKind {
    /// Wall clock.
    Timeout,
    /// Linear memory.
    Memory,
    /// Tables, instances, memories or resource handles.
    Resource,
    /// Guest stack.
    Stack,
    /// Number of host calls.
    HostCalls,
    /// Bytes copied from the guest.
    HostData,
    /// Size of the reply.
    Output,
    /// Staged writes.
    Write,
}

impl LimitKind {
    /// Every limit, for tables and tests.
    pub const ALL: [Self; 8] = [
        Self::Timeout,
        Self::Memory,
        Self::Resource,
        Self::Stack,
        Self::HostCalls,
        Self::HostData,
        Self::Output,
        Self::Write,
    ];

    /// The stable code of the tool error.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Timeout => "tool.timeout",
            Self::Memory => "tool.memory_limit",
            Self::Resource => "tool.resource_limit",
            Self::Stack => "tool.stack_overflow",
            Self::HostCalls => "tool.host_call_limit",
            Self::HostData => "tool.host_data_limit",
            Self::Output => "tool.output_limit",
            Self::Write => "tool.write_limit",
        }
    }
}

/// What a call used of its limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Wall clock in microseconds, waiting in the host included.
    pub wall_micros: u64,
    /// Most linear memory held at once, in bytes.
    pub peak_memory_bytes: u64,
    /// Calls from the guest into the host.
    pub host_calls: u64,
    /// Bytes of the reply.
    pub output_bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_only_ever_lowered() {
        let host = Limits::default();
        let asked = Limits {
            wall: Duration::from_secs(99),
            host_calls: 5,
            ..Limits::default()
        };
        assert_eq!(
            host.lowered_to(&asked),
            Limits {
                host_calls: 5,
                ..host.clone()
            }
        );
    }
}
