//! Which version of each package of the contract this host serves, and whether something that was built for another one fits.
//!
//! A package that had to break is frozen in a folder of its own and gets a row of its own here, next to the current one. Whether an
//! interface is granted is not asked here.

use std::fmt;

use semver::Version;

/// The interface that every component exports.
pub(crate) const TOOL_INTERFACE: &str = "innkeeper:tool/tool";
/// The version of it that is served.
pub(crate) const TOOL_VERSION: Version = Version::new(0, 1, 0);

/// Packages with the versions that are served, as they stand in `wit/`.
const SERVED: [(&str, Version); 10] = [
    ("innkeeper:tool", TOOL_VERSION),
    ("innkeeper:workspace", Version::new(0, 1, 0)),
    ("innkeeper:chat", Version::new(0, 1, 0)),
    ("innkeeper:worldinfo", Version::new(0, 1, 0)),
    ("innkeeper:skills", Version::new(0, 1, 0)),
    ("innkeeper:random", Version::new(0, 1, 0)),
    ("innkeeper:clock", Version::new(0, 1, 0)),
    ("innkeeper:http", Version::new(0, 1, 0)),
    ("innkeeper:run", Version::new(0, 1, 0)),
    ("innkeeper:log", Version::new(0, 1, 0)),
];

/// Something that was built for another version of the contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// The interface with the version that it was built for.
    pub built_for: String,
    /// The versions that this host serves.
    pub serves: Vec<Version>,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let package = self.built_for.split('/').next().unwrap_or_default();
        let serves: Vec<String> = self.serves.iter().map(Version::to_string).collect();
        write!(
            f,
            "built for {}, this host serves {package} {}",
            self.built_for,
            serves.join(" and ")
        )
    }
}

/// What does not fit about an interface with a version, as `innkeeper:chat/history@0.2.0`. Packages of others are nobody's here.
#[must_use]
pub fn misfit(interface: &str) -> Option<Misfit> {
    let (name, version) = interface.split_once('@')?;
    let package = name.split('/').next().unwrap_or_default();
    let served: Vec<Version> = SERVED
        .iter()
        .filter(|(served, _)| *served == package)
        .map(|(_, version)| version.clone())
        .collect();
    let fits = |built: &Version| served.iter().any(|served| serves(served, built));
    if served.is_empty() || Version::parse(version).is_ok_and(|built| fits(&built)) {
        return None;
    }
    Some(Misfit {
        built_for: interface.to_owned(),
        serves: served,
    })
}

/// Whether what was built for one version finds everything in the other: the same line of compatible versions, and not a later one.
fn serves(served: &Version, built: &Version) -> bool {
    let line = |version: &Version| match (version.major, version.minor) {
        (0, 0) => (0, 0, version.patch),
        (0, minor) => (0, minor, 0),
        (major, _) => (major, 0, 0),
    };
    line(served) == line(built) && built <= served
}

#[cfg(test)]
mod tests {
    use innkeeper_capabilities::Interface;

    use super::*;

    fn told(interface: &str) -> Option<String> {
        misfit(interface).map(|misfit| misfit.to_string())
    }

    #[test]
    fn what_was_built_for_another_version_is_told_with_both() {
        let later = "built for innkeeper:chat/history@0.2.0, this host serves innkeeper:chat 0.1.0";
        assert_eq!(told("innkeeper:chat/history@0.2.0").as_deref(), Some(later));
        assert!(
            told("innkeeper:chat/history@0.1.1").is_some(),
            "it may use what is not there yet"
        );
        assert!(told("innkeeper:tool/tool@nonsense").is_some());
        assert_eq!(told("innkeeper:tool/tool@0.1.0"), None);
        assert_eq!(told("wasi:cli/environment@0.2.0"), None);
    }

    #[test]
    fn an_earlier_version_of_the_same_line_is_served() {
        let serves = |served: &str, built: &str| serves(&served.parse().unwrap(), &built.parse().unwrap());
        assert!(serves("0.1.2", "0.1.0") && serves("1.4.0", "1.0.3") && serves("0.0.1", "0.0.1"));
        assert!(!serves("0.2.0", "0.1.0") && !serves("2.0.0", "1.9.0") && !serves("0.0.2", "0.0.1"));
    }

    #[test]
    fn the_table_is_what_stands_in_the_contract_and_what_is_linked() {
        let wit = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../wit");
        for (package, version) in &SERVED {
            let name = package.trim_start_matches("innkeeper:");
            let text = std::fs::read_to_string(wit.join(name).join(format!("{name}.wit"))).unwrap();
            assert!(text.contains(&format!("package {package}@{version};")), "{package}");
        }
        for interface in Interface::ALL {
            let package = interface.name().split('/').next();
            assert!(
                SERVED.iter().any(|(served, _)| Some(*served) == package),
                "{interface:?}"
            );
        }
    }

    #[test]
    fn the_compatibility_table_of_the_contract_is_this_one() {
        let readme = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../wit/README.md");
        let text = std::fs::read_to_string(readme).unwrap();
        let rows = text.lines().filter_map(|line| line.strip_prefix("| `innkeeper:"));
        let told: Vec<(String, String)> = rows
            .map(|row| {
                let cells: Vec<&str> = row.split('|').map(str::trim).collect();
                (
                    format!("innkeeper:{}", cells[0].trim_end_matches('`')),
                    cells[1].to_owned(),
                )
            })
            .collect();
        let served = SERVED
            .into_iter()
            .map(|(package, version)| (package.to_owned(), version.to_string()));
        assert_eq!(told, served.collect::<Vec<_>>());
    }
}
