//! `tools.limits`: ceilings that a profile puts on every call of its tools.
//!
//! It can only take away: what is above the host's own ceiling counts as that. The guest stack is not among them, because it belongs
//! to the whole engine and not to a call.

use std::time::Duration;

use innkeeper_protocol::limits::Limits;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::ProfileError;

/// Ceilings of one call; the host's own where none is given. `N` is wide while the numbers are not checked yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    bound(deserialize = "N: Deserialize<'de>")
)]
#[schemars(rename = "ToolLimits")]
pub struct ToolLimits<N> {
    /// Milliseconds of wall clock, waiting in the host included.
    #[serde(default = "none::<N>", skip_serializing_if = "Option::is_none")]
    pub wall_ms: Option<N>,
    /// Bytes of linear memory.
    #[serde(default = "none::<N>", skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<N>,
    /// Table elements.
    #[serde(default = "none::<N>", skip_serializing_if = "Option::is_none")]
    pub table_elements: Option<N>,
    /// Handles of resources.
    #[serde(default = "none::<N>", skip_serializing_if = "Option::is_none")]
    pub resource_handles: Option<N>,
    /// Calls into the host.
    #[serde(default = "none::<N>", skip_serializing_if = "Option::is_none")]
    pub host_calls: Option<N>,
    /// Bytes copied from the guest in one host call.
    #[serde(default = "none::<N>", skip_serializing_if = "Option::is_none")]
    pub host_bytes_per_call: Option<N>,
    /// Bytes copied from the guest in all host calls together.
    #[serde(default = "none::<N>", skip_serializing_if = "Option::is_none")]
    pub host_bytes: Option<N>,
    /// Bytes of a reply.
    #[serde(default = "none::<N>", skip_serializing_if = "Option::is_none")]
    pub output_bytes: Option<N>,
    /// Log lines that are kept.
    #[serde(default = "none::<N>", skip_serializing_if = "Option::is_none")]
    pub log_lines: Option<N>,
    /// Bytes of log text that are kept.
    #[serde(default = "none::<N>", skip_serializing_if = "Option::is_none")]
    pub log_bytes: Option<N>,
    /// Files that may be written.
    #[serde(default = "none::<N>", skip_serializing_if = "Option::is_none")]
    pub write_files: Option<N>,
    /// Bytes that may be written.
    #[serde(default = "none::<N>", skip_serializing_if = "Option::is_none")]
    pub write_bytes: Option<N>,
}

/// serde's own default would ask for `N: Default`.
const fn none<N>() -> Option<N> {
    None
}

impl ToolLimits<i64> {
    pub(super) fn check(&self) -> Result<ToolLimits<u64>, ProfileError> {
        Ok(ToolLimits {
            wall_ms: above_zero("wallMs", self.wall_ms)?,
            memory_bytes: above_zero("memoryBytes", self.memory_bytes)?,
            table_elements: above_zero("tableElements", self.table_elements)?,
            resource_handles: above_zero("resourceHandles", self.resource_handles)?,
            host_calls: above_zero("hostCalls", self.host_calls)?,
            host_bytes_per_call: above_zero("hostBytesPerCall", self.host_bytes_per_call)?,
            host_bytes: above_zero("hostBytes", self.host_bytes)?,
            output_bytes: above_zero("outputBytes", self.output_bytes)?,
            log_lines: above_zero("logLines", self.log_lines)?,
            log_bytes: above_zero("logBytes", self.log_bytes)?,
            write_files: above_zero("writeFiles", self.write_files)?,
            write_bytes: above_zero("writeBytes", self.write_bytes)?,
        })
    }
}

fn above_zero(name: &'static str, value: Option<i64>) -> Result<Option<u64>, ProfileError> {
    let checked = |value: i64| match u64::try_from(value) {
        Ok(checked) if checked > 0 => Ok(checked),
        _ => Err(ProfileError::ToolLimit { name, value }),
    };
    value.map(checked).transpose()
}

impl ToolLimits<u64> {
    /// The host's ceilings, lowered.
    pub(super) fn lower(&self, host: &Limits) -> Limits {
        let size = |asked: Option<u64>, own: usize| asked.map_or(own, |n| usize::try_from(n).unwrap_or(usize::MAX));
        host.lowered_to(&Limits {
            wall: self.wall_ms.map_or(host.wall, Duration::from_millis),
            memory_bytes: self.memory_bytes.unwrap_or(host.memory_bytes),
            table_elements: self.table_elements.unwrap_or(host.table_elements),
            resource_handles: size(self.resource_handles, host.resource_handles),
            stack_bytes: host.stack_bytes,
            host_calls: self.host_calls.unwrap_or(host.host_calls),
            host_bytes_per_call: size(self.host_bytes_per_call, host.host_bytes_per_call),
            host_bytes: self.host_bytes.unwrap_or(host.host_bytes),
            output_bytes: self.output_bytes.unwrap_or(host.output_bytes),
            log_lines: self.log_lines.unwrap_or(host.log_lines),
            log_bytes: self.log_bytes.unwrap_or(host.log_bytes),
            write_files: self.write_files.unwrap_or(host.write_files),
            write_bytes: self.write_bytes.unwrap_or(host.write_bytes),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn lowered(file: Value) -> Limits {
        let limits: ToolLimits<i64> = serde_json::from_value(file).unwrap();
        limits.check().unwrap().lower(&Limits::default())
    }

    #[test]
    fn every_ceiling_has_a_name_and_is_lowered() {
        let ones = json!({
            "wallMs": 1, "memoryBytes": 1, "tableElements": 1, "resourceHandles": 1, "hostCalls": 1, "hostBytesPerCall": 1,
            "hostBytes": 1, "outputBytes": 1, "logLines": 1, "logBytes": 1, "writeFiles": 1, "writeBytes": 1,
        });
        let expected = Limits {
            wall: Duration::from_millis(1),
            memory_bytes: 1,
            table_elements: 1,
            resource_handles: 1,
            stack_bytes: Limits::default().stack_bytes,
            host_calls: 1,
            host_bytes_per_call: 1,
            host_bytes: 1,
            output_bytes: 1,
            log_lines: 1,
            log_bytes: 1,
            write_files: 1,
            write_bytes: 1,
        };
        assert_eq!(lowered(ones), expected);
    }

    #[test]
    fn what_is_above_the_hosts_own_counts_as_that() {
        let most = json!({"wallMs": i64::MAX, "hostCalls": 10_001, "resourceHandles": i64::MAX});
        assert_eq!(lowered(most), Limits::default());
        assert_eq!(lowered(json!({})), Limits::default());
    }

    #[test]
    fn a_ceiling_that_is_not_given_is_not_written_either() {
        let limits: ToolLimits<i64> = serde_json::from_value(json!({"wallMs": 5})).unwrap();
        assert_eq!(
            serde_json::to_value(limits.check().unwrap()).unwrap(),
            json!({"wallMs": 5})
        );
    }
}
