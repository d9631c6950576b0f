//! The look at a component's structure before it is compiled: how much of everything there is.
//!
//! It reads each byte once and stops at the first cap. It does not validate: whether the component is well formed is the compiler's to
//! say, which by then knows that it will not drown. The caps are far above what toolchains make.

mod code;
mod excess;
mod share;
mod types;

use wasmparser::{
    BinaryReaderError, Chunk, ComponentAlias, ComponentExternalKind, ComponentInstance, ComponentOuterAliasKind,
    Encoding, Instance, Parser, Payload,
};

pub use excess::{Excess, Quantity};
pub(crate) use share::Share;

use crate::load_error::LoadError;
use crate::meter::{MAX_INSTANCES, MAX_MEMORIES, MAX_TABLES};
use crate::prescan::code::CodeScan;
use crate::prescan::share::ComponentScope;
use crate::prescan::types::TypeScan;

/// Components within components; toolchains nest two or three.
const MAX_DEPTH: u64 = 20;
/// Modules and components; one for each adapter and library that is linked in.
const MAX_PARTS: u64 = 500;
/// Names, debug information and whatever else is not code, together.
const MAX_CUSTOM_BYTES: u64 = 32 * 1024 * 1024;
/// Stack for reading types. The parser reads types within types by calling itself, so a section of the largest size that is read, with
/// nothing but types within types, needs this much. Only what is used is ever backed by memory.
const STACK_BYTES: usize = 512 * 1024 * 1024;

/// What one instance of the component takes. Looks on a thread of its own.
///
/// # Errors
/// [`LoadError::Excess`] when there is too much of something, [`LoadError::Invalid`] when it cannot be read.
pub(crate) fn prescan(bytes: &[u8]) -> Result<Share, LoadError> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
        let scan = thread.spawn_scoped(scope, || Scan::default().run(bytes));
        let scan = scan.map_err(|e| LoadError::CompilerFailed { reason: e.to_string() })?;
        scan.join().unwrap_or_else(|_| {
            Err(LoadError::Invalid {
                reason: "the parser broke down on it".to_owned(),
            })
        })
    })
}

/// Where the scan is: within these scopes, having counted so much.
#[derive(Default)]
struct Scan {
    scopes: Vec<Scope>,
    parts: u64,
    custom_bytes: u64,
    types: TypeScan,
    code: CodeScan,
}

enum Scope {
    Component(ComponentScope),
    Module(Share),
}

impl Scan {
    fn run(mut self, bytes: &[u8]) -> Result<Share, LoadError> {
        let (mut parser, mut outer, mut rest) = (Parser::new(0), Vec::new(), bytes);
        loop {
            let payload = match parser.parse(rest, true).map_err(|e| malformed(&e))? {
                // All bytes are here, so more are never asked for; if they are, the end is missing.
                Chunk::NeedMoreData(_) => return Err(unended()),
                Chunk::Parsed { consumed, payload } => {
                    rest = rest.get(consumed..).ok_or_else(unended)?;
                    payload
                }
            };
            match payload {
                Payload::ModuleSection { parser: inner, .. } | Payload::ComponentSection { parser: inner, .. } => {
                    outer.push(std::mem::replace(&mut parser, inner));
                    self.enter(outer.len() as u64)?;
                }
                Payload::End(_) => match (self.leave()?, outer.pop()) {
                    (_, Some(parent)) => parser = parent,
                    (share, None) => return share.ok_or_else(unended).and_then(within_a_component),
                },
                payload => self.payload(payload)?,
            }
        }
    }

    fn enter(&mut self, depth: u64) -> Result<(), Excess> {
        Quantity::Depth.check(depth, MAX_DEPTH)?;
        self.parts += 1;
        Quantity::Parts.check(self.parts, MAX_PARTS)
    }

    /// Ends a scope. The outermost one's share is the component's.
    fn leave(&mut self) -> Result<Option<Share>, LoadError> {
        match (self.scopes.pop(), self.scopes.last_mut()) {
            (Some(Scope::Module(share)), Some(Scope::Component(parent))) => parent.add_module(share),
            (Some(Scope::Component(scope)), parent) => {
                self.types.leave()?;
                match parent {
                    Some(Scope::Component(parent)) => parent.add_component(scope.own),
                    _ => return Ok(Some(scope.own)),
                }
            }
            _ => return Err(unended()),
        }
        Ok(None)
    }

