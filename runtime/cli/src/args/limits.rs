//! `--limit NAME=VALUE`: limits of a call, which can be lowered and never raised.

use std::str::FromStr;
use std::time::Duration;

use innkeeper::protocol::limits::Limits;

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

/// The limits that can be set for a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LimitName {
    WallMs,
    MemoryMib,
    TableElements,
    HostCalls,
    HostDataKib,
    OutputKib,
    LogLines,
    WriteKib,
}

impl LimitName {
    const ALL: [Self; 8] = [
        Self::WallMs,
        Self::MemoryMib,
        Self::TableElements,
        Self::HostCalls,
        Self::HostDataKib,
        Self::OutputKib,
        Self::LogLines,
        Self::WriteKib,
    ];

    const fn as_str(self) -> &'static str {
        match self {
            Self::WallMs => "wall-ms",
            Self::MemoryMib => "memory-mib",
            Self::TableElements => "table-elements",
            Self::HostCalls => "host-calls",
            Self::HostDataKib => "host-data-kib",
            Self::OutputKib => "output-kib",
            Self::LogLines => "log-lines",
            Self::WriteKib => "write-kib",
        }
    }

    /// The host's own value, in this limit's unit.
    fn ceiling(self) -> u64 {
        let host = Limits::default();
        match self {
            Self::WallMs => u64::try_from(host.wall.as_millis()).unwrap_or(u64::MAX),
            Self::MemoryMib => host.memory_bytes / MIB,
            Self::TableElements => host.table_elements,
            Self::HostCalls => host.host_calls,
            Self::HostDataKib => host.host_bytes / KIB,
            Self::OutputKib => host.output_bytes / KIB,
            Self::LogLines => host.log_lines,
            Self::WriteKib => host.write_bytes / KIB,
        }
    }
}

/// One limit with its value, already checked against the host's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LimitSetting {
    name: LimitName,
    value: u64,
}

impl LimitSetting {
    /// Puts the limit into the table.
    pub(crate) fn apply(self, limits: &mut Limits) {
        let value = self.value;
        match self.name {
            LimitName::WallMs => limits.wall = Duration::from_millis(value),
            LimitName::MemoryMib => limits.memory_bytes = value.saturating_mul(MIB),
            LimitName::TableElements => limits.table_elements = value,
            LimitName::HostCalls => limits.host_calls = value,
            LimitName::HostDataKib => {
                limits.host_bytes = value.saturating_mul(KIB);
                let bytes = usize::try_from(limits.host_bytes).unwrap_or(usize::MAX);
                limits.host_bytes_per_call = limits.host_bytes_per_call.min(bytes);
            }
            LimitName::OutputKib => limits.output_bytes = value.saturating_mul(KIB),
            LimitName::LogLines => limits.log_lines = value,
            LimitName::WriteKib => limits.write_bytes = value.saturating_mul(KIB),
        }
    }
}

impl FromStr for LimitSetting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or("write NAME=VALUE, as wall-ms=500")?;
        if name == "stack-kib" {
            return Err("the stack belongs to the whole engine and cannot be set for a call; it is 512 KiB".to_owned());
        }
        let name = LimitName::ALL
            .into_iter()
            .find(|known| known.as_str() == name)
            .ok_or_else(|| {
                let known = LimitName::ALL.map(LimitName::as_str).join(", ");
                format!("there is no limit of that name; there are {known}")
            })?;
        let value: u64 = value
            .parse()
            .map_err(|_| "the value must be a whole number".to_owned())?;
        let ceiling = name.ceiling();
        if value > ceiling {
            return Err(format!(
                "a limit can only be lowered; this host has {}={ceiling}",
                name.as_str()
            ));
        }
        if value == 0 {
            return Err(format!("the value must be from 1 to {ceiling}"));
        }
        Ok(Self { name, value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        text.parse::<LimitSetting>().unwrap_err()
    }

    #[test]
    fn every_limit_can_be_set_to_the_hosts_own_value_and_changes_nothing_then() {
        for name in LimitName::ALL {
            let mut limits = Limits::default();
            let setting: LimitSetting = format!("{}={}", name.as_str(), name.ceiling()).parse().unwrap();
            setting.apply(&mut limits);
            assert_eq!(limits, Limits::default(), "{}", name.as_str());
        }
    }

    #[test]
    fn a_lowered_limit_is_in_its_unit() {
        let mut limits = Limits::default();
        for text in ["wall-ms=5", "memory-mib=2", "host-data-kib=3", "write-kib=1"] {
            text.parse::<LimitSetting>().unwrap().apply(&mut limits);
        }
        let expected = Limits {
            wall: Duration::from_millis(5),
            memory_bytes: 2 * MIB,
            host_bytes: 3 * KIB,
            host_bytes_per_call: 3 * 1024,
            write_bytes: KIB,
            ..Limits::default()
        };
        assert_eq!(limits, expected);
    }

    #[test]
    fn what_cannot_be_set_is_refused_with_the_reason() {
        assert_eq!(
            refusal("wall-ms=10001"),
            "a limit can only be lowered; this host has wall-ms=10000"
        );
        assert_eq!(refusal("wall-ms=0"), "the value must be from 1 to 10000");
        assert_eq!(refusal("wall-ms=1.5"), "the value must be a whole number");
        assert_eq!(refusal("wall-ms"), "write NAME=VALUE, as wall-ms=500");
        assert!(refusal("fuel=1").contains("there are wall-ms, memory-mib"));
        assert!(refusal("stack-kib=64").contains("cannot be set for a call"));
    }
}
