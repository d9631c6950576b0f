//! `wasi:*` for components of other toolchains, with nothing in it: no files, environment, arguments or network, and an input that has
//! ended. What they print goes to the call's log.
//!
//! Nobody has to grant any of it. Time and chance are real only for a tool that uses `innkeeper:clock` or `innkeeper:random`, which its
//! component must have been granted. What is not listed here, `wasi:http` for instance, is refused by name.

mod chance;
mod print;
mod time;

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use innkeeper_sandbox::{CallState, Linker};
use rand_chacha::ChaCha20Rng;
use wasmtime::component::{HasData, ResourceTable};
use wasmtime_wasi::cli::{WasiCli, WasiCliCtxView, WasiCliView as _};
use wasmtime_wasi::filesystem::{WasiFilesystem, WasiFilesystemCtxView, WasiFilesystemView as _};
use wasmtime_wasi::p2::bindings::{cli, clocks, filesystem, io, random, sockets};
use wasmtime_wasi::sockets::{WasiSockets, WasiSocketsCtxView, WasiSocketsView as _};
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};

use crate::host::{CallHost, HasView, View, view};

/// Versions that fit each other: those of WASI 0.2.
const VERSIONS: &str = "0.2.";

/// Adds one interface to a linker.
pub(crate) type Link = fn(&mut Linker<CallState<CallHost>>) -> wasmtime::Result<()>;

/// Every interface that is served. Those over `view` are ours, the others the library's over an empty context.
const SERVED: [(&str, Link); 27] = [
    ("wasi:cli/environment", |l| {
        cli::environment::add_to_linker::<_, WasiCli>(l, program_view)
    }),
    ("wasi:cli/exit", |l| {
        cli::exit::add_to_linker::<_, WasiCli>(l, program_view)
    }),
    ("wasi:cli/stdin", |l| {
        cli::stdin::add_to_linker::<_, WasiCli>(l, program_view)
    }),
    ("wasi:cli/stdout", |l| cli::stdout::add_to_linker::<_, HasView>(l, view)),
    ("wasi:cli/stderr", |l| cli::stderr::add_to_linker::<_, HasView>(l, view)),
    ("wasi:cli/terminal-input", |l| {
        cli::terminal_input::add_to_linker::<_, WasiCli>(l, program_view)
    }),
    ("wasi:cli/terminal-output", |l| {
        cli::terminal_output::add_to_linker::<_, WasiCli>(l, program_view)
    }),
    ("wasi:cli/terminal-stdin", |l| {
        cli::terminal_stdin::add_to_linker::<_, WasiCli>(l, program_view)
    }),
    ("wasi:cli/terminal-stdout", |l| {
        cli::terminal_stdout::add_to_linker::<_, WasiCli>(l, program_view)
    }),
    ("wasi:cli/terminal-stderr", |l| {
        cli::terminal_stderr::add_to_linker::<_, WasiCli>(l, program_view)
    }),
    ("wasi:clocks/monotonic-clock", |l| {
        clocks::monotonic_clock::add_to_linker::<_, HasView>(l, view)
    }),
    ("wasi:clocks/wall-clock", |l| {
        clocks::wall_clock::add_to_linker::<_, HasView>(l, view)
    }),
    ("wasi:filesystem/preopens", |l| {
        filesystem::preopens::add_to_linker::<_, WasiFilesystem>(l, files_view)
    }),
    ("wasi:filesystem/types", |l| {
        filesystem::types::add_to_linker::<_, WasiFilesystem>(l, files_view)
    }),
    ("wasi:io/error", |l| {
        io::error::add_to_linker::<_, Handles>(l, handles_view)
    }),
    ("wasi:io/poll", |l| {
        io::poll::add_to_linker::<_, Handles>(l, handles_view)
    }),
    ("wasi:io/streams", |l| {
        io::streams::add_to_linker::<_, Handles>(l, handles_view)
    }),
    ("wasi:random/insecure", |l| {
        random::insecure::add_to_linker::<_, HasView>(l, view)
    }),
    ("wasi:random/insecure-seed", |l| {
        random::insecure_seed::add_to_linker::<_, HasView>(l, view)
    }),
    ("wasi:random/random", |l| {
        random::random::add_to_linker::<_, HasView>(l, view)
    }),
    ("wasi:sockets/instance-network", |l| {
        sockets::instance_network::add_to_linker::<_, WasiSockets>(l, network_view)
    }),
    ("wasi:sockets/ip-name-lookup", |l| {
        sockets::ip_name_lookup::add_to_linker::<_, WasiSockets>(l, network_view)
    }),
    ("wasi:sockets/network", |l| {
        sockets::network::add_to_linker::<_, WasiSockets>(l, &sockets::network::LinkOptions::default(), network_view)
    }),
    ("wasi:sockets/tcp", |l| {
        sockets::tcp::add_to_linker::<_, WasiSockets>(l, network_view)
    }),
    ("wasi:sockets/tcp-create-socket", |l| {
        sockets::tcp_create_socket::add_to_linker::<_, WasiSockets>(l, network_view)
    }),
    ("wasi:sockets/udp", |l| {
        sockets::udp::add_to_linker::<_, WasiSockets>(l, network_view)
    }),
    ("wasi:sockets/udp-create-socket", |l| {
        sockets::udp_create_socket::add_to_linker::<_, WasiSockets>(l, network_view)
    }),
];

