//! One call: a fresh instance, a deadline around everything, and the store gone before the answer is believed.
//!
//! Cancelling is dropping the future; nothing of the guest is left then.

use innkeeper_protocol::limits::{LimitKind, Limits, Usage};
use wasmtime::component::Resource;
use wasmtime::{PoolConcurrencyLimitError, Store, StoreContextMut, Trap, UpdateDeadline, WasmBacktrace};

use crate::bindings::Component as Bindings;
use crate::component::Prepared;
use crate::engine::Sandbox;
use crate::fault::{Fault, HostStop};
use crate::meter::{CallState, Meter};
use crate::wire;

/// Frames of one function at the top of the stack that mean runaway recursion rather than a stray pointer.
const RECURSION_FRAMES: usize = 12;
/// What wasmtime says when a guest hands over more than the per-call allowance. It has no public type; a test pins the words.
const HOST_DATA_EXHAUSTED: &str = "fuel allocated for hostcalls has been exhausted";

/// What a guest answered.
#[derive(Debug, Clone)]
pub enum GuestAnswer {
    /// The call worked.
    Reply(wire::Reply),
    /// The tool says that it did not.
    Failure(wire::Failure),
}

/// A call that is over.
pub struct CallReport<T> {
    /// The answer, or why there is none.
    pub answer: Result<GuestAnswer, Fault>,
    /// What it used.
    pub usage: Usage,
    /// The capabilities' state, with all that the call left in it.
    pub host: T,
}

impl Sandbox {
    /// Performs one call in a fresh instance. Waiting for a free place does not count against the deadline.
    pub async fn call<T: Send>(
        &self,
        prepared: &Prepared<T>,
        host: T,
        limits: Limits,
        request: wire::Request,
    ) -> CallReport<T> {
        let permit = self.permits.acquire().await;
        let started = self.clock.monotonic_micros();
        let mut store = store(prepared, host, &limits);
        let answer = tokio::time::timeout(limits.wall, answer(prepared, &mut store, &request)).await;
        let answer = match answer {
            Err(_elapsed) => Err(Fault::Limit(LimitKind::Timeout)),
            Ok(Err(error)) => Err(fault_of(&error, &mut store)),
            Ok(Ok(Ok(reply))) => Ok(GuestAnswer::Reply(reply)),
            Ok(Ok(Err(failure))) => Ok(GuestAnswer::Failure(failure)),
        };
        let state = store.into_data();
        drop(permit);
        let output_bytes = answer.as_ref().map_or(0, answer_bytes);
        let answer = match (answer, state.meter.overrun()) {
            // The guest was done before the engine's next tick.
            (Ok(_), Some(kind)) => Err(Fault::Limit(kind)),
            (Ok(_), None) if output_bytes > limits.output_bytes => Err(Fault::Limit(LimitKind::Output)),
            (answer, _) => answer,
        };
        let usage = Usage {
            wall_micros: self.clock.monotonic_micros().saturating_sub(started),
            peak_memory_bytes: state.meter.memory_peak(),
            host_calls: state.meter.host_calls(),
            output_bytes,
        };
        CallReport {
            answer,
            usage,
            host: state.host,
        }
    }

    /// Asks a component for its tools. Give a `host` with nothing armed.
    ///
    /// # Errors
    /// [`Fault`] when the component traps, reaches for a capability, or meets a limit.
    pub async fn specs<T: Send>(
        &self,
        prepared: &Prepared<T>,
        host: T,
        limits: Limits,
    ) -> Result<Vec<wire::Spec>, Fault> {
        let _permit = self.permits.acquire().await;
        let mut store = store(prepared, host, &limits);
        let specs = tokio::time::timeout(limits.wall, async {
            let bindings = prepared.pre.instantiate_async(&mut store).await?;
            bindings.innkeeper_tool_tool().call_specs(&mut store).await
        });
        match specs.await {
            Err(_elapsed) => Err(Fault::Limit(LimitKind::Timeout)),
            Ok(Err(error)) => Err(fault_of(&error, &mut store)),
            Ok(Ok(specs)) => Ok(specs),
        }
    }
}

/// A store of the component's engine, under every limit.
fn store<T: Send>(prepared: &Prepared<T>, host: T, limits: &Limits) -> Store<CallState<T>> {
    let mut store = Store::new(
        prepared.compiled.engine(),
        CallState {
            host,
            meter: Meter::new(limits.clone()),
        },
    );
    store.limiter(|state| &mut state.meter);
    store.set_epoch_deadline(1);
    store.epoch_deadline_callback(at_tick);
    store.set_hostcall_fuel(limits.host_bytes_per_call);
    store.set_max_component_handles(limits.resource_handles);
    store
}

