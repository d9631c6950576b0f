//! Links a component with what it was granted, and with nothing else.
//!
//! What is linked can still be refused to a tool that does not use it; see [`crate::CallHost::armed`].

use innkeeper_sandbox::{CallState, Compiled, Linker, LoadError};

use crate::bindings::innkeeper::{chat, clock, http, log, random, run, skills, workspace, worldinfo};
use crate::host::{CallHost, HasView, view};
use crate::interface::{Capability, Interface};
use crate::wasi;

/// A linker with the interfaces that the component imports, each of which must have been granted.
///
/// # Errors
/// [`LoadError::ImportRefused`] naming the first interface that is not served or was not granted, [`LoadError::Invalid`] when a
/// served interface cannot be linked.
pub fn link(compiled: &Compiled, granted: &[Capability]) -> Result<Linker<CallState<CallHost>>, LoadError> {
    let mut linker = Linker::new(compiled.engine());
    for import in &compiled.imports {
        let refused = |why| LoadError::ImportRefused {
            interface: import.clone(),
            why,
        };
        if let Some(add_empty) = wasi::served(import) {
            add_empty(&mut linker).map_err(|e| unusable(import, &e))?;
            continue;
        }
        let interface = Interface::parse(import).ok_or_else(|| refused("this host does not have"))?;
        if interface.capability().is_some_and(|needed| !granted.contains(&needed)) {
            return Err(refused("was not granted"));
        }
        add(&mut linker, interface).map_err(|e| unusable(import, &e))?;
    }
    Ok(linker)
}

fn unusable(import: &str, error: &wasmtime::Error) -> LoadError {
    LoadError::Invalid {
        reason: format!("{import}: {error:#}"),
    }
}

fn add(linker: &mut Linker<CallState<CallHost>>, interface: Interface) -> wasmtime::Result<()> {
    match interface {
        Interface::ChatHistory => chat::history::add_to_linker::<_, HasView>(linker, view),
        Interface::WorldinfoActivated => worldinfo::activated::add_to_linker::<_, HasView>(linker, view),
        Interface::SkillsLibrary => skills::library::add_to_linker::<_, HasView>(linker, view),
        Interface::WorkspaceTypes => workspace::types::add_to_linker::<_, HasView>(linker, view),
        Interface::WorkspaceReader => workspace::reader::add_to_linker::<_, HasView>(linker, view),
        Interface::WorkspaceWriter => workspace::writer::add_to_linker::<_, HasView>(linker, view),
        Interface::RunControl => run::control::add_to_linker::<_, HasView>(linker, view),
        Interface::Random => random::random::add_to_linker::<_, HasView>(linker, view),
        Interface::Clock => clock::clock::add_to_linker::<_, HasView>(linker, view),
        Interface::HttpFetch => http::fetch::add_to_linker::<_, HasView>(linker, view),
        Interface::Log => log::log::add_to_linker::<_, HasView>(linker, view),
    }
}
