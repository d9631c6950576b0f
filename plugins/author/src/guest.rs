//! The component side: allocator, export, and the conversion of our plain types into those of the contract. Only for wasm; it
//! decides nothing.

use std::marker::PhantomData;

use crate::bindings::exports::innkeeper::tool::tool as wit;
use crate::tool::{Spec, dispatch};
use crate::{Block, Cost, Permission, Reply, Tool, ToolError};

/// Uses the initial memory before it grows: the first `memory.grow` would be the largest cost of a call.
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

/// What a component holds.
pub trait Extension {
    /// Its tools.
    fn tools() -> Vec<Tool>;
}

/// Answers the host for an extension.
pub struct Component<E>(PhantomData<E>);

impl<E: Extension> wit::Guest for Component<E> {
    fn specs() -> Vec<wit::Spec> {
        E::tools().into_iter().map(|tool| spec(tool.spec)).collect()
    }

    fn call(request: wit::Request) -> Result<wit::Reply, wit::Failure> {
        dispatch(&E::tools(), &request.name, &request.arguments)
            .map(reply)
            .map_err(failure)
    }
}

fn spec(spec: Spec) -> wit::Spec {
    wit::Spec {
        name: spec.name,
        title: spec.title,
        description: spec.description,
        input_schema: spec.input_schema,
        output_schema: spec.output_schema,
        annotations: wit::Annotations {
            read_only: spec.read_only,
            destructive: spec.destructive,
            idempotent: spec.idempotent,
            // Nothing else outside the host can be reached through the capabilities of this crate.
            open_world: spec.uses.iter().any(|name| name == crate::host::http::INTERFACE),
            cost: match spec.cost {
                Cost::Low => wit::Cost::Low,
                Cost::Normal => wit::Cost::Normal,
                Cost::High => wit::Cost::High,
            },
        },
        visibility: if spec.for_user_only {
            wit::Visibility::User
        } else {
            wit::Visibility::Model
        },
        permission: match spec.permission {
            Permission::Allow => wit::Permission::Allow,
            Permission::Ask => wit::Permission::Ask,
            Permission::Deny => wit::Permission::Deny,
        },
        budget: wit::Budget {
            max_calls: spec.max_calls,
            max_output_chars: spec.max_output_chars,
            timeout_ms: spec.timeout_ms,
        },
        uses: spec.uses,
    }
}

fn reply(reply: Reply) -> wit::Reply {
    let block = |block| match block {
        Block::Text(text) => wit::Block::Text(text),
        Block::Json(text) => wit::Block::Json(text),
        Block::Diff(text) => wit::Block::Diff(text),
    };
    wit::Reply {
        content: reply.content.into_iter().map(block).collect(),
        structured: reply.structured,
        resource_refs: reply.refs,
    }
}

fn failure(error: ToolError) -> wit::Failure {
    wit::Failure {
        code: error.code().to_owned(),
        message: error.message().to_owned(),
        details: error.details_json().map(str::to_owned),
    }
}
