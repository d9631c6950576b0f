//! How a family of tools hooks into its component.
//!
//! Looking up a tool by its name happens here, once, so that no family repeats it.

use crate::{Failure, Reply, Spec, failure};

/// The tools of one family; implemented by the build script's enum.
pub trait Tool: Copy + 'static {
    /// Every tool, in the order of the files' names.
    const ALL: &'static [Self];

    /// The tool's spec.
    fn spec(self) -> &'static Spec;
}

/// A component's tools and how they are called.
pub trait Family {
    /// Names the tools.
    type Tool: Tool;

    /// Performs one call. `arguments` is JSON text that the host has checked against the input schema.
    ///
    /// # Errors
    /// A [`Failure`] that the model can act on; the host then drops everything the call staged.
    fn call(tool: Self::Tool, arguments: &str) -> Result<Reply, Failure>;
}

/// Calls the tool of that native name.
///
/// # Errors
/// `tool.unknown` when the family has no such tool, or what the tool itself fails with.
#[cfg_attr(
    not(target_family = "wasm"),
    allow(dead_code, reason = "only a component is called by name")
)]
pub(crate) fn dispatch<F: Family>(name: &str, arguments: &str) -> Result<Reply, Failure> {
    let found = F::Tool::ALL.iter().find(|tool| tool.spec().name == name);
    match found {
        Some(tool) => F::call(*tool, arguments),
        None => Err(failure(
            "tool.unknown",
            format!("This component has no tool named {name:?}; use one that it lists."),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Annotations, Budget, Cost, Permission, Visibility};

    #[derive(Clone, Copy)]
    struct Echo;

    impl Tool for Echo {
        const ALL: &'static [Self] = &[Self];

        fn spec(self) -> &'static Spec {
            &Spec {
                name: "test.echo",
                title: "Echo",
                description: "Echoes.",
                input_schema: "{}",
                annotations: Annotations {
                    read_only: true,
                    destructive: false,
                    idempotent: true,
                    open_world: false,
                    cost: Cost::Low,
                },
                visibility: Visibility::Model,
                permission: Permission::Allow,
                budget: Budget {
                    max_calls: None,
                    max_output_chars: None,
                    timeout_ms: None,
                },
                uses: &[],
            }
        }
    }

    struct Echoes;

    impl Family for Echoes {
        type Tool = Echo;

        fn call(_tool: Echo, arguments: &str) -> Result<Reply, Failure> {
            Ok(Reply::text(arguments))
        }
    }

    #[test]
    fn a_call_reaches_the_tool_of_that_name() {
        assert_eq!(dispatch::<Echoes>("test.echo", "{}"), Ok(Reply::text("{}")));
    }

    #[test]
    fn an_unknown_name_is_a_failure() {
        let refused = dispatch::<Echoes>("test.other", "{}").expect_err("no such tool");
        assert_eq!(refused.code, "tool.unknown");
    }
}
