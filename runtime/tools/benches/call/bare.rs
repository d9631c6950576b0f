//! Bare wasmtime: the least that a host can do with a component, without any limit, check or record.
//!
//! It uses our engine, so that only what we add on top differs.

use innkeeper_sandbox::{Sandbox, bindings, wire};
use wasmtime::component::{Component, Linker};
use wasmtime::{Engine, Store};

/// A component, compiled and linked with the one function that it needs.
pub(crate) struct Bare {
    engine: Engine,
    component: Component,
    pre: bindings::ComponentPre<()>,
}

impl Bare {
    pub(crate) fn new(sandbox: &Sandbox, bytes: &[u8]) -> Self {
        let engine = sandbox.engine().clone();
        let component = Component::from_binary(&engine, bytes).expect("the committed component");
        Self {
            pre: link(&engine, &component),
            component,
            engine,
        }
    }

    /// A fresh instance from what is compiled and linked: what a good host does.
    pub(crate) async fn call(&self, request: &wire::Request) {
        call(&self.engine, &self.pre, request).await;
    }

    /// Links again for each call, as a host does that makes a linker in its request handler.
    pub(crate) async fn link_and_call(&self, request: &wire::Request) {
        call(&self.engine, &link(&self.engine, &self.component), request).await;
    }

    /// Compiles again for each call, as a host does that keeps nothing.
    pub(crate) async fn compile_and_call(&self, bytes: &[u8], request: &wire::Request) {
        let component = Component::from_binary(&self.engine, bytes).expect("the committed component");
        call(&self.engine, &link(&self.engine, &component), request).await;
    }
}

fn link(engine: &Engine, component: &Component) -> bindings::ComponentPre<()> {
    let mut linker: Linker<()> = Linker::new(engine);
    let mut random = linker
        .instance("innkeeper:random/random@0.1.0")
        .expect("a new instance");
    random
        .func_wrap_async("below", |_, (bound,): (u64,)| Box::new(async move { Ok((3 % bound,)) }))
        .expect("a new function");
    let linked = linker.instantiate_pre(component).expect("all imports are there");
    bindings::ComponentPre::new(linked).expect("the tool interface")
}

async fn call(engine: &Engine, pre: &bindings::ComponentPre<()>, request: &wire::Request) {
    let mut store = Store::new(engine, ());
    store.set_epoch_deadline(1);
    store.epoch_deadline_async_yield_and_update(1);
    let instance = pre.instantiate_async(&mut store).await.expect("an instance");
    let answer = instance.innkeeper_tool_tool().call_call(&mut store, request).await;
    std::hint::black_box(answer.expect("no trap").expect("a good formula"));
}
