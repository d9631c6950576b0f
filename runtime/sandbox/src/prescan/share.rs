//! What one instance of a component takes: core instances, memories and tables, components within it included.
//!
//! A component may instantiate another twice, which does so again: the sums grow with every level, so they saturate.

/// What an instance takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Share {
    pub(crate) instances: u64,
    pub(crate) memories: u64,
    pub(crate) tables: u64,
}

impl Share {
    /// A module that has nothing of its own yet.
    pub(crate) const fn one_instance() -> Self {
        Self {
            instances: 1,
            memories: 0,
            tables: 0,
        }
    }

    pub(crate) fn add_memories(&mut self, count: u32) {
        self.memories = self.memories.saturating_add(count.into());
    }

    pub(crate) fn add_tables(&mut self, count: u32) {
        self.tables = self.tables.saturating_add(count.into());
    }

    fn plus(self, other: Self) -> Self {
        Self {
            instances: self.instances.saturating_add(other.instances),
            memories: self.memories.saturating_add(other.memories),
            tables: self.tables.saturating_add(other.tables),
        }
    }

    fn at_least(self, other: Self) -> Self {
        Self {
            instances: self.instances.max(other.instances),
            memories: self.memories.max(other.memories),
            tables: self.tables.max(other.tables),
        }
    }
}

/// The modules and components that a component knows by number, and what it makes of them.
#[derive(Debug, Default)]
pub(crate) struct ComponentScope {
    modules: Vec<Share>,
    components: Vec<Share>,
    /// At least as much as anything in this scope takes: for what comes out of an instance and is not followed there.
    largest: Share,
    /// What one instance of this component takes.
    pub(crate) own: Share,
}

impl ComponentScope {
    pub(crate) fn add_module(&mut self, share: Share) {
        self.largest = self.largest.at_least(share);
        self.modules.push(share);
    }

    pub(crate) fn add_component(&mut self, share: Share) {
        self.largest = self.largest.at_least(share);
        self.components.push(share);
    }

    /// The module of this number; one that there is not is the compiler's to refuse.
    pub(crate) fn module(&self, index: u32) -> Share {
        self.modules.get(index as usize).copied().unwrap_or(self.largest)
    }

    /// The component of this number, likewise.
    pub(crate) fn component(&self, index: u32) -> Share {
        self.components.get(index as usize).copied().unwrap_or(self.largest)
    }

    /// What comes out of an instance under some name.
    pub(crate) const fn of_an_instance(&self) -> Share {
        self.largest
    }

    pub(crate) fn instantiate(&mut self, share: Share) {
        self.own = self.own.plus(share);
    }
}
