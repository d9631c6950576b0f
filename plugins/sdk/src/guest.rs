//! The component side of a family: allocator, bindings of the export, and the conversion of our plain
//! types into them. Only for wasm; it decides nothing.

use std::marker::PhantomData;

use crate::{Cost, Failure, Family, Permission, Reply, Spec, Tool, Visibility, family};
use bindings::exports::innkeeper::tool::tool as wit;

/// Uses the initial memory before it grows: the first `memory.grow` would be the largest cost of a call.
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

#[allow(
    unsafe_code,
    missing_docs,
    unreachable_pub,
    reason = "generated from the WIT package"
)]
pub mod bindings {
    wit_bindgen::generate!({
        path: "../../wit/tool",
        inline: "package innkeeper:sdk; world family { export innkeeper:tool/tool@0.1.0; }",
        world: "innkeeper:sdk/family",
        pub_export_macro: true,
        default_bindings_module: "::innkeeper_tool::guest::bindings",
    });
}

/// Makes the crate's component export the tools of a [`Family`].
#[macro_export]
macro_rules! export {
    ($family:ty) => {
        type ExportedFamily = $crate::guest::Component<$family>;
        $crate::guest::bindings::export!(ExportedFamily with_types_in $crate::guest::bindings);
    };
}

/// Answers the host for a family.
pub struct Component<F>(PhantomData<F>);

impl<F: Family> wit::Guest for Component<F> {
    fn specs() -> Vec<wit::Spec> {
        F::Tool::ALL.iter().map(|tool| spec(tool.spec())).collect()
    }

    fn call(request: wit::Request) -> Result<wit::Reply, wit::Failure> {
        family::dispatch::<F>(&request.name, &request.arguments)
            .map(reply)
            .map_err(failure)
    }
}

fn spec(spec: &Spec) -> wit::Spec {
    wit::Spec {
        name: spec.name.into(),
        title: spec.title.into(),
        description: spec.description.into(),
        input_schema: spec.input_schema.into(),
        output_schema: None,
        annotations: wit::Annotations {
            read_only: spec.annotations.read_only,
            destructive: spec.annotations.destructive,
            idempotent: spec.annotations.idempotent,
            open_world: spec.annotations.open_world,
            cost: match spec.annotations.cost {
                Cost::Low => wit::Cost::Low,
                Cost::Normal => wit::Cost::Normal,
                Cost::High => wit::Cost::High,
            },
        },
        visibility: match spec.visibility {
            Visibility::Model => wit::Visibility::Model,
            Visibility::User => wit::Visibility::User,
        },
        permission: match spec.permission {
            Permission::Allow => wit::Permission::Allow,
            Permission::Ask => wit::Permission::Ask,
            Permission::Deny => wit::Permission::Deny,
        },
        budget: wit::Budget {
            max_calls: spec.budget.max_calls,
            max_output_chars: spec.budget.max_output_chars,
            timeout_ms: spec.budget.timeout_ms,
        },
        uses: spec.uses.iter().map(|name| (*name).into()).collect(),
    }
}

fn reply(reply: Reply) -> wit::Reply {
    wit::Reply {
        content: vec![wit::Block::Text(reply.text)],
        structured: reply.structured,
        resource_refs: reply.resource_refs,
    }
}

fn failure(failure: Failure) -> wit::Failure {
    wit::Failure {
        code: failure.code.into_owned(),
        message: failure.message,
        details: failure.details,
    }
}
