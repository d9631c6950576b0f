//! Every error code that the fourteen tools, the argument gate or the sandbox can give comes up in a case or in a test of a guest or
//! of a run; what does not is listed with the reason.
//!
//! Codes of MCP servers, of tasks and hand-offs between agents, and of profiles and snapshots are not looked at here.

use std::collections::BTreeSet;

use crate::cases;
use crate::repository::codes;
use crate::repository::sources::rust_files;

/// A code that nothing here brings about, and why.
type LeftOut = (&'static str, &'static str);

/// Looking at files.
const READING: &[&str] = &[
    "workspace.file_not_found",
    "workspace.file_not_text",
    "workspace.file_too_large",
    "workspace.invalid_char_range",
    "workspace.invalid_line_range",
    "workspace.invalid_path",
    "workspace.list_depth_too_large",
    "workspace.mixed_read_range",
    "workspace.name_conflict",
    "workspace.path_is_directory",
    "workspace.path_not_found",
    "workspace.path_not_visible",
    "workspace.root_replaced",
    "workspace.search_context_too_large",
    "workspace.search_limit_invalid",
    "workspace.search_limit_too_large",
];

/// Changing files, committing, ending.
const WRITING: &[&str] = &[
    "agent.chat_commit_rejected",
    "agent.child_finish_denied",
    "agent.child_workspace_write_denied",
    "agent.foreground_commit_required",
    "tool.write_limit",
    "workspace.patch_empty_old_string",
    "workspace.patch_no_change",
    "workspace.patch_old_string_not_found",
    "workspace.patch_old_string_not_unique",
    "workspace.patch_requires_full_read",
    "workspace.patch_requires_read",
    "workspace.patch_stale_file",
    "workspace.path_not_writable",
    "workspace.required_artifact_empty",
    "workspace.write_requires_read",
    "workspace.write_stale_file",
];

/// Chat, world info, skills and dice.
const KNOWING: &[&str] = &[
    "agent.input_history_conflict",
    "agent.invalid_worldinfo_activation_snapshot",
    "agent.skill_visible_missing",
    "chat.invalid_message_range",
    "chat.message_not_found",
    "chat.not_found",
    "dice.invalid_formula",
    "skill.invalid_request",
    "skill.not_found",
    "skill.not_visible",
    "skill.policy_denied",
    "skill.read_budget_exhausted",
    "skill.search_context_too_large",
    "skill.search_limit_invalid",
    "skill.search_limit_too_large",
    "worldinfo.activation_unavailable",
    "worldinfo.entry_not_found",
    "worldinfo.invalid_entry_range",
];

/// The gate and the sandbox.
const RUNNING: &[&str] = &[
    "extension.compile_limit",
    "extension.hostile.puppet.failed",
    "extension.import_refused",
    "extension.invalid_component",
    "extension.too_large",
    "tool.capability_denied",
    "tool.host_call_limit",
    "tool.host_data_limit",
    "tool.internal",
    "tool.invalid_arguments",
    "tool.memory_limit",
    "tool.outcome_unknown",
    "tool.output_invalid",
    "tool.output_limit",
    "tool.resource_limit",
    "tool.stack_overflow",
    "tool.timeout",
    "tool.trap",
    "tool.unknown",
    "tool.unknown_placeholder",
];

const LEFT_OUT: &[LeftOut] = &[
    (
        "agent.child_finish_denied",
        "no agent has children yet, and a child is not offered the tool",
    ),
    ("agent.child_workspace_write_denied", "no agent has children yet"),
    ("extension.compile_limit", "compiling has no limit yet"),
    (
        "tool.internal",
        "a reply of ours that has no JSON form, which cannot be",
    ),
    (
        "tool.unknown",
        "a call of a tool that its component did not list, which the host does not make",
    ),
    ("tool.outcome_unknown", "no capability reaches outside yet"),
];

fn promised() -> BTreeSet<&'static str> {
    [READING, WRITING, KNOWING, RUNNING].concat().into_iter().collect()
}

/// Codes that cases and other tests of the suite expect.
fn met() -> BTreeSet<&'static str> {
    let mut expected: BTreeSet<String> = BTreeSet::new();
    for (_, case) in cases::all() {
        expected.extend(case.setup_fails);
        expected.extend(
            case.call
                .into_iter()
                .flat_map(|call| [call.error, call.fault])
                .flatten(),
        );
    }
    let mut sources = rust_files();
    sources.retain(|(path, _)| {
        ["guests", "paths", "run"]
            .iter()
            .any(|area| path.starts_with(&format!("tests/suite/{area}")))
    });
    let is_met = |code: &&str| {
        let quoted = format!("\"{code}\"");
        expected.contains(*code) || sources.iter().any(|(_, text)| text.contains(&quoted))
    };
    promised().into_iter().filter(is_met).collect()
}

#[test]
fn every_code_is_met_or_left_out_for_a_reason() {
    let met = met();
    for (code, why) in LEFT_OUT {
        println!("left out: {code}: {why}");
    }
    let left_out: BTreeSet<&str> = LEFT_OUT.iter().map(|(code, _)| *code).collect();
    let unmet: BTreeSet<&str> = promised().difference(&met).copied().collect();
    assert_eq!(
        unmet, left_out,
        "codes that nothing brings about, and codes that are left out"
    );
}

/// A code that a guest gives and nobody has put on a list would never be missed.
#[test]
fn every_code_of_the_guests_is_on_a_list() {
    let promised = promised();
    let found = codes::below("plugins/");
    let unlisted: Vec<&String> = found.iter().filter(|code| !promised.contains(code.as_str())).collect();
    assert_eq!(unlisted, Vec::<&String>::new());
    assert!(found.contains("dice.invalid_formula"), "the check sees the guests");
}