/// How this interface of WASI is linked; none when it is not served, or is no interface of WASI.
pub(crate) fn served(import: &str) -> Option<Link> {
    let (name, version) = import.split_once('@')?;
    let mut fitting = SERVED.iter().filter(|_| version.starts_with(VERSIONS));
    fitting.find(|(served, _)| *served == name).map(|(_, link)| *link)
}

/// Whether a component may import this interface of WASI and gets it with nothing in it.
#[must_use]
pub fn is_linked_empty(import: &str) -> bool {
    served(import).is_some()
}

/// The side of WASI that one call has; made when it is first reached for.
pub(crate) struct Wasi {
    context: WasiCtx,
    table: ResourceTable,
    generator: Option<ChaCha20Rng>,
    /// The latest reading of the monotonic clock.
    latest: Duration,
}

impl Wasi {
    fn new(handles: usize) -> Self {
        let mut table = ResourceTable::new();
        table.set_max_capacity(handles);
        Self {
            // No arguments, environment, files or addresses is how it starts; without these two a guest could have sockets that lead nowhere.
            context: WasiCtx::builder().allow_tcp(false).allow_udp(false).build(),
            table,
            generator: None,
            latest: Duration::ZERO,
        }
    }
}

impl WasiView for Wasi {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView {
            ctx: &mut self.context,
            table: &mut self.table,
        }
    }
}

/// The marker by which the library finds its handles.
struct Handles;

impl HasData for Handles {
    type Data<'a> = &'a mut ResourceTable;
}

/// What a function of the library works on. Each of them comes by here once per call, which is where it is counted.
fn empty(state: &mut CallState<CallHost>) -> &mut Wasi {
    let printed = state.host.log.lock().take_printed();
    state.meter.library_call(printed);
    wasi(&mut state.host, state.meter.limits().resource_handles)
}

fn program_view(state: &mut CallState<CallHost>) -> WasiCliCtxView<'_> {
    empty(state).cli()
}

fn files_view(state: &mut CallState<CallHost>) -> WasiFilesystemCtxView<'_> {
    empty(state).filesystem()
}

fn network_view(state: &mut CallState<CallHost>) -> WasiSocketsCtxView<'_> {
    empty(state).sockets()
}

fn handles_view(state: &mut CallState<CallHost>) -> &mut ResourceTable {
    &mut empty(state).table
}

fn wasi(host: &mut CallHost, handles: usize) -> &mut Wasi {
    // A stream or a pollable can take two entries for one handle of the guest, and the guest's are what is limited.
    let wasi = host
        .wasi
        .get_or_insert_with(|| Box::new(Mutex::new(Wasi::new(handles.saturating_mul(2)))));
    wasi.get_mut().unwrap_or_else(PoisonError::into_inner)
}

impl View<'_> {
    fn wasi(&mut self) -> &mut Wasi {
        wasi(self.host, self.meter.limits().resource_handles)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_served_is_known_by_name_and_version() {
        for known in [
            "wasi:cli/environment@0.2.0",
            "wasi:io/streams@0.2.12",
            "wasi:filesystem/types@0.2.3",
        ] {
            assert!(is_linked_empty(known), "{known}");
        }
        for unknown in [
            "wasi:cli/environment",
            "wasi:cli/environment@0.3.0",
            "wasi:cli/environment@0.20.0",
            "wasi:http/outgoing-handler@0.2.0",
            "wasi:nn/graph@0.2.0",
            "wasi:random/random/x@0.2.0",
            "innkeeper:random/random@0.2.0",
        ] {
            assert!(!is_linked_empty(unknown), "{unknown}");
        }
    }
}
