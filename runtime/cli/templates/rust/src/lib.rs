//! The tools of this extension. Nothing survives a call: every call gets an instance of its own.

use innkeeper_extension::host::random;
use innkeeper_extension::{Reply, Tool, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The tools that the host offers.
pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new("{{tool}}.pick", pick)
            .title("Pick one")
            // What the model reads: what the tool does, when to use it, what its limits are.
            .description(include_str!("pick.md"))
            .read_only()
            .output::<Picked>()
            // A call of this tool can reach these interfaces and no others.
            .uses(random::INTERFACE),
    ]
}

innkeeper_extension::export!(tools);

/// Arguments of `{{tool}}.pick`. Their schema, which the host checks before every call, is made from this type.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Pick {
    /// What to choose from.
    #[schemars(length(min = 1, max = 100), inner(length(min = 1)))]
    options: Vec<String>,
}

/// The result for programs.
#[derive(Serialize, JsonSchema)]
struct Picked<'a> {
    index: usize,
    option: &'a str,
}

fn pick(arguments: Pick) -> Result<Reply, ToolError> {
    let options = arguments.options;
    if options.iter().all(|option| option.trim().is_empty()) {
        // A failure that the model can act on: what happened, why, and the next call that would work.
        return Err(ToolError::new(
            "nothing_to_pick",
            "Nothing was picked: every option is blank. Call again with options that have names.",
        ));
    }
    let drawn = random::below(options.len() as u64) as usize;
    let Some(option) = options.get(drawn) else {
        return Err(ToolError::new("internal", "The host drew a number that was not asked for."));
    };
    let words = format!("Picked {option} ({} of {}).", drawn + 1, options.len());
    Reply::text(words).structured(&Picked { index: drawn, option })
}

#[cfg(test)]
mod tests {
    use innkeeper_extension::testing::{World, call};
    use serde_json::json;

    use super::*;

    #[test]
    fn the_drawn_option_is_picked() {
        let world = World::new().draws([1]);
        let reply = call(&tools(), "{{tool}}.pick", &json!({"options": ["tea", "rum"]}), &world);
        let expected = Reply::text("Picked rum (2 of 2).").structured(&json!({"index": 1, "option": "rum"}));
        assert_eq!(reply, expected);
    }

    #[test]
    fn blank_options_are_refused() {
        let error = call(&tools(), "{{tool}}.pick", &json!({"options": [" "]}), &World::new()).unwrap_err();
        assert_eq!(error.code(), "nothing_to_pick");
    }
}