    fn payload(&mut self, payload: Payload<'_>) -> Result<(), Stop> {
        match payload {
            Payload::Version { encoding, .. } => self.begin(encoding),
            Payload::CustomSection(section) => {
                self.custom_bytes += section.data().len() as u64;
                Quantity::CustomBytes.check(self.custom_bytes, MAX_CUSTOM_BYTES)?;
            }
            Payload::MemorySection(section) => self.module(|share| share.add_memories(section.count())),
            Payload::TableSection(section) => self.module(|share| share.add_tables(section.count())),
            Payload::FunctionSection(section) => self.code.functions(section.count())?,
            Payload::CodeSectionEntry(body) => code::body(&body)?,
            Payload::ComponentTypeSection(section) => self.types.section(section)?,
            Payload::ComponentImportSection(section) => self.types.imports(section)?,
            Payload::ComponentExportSection(section) => self.types.exports(section)?,
            Payload::ComponentAliasSection(section) => {
                for alias in section {
                    self.alias(&alias?);
                }
            }
            Payload::InstanceSection(section) => {
                for instance in section {
                    if let Instance::Instantiate { module_index, .. } = instance? {
                        self.component(|scope| scope.instantiate(scope.module(module_index)));
                    }
                }
            }
            Payload::ComponentInstanceSection(section) => {
                for instance in section {
                    match instance? {
                        ComponentInstance::Instantiate { component_index, .. } => {
                            self.component(|scope| scope.instantiate(scope.component(component_index)));
                        }
                        ComponentInstance::FromExports(exports) => self.types.named(&exports)?,
                    }
                }
            }
            // Everything else costs a compiler no more than its bytes, or is nothing that it knows.
            _ => {}
        }
        Ok(())
    }

    fn begin(&mut self, encoding: Encoding) {
        self.scopes.push(match encoding {
            Encoding::Module => Scope::Module(Share::one_instance()),
            Encoding::Component => {
                self.types.enter();
                Scope::Component(ComponentScope::default())
            }
        });
    }

    fn alias(&mut self, alias: &ComponentAlias<'_>) {
        self.types.alias(alias);
        match alias {
            ComponentAlias::Outer { kind, count, index } => {
                let outer = self.scopes.iter().rev().nth(*count as usize);
                let found = match (kind, outer) {
                    (ComponentOuterAliasKind::CoreModule, Some(Scope::Component(scope))) => scope.module(*index),
                    (ComponentOuterAliasKind::Component, Some(Scope::Component(scope))) => scope.component(*index),
                    _ => Share::default(),
                };
                self.component(|scope| match kind {
                    ComponentOuterAliasKind::CoreModule => scope.add_module(found),
                    ComponentOuterAliasKind::Component => scope.add_component(found),
                    _ => {}
                });
            }
            ComponentAlias::InstanceExport { kind, .. } => self.component(|scope| match kind {
                ComponentExternalKind::Module => scope.add_module(scope.of_an_instance()),
                ComponentExternalKind::Component => scope.add_component(scope.of_an_instance()),
                _ => {}
            }),
            ComponentAlias::CoreInstanceExport { .. } => {}
        }
    }

    fn module(&mut self, change: impl FnOnce(&mut Share)) {
        if let Some(Scope::Module(share)) = self.scopes.last_mut() {
            change(share);
        }
    }

    fn component(&mut self, change: impl FnOnce(&mut ComponentScope)) {
        if let Some(Scope::Component(scope)) = self.scopes.last_mut() {
            change(scope);
        }
    }
}

/// Why the scan goes no further in a section.
enum Stop {
    Excess(Excess),
    Malformed(BinaryReaderError),
}

impl From<Excess> for Stop {
    fn from(excess: Excess) -> Self {
        Self::Excess(excess)
    }
}

impl From<BinaryReaderError> for Stop {
    fn from(error: BinaryReaderError) -> Self {
        Self::Malformed(error)
    }
}

impl From<Stop> for LoadError {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Excess(excess) => Self::Excess(excess),
            Stop::Malformed(error) => malformed(&error),
        }
    }
}

fn malformed(error: &BinaryReaderError) -> LoadError {
    LoadError::Invalid {
        reason: error.to_string(),
    }
}

fn unended() -> LoadError {
    LoadError::Invalid {
        reason: "the file ends in the middle of the component".to_owned(),
    }
}

fn within_a_component(share: Share) -> Result<Share, LoadError> {
    Quantity::Instances.check(share.instances, u64::from(MAX_INSTANCES))?;
    Quantity::Memories.check(share.memories, u64::from(MAX_MEMORIES))?;
    Quantity::Tables.check(share.tables, u64::from(MAX_TABLES))?;
    Ok(share)
}

#[cfg(test)]
mod tests;
