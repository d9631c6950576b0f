//! `[limits]`: ceilings that an author suggests for each call of his tools.
//!
//! They only take away: what is above the host's own counts as that.

use std::time::Duration;

use innkeeper_protocol::limits::Limits;
use serde::{Deserialize, Serialize};

use super::error::ManifestError;

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

/// Suggested ceilings; the host's own where none is given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct SuggestedLimits {
    /// Milliseconds of wall clock, waiting in the host included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall_ms: Option<u64>,
    /// MiB of linear memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_mib: Option<u64>,
    /// Table elements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table_elements: Option<u64>,
    /// Calls into the host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_calls: Option<u64>,
    /// KiB copied from the guest in all host calls together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_data_kib: Option<u64>,
    /// KiB of a reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_kib: Option<u64>,
    /// Log lines that are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_lines: Option<u64>,
    /// KiB of all writes of a call together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_kib: Option<u64>,
}

impl SuggestedLimits {
    /// Whether nothing is suggested.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What is suggested, by the names that people write.
    #[must_use]
    pub fn named(&self) -> Vec<(&'static str, u64)> {
        let all = [
            ("wall-ms", self.wall_ms),
            ("memory-mib", self.memory_mib),
            ("table-elements", self.table_elements),
            ("host-calls", self.host_calls),
            ("host-data-kib", self.host_data_kib),
            ("output-kib", self.output_kib),
            ("log-lines", self.log_lines),
            ("write-kib", self.write_kib),
        ];
        all.into_iter()
            .filter_map(|(name, value)| Some((name, value?)))
            .collect()
    }

    pub(super) fn checked(self) -> Result<Self, ManifestError> {
        match self.named().into_iter().find(|(_, value)| *value == 0) {
            None => Ok(self),
            Some((key, _)) => Err(ManifestError::Value {
                key,
                problem: "with a limit of 0 no call could ever be made".to_owned(),
            }),
        }
    }

    /// The host's ceilings, lowered.
    #[must_use]
    pub fn lower(&self, host: &Limits) -> Limits {
        let scaled = |asked: Option<u64>, unit: u64, own: u64| asked.map_or(own, |n| n.saturating_mul(unit));
        host.lowered_to(&Limits {
            wall: self.wall_ms.map_or(host.wall, Duration::from_millis),
            memory_bytes: scaled(self.memory_mib, MIB, host.memory_bytes),
            table_elements: scaled(self.table_elements, 1, host.table_elements),
            host_calls: scaled(self.host_calls, 1, host.host_calls),
            host_bytes: scaled(self.host_data_kib, KIB, host.host_bytes),
            output_bytes: scaled(self.output_kib, KIB, host.output_bytes),
            log_lines: scaled(self.log_lines, 1, host.log_lines),
            write_bytes: scaled(self.write_kib, KIB, host.write_bytes),
            ..host.clone()
        })
    }
}