/// A running guest makes room for others, unless a library's host functions were called too often.
fn at_tick<T>(store: StoreContextMut<'_, CallState<T>>) -> wasmtime::Result<UpdateDeadline> {
    match store.data().meter.overrun() {
        Some(kind) => Err(HostStop::Limit(kind).into()),
        None => Ok(UpdateDeadline::Yield(1)),
    }
}

async fn answer<T: Send>(
    prepared: &Prepared<T>,
    store: &mut Store<CallState<T>>,
    request: &wire::Request,
) -> wasmtime::Result<Result<wire::Reply, wire::Failure>> {
    let bindings: Bindings = prepared.pre.instantiate_async(&mut *store).await?;
    bindings.innkeeper_tool_tool().call_call(store, request).await
}

/// What an error out of the engine means. The host's own reasons come first: a refused allocation shows only as a later trap.
fn fault_of<T: Send>(error: &wasmtime::Error, store: &mut Store<CallState<T>>) -> Fault {
    if let Some(stop) = error.downcast_ref::<HostStop>() {
        return stop.clone().into();
    }
    if let Some(kind) = store.data().meter.refused() {
        return Fault::Limit(kind);
    }
    match error.downcast_ref::<Trap>() {
        Some(Trap::StackOverflow) => Fault::Limit(LimitKind::Stack),
        Some(Trap::MemoryOutOfBounds) if is_runaway_recursion(error) => Fault::Limit(LimitKind::Stack),
        Some(trap) => Fault::Trap(trap.to_string()),
        None if error.root_cause().to_string().contains(HOST_DATA_EXHAUSTED) => Fault::Limit(if in_guest(error) {
            LimitKind::HostData
        } else {
            LimitKind::Output
        }),
        None if error.is::<PoolConcurrencyLimitError>() || has_no_handle_left(store) => {
            Fault::Limit(LimitKind::Resource)
        }
        None => Fault::Trap(error.root_cause().to_string()),
    }
}

/// Whether the guest holds as many handles as it may. The engine stops the one that wants another with an error that has no type, so
/// the store is asked for one more: all handles of a store are counted together, the host's too.
fn has_no_handle_left<T: Send>(store: &mut Store<CallState<T>>) -> bool {
    struct OneMore;
    Resource::<OneMore>::new_own(0).try_into_resource_any(store).is_err()
}

/// Whether guest code was on the stack when it happened: a call into the host carries too much, rather than the reply.
fn in_guest(error: &wasmtime::Error) -> bool {
    error
        .downcast_ref::<WasmBacktrace>()
        .is_some_and(|backtrace| !backtrace.frames().is_empty())
}

/// A Rust guest's own stack lies at the start of its memory and runs out before the engine's does; that shows as an access below zero.
fn is_runaway_recursion(error: &wasmtime::Error) -> bool {
    let Some(backtrace) = error.downcast_ref::<WasmBacktrace>() else {
        return false;
    };
    let frames = backtrace.frames();
    let repeats = |index: u32| frames.iter().filter(|f| f.func_index() == index).count();
    frames
        .iter()
        .any(|frame| repeats(frame.func_index()) >= RECURSION_FRAMES)
}

fn answer_bytes(answer: &GuestAnswer) -> u64 {
    let bytes = match answer {
        GuestAnswer::Reply(reply) => {
            let blocks: usize = reply.content.iter().map(block_bytes).sum();
            let refs: usize = reply.resource_refs.iter().map(String::len).sum();
            blocks + refs + reply.structured.as_ref().map_or(0, String::len)
        }
        GuestAnswer::Failure(failure) => failure.message.len() + failure.details.as_ref().map_or(0, String::len),
    };
    bytes as u64
}

fn block_bytes(block: &wire::Block) -> usize {
    match block {
        wire::Block::Text(text) | wire::Block::Json(text) | wire::Block::Diff(text) => text.len(),
        wire::Block::Image(to) | wire::Block::Audio(to) | wire::Block::File(to) | wire::Block::Resource(to) => {
            to.uri.len() + to.media_type.as_ref().map_or(0, String::len) + to.title.as_ref().map_or(0, String::len)
        }
    }
}
