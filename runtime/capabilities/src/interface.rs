//! The interfaces that the host serves, by name, and the capability that grants each.
//!
//! The list is closed: what is not here is refused by name when a component is loaded.

/// One interface of a capability package.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Interface {
    /// The chat of the run.
    ChatHistory,
    /// World info that was activated for the run.
    WorldinfoActivated,
    /// Agent Skills.
    SkillsLibrary,
    /// Shapes of the workspace; no functions, always linked.
    WorkspaceTypes,
    /// Listing and reading files.
    WorkspaceReader,
    /// Staging changes of files.
    WorkspaceWriter,
    /// Asking for a commit or the end of the run.
    RunControl,
    /// Recorded random numbers.
    Random,
    /// Recorded time.
    Clock,
    /// Requests to granted hosts.
    HttpFetch,
    /// Diagnostics; always linked and armed.
    Log,
}

/// What a component can be granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Capability {
    /// `chat`
    Chat,
    /// `worldinfo`
    Worldinfo,
    /// `skills`
    Skills,
    /// `workspace-read`
    WorkspaceRead,
    /// `workspace-write`
    WorkspaceWrite,
    /// `random`
    Random,
    /// `clock`
    Clock,
    /// Requests to the network. Granted host by host, so its name alone grants nothing.
    Http,
    /// Control of the run; built-ins only, so it has no name to grant it by.
    RunControl,
}

impl Capability {
    /// The capabilities that a person can grant by a single name, with that name.
    pub const GRANTABLE: [(&'static str, Self); 7] = [
        ("chat", Self::Chat),
        ("worldinfo", Self::Worldinfo),
        ("skills", Self::Skills),
        ("workspace-read", Self::WorkspaceRead),
        ("workspace-write", Self::WorkspaceWrite),
        ("random", Self::Random),
        ("clock", Self::Clock),
    ];

    /// Everything, as the built-ins have it.
    pub const ALL: [Self; 9] = [
        Self::Chat,
        Self::Worldinfo,
        Self::Skills,
        Self::WorkspaceRead,
        Self::WorkspaceWrite,
        Self::Random,
        Self::Clock,
        Self::Http,
        Self::RunControl,
    ];

    /// What the capability lets a component do, in words for the person who grants it.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Chat => "read the messages of the current chat",
            Self::Worldinfo => "read the world info entries that are active in the current chat",
            Self::Skills => "read the installed skills",
            Self::WorkspaceRead => "read the files of the run's workspace",
            Self::WorkspaceWrite => "create, change and remove files of the run's workspace",
            Self::Random => "draw random numbers",
            Self::Clock => "learn the date and time",
            Self::Http => "send requests to the hosts that you name",
            Self::RunControl => "commit messages into the chat and end the run (built-in tools only)",
        }
    }

    /// The name by which the capability is granted, with `HOST` where a host belongs; none for what cannot be granted.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        if self == Self::Http {
            return Some("http=HOST");
        }
        Self::GRANTABLE
            .iter()
            .find(|(_, capability)| *capability == self)
            .map(|(name, _)| *name)
    }

    /// The capability of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::GRANTABLE
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, capability)| *capability)
    }
}

impl Interface {
    /// Every interface.
    pub const ALL: [Self; 11] = [
        Self::ChatHistory,
        Self::WorldinfoActivated,
        Self::SkillsLibrary,
        Self::WorkspaceTypes,
        Self::WorkspaceReader,
        Self::WorkspaceWriter,
        Self::RunControl,
        Self::Random,
        Self::Clock,
        Self::HttpFetch,
        Self::Log,
    ];

    /// The name without a version, as a tool's `uses` lists it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ChatHistory => "innkeeper:chat/history",
            Self::WorldinfoActivated => "innkeeper:worldinfo/activated",
            Self::SkillsLibrary => "innkeeper:skills/library",
            Self::WorkspaceTypes => "innkeeper:workspace/types",
            Self::WorkspaceReader => "innkeeper:workspace/reader",
            Self::WorkspaceWriter => "innkeeper:workspace/writer",
            Self::RunControl => "innkeeper:run/control",
            Self::Random => "innkeeper:random/random",
            Self::Clock => "innkeeper:clock/clock",
            Self::HttpFetch => "innkeeper:http/fetch",
            Self::Log => "innkeeper:log/log",
        }
    }

    /// The interface of that name, with or without a version.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let bare = name.split_once('@').map_or(name, |(bare, _)| bare);
        Self::ALL.into_iter().find(|interface| interface.name() == bare)
    }

    /// What must be granted for this interface to be linked; none where it always is.
    #[must_use]
    pub const fn capability(self) -> Option<Capability> {
        match self {
            Self::ChatHistory => Some(Capability::Chat),
            Self::WorldinfoActivated => Some(Capability::Worldinfo),
            Self::SkillsLibrary => Some(Capability::Skills),
            Self::WorkspaceReader => Some(Capability::WorkspaceRead),
            Self::WorkspaceWriter => Some(Capability::WorkspaceWrite),
            Self::RunControl => Some(Capability::RunControl),
            Self::Random => Some(Capability::Random),
            Self::Clock => Some(Capability::Clock),
            Self::HttpFetch => Some(Capability::Http),
            Self::WorkspaceTypes | Self::Log => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_with_and_without_a_version() {
        assert_eq!(
            Interface::parse("innkeeper:random/random@0.1.0"),
            Some(Interface::Random)
        );
        assert_eq!(Interface::parse("innkeeper:random/random"), Some(Interface::Random));
        assert_eq!(Interface::parse("wasi:cli/environment@0.2.0"), None);
    }

    #[test]
    fn control_of_the_run_cannot_be_granted_by_name() {
        assert!(
            Capability::GRANTABLE
                .iter()
                .all(|(_, capability)| *capability != Capability::RunControl)
        );
    }
}
