//! Profiles: the list with the files that cannot be used, one in detail, and what is wrong with a file.

use innkeeper::profile::{ModelMode, PresetMode, ResolvedProfile};
use innkeeper::protocol::id::ToolId;
use innkeeper::protocol::run::Presentation;
use innkeeper::{ProfileCheck, ProfileIssue, ProfileList, ProfileSummary, RepairAction};

use super::paint::Paint;
use super::text::{counted, fit, pad, plain, plain_lines, wrap};

const ID_COLUMNS: usize = 24;
const NAME_COLUMNS: usize = 24;
const LABEL_COLUMNS: usize = 12;

/// Every profile, with what is wrong inside it where `flaw` knows something, then the files that give none.
pub(crate) fn profile_list(
    list: &ProfileList,
    flaw: impl Fn(&str) -> Option<String>,
    paint: Paint,
    columns: Option<usize>,
) -> String {
    let row = |profile: &ProfileSummary| {
        let mut lines = vec![profile_row(profile, paint, columns)];
        lines.extend(flaw(&profile.id).map(|flaw| format!("  {}", paint.bad(&plain(&flaw)))));
        lines
    };
    let mut lines: Vec<String> = list.profiles.iter().flat_map(row).collect();
    if !list.issues.is_empty() {
        lines.push(String::new());
        lines.push(paint.strong("files that cannot be used"));
        lines.extend(list.issues.iter().flat_map(|issue| issue_lines(issue, paint)));
    }
    lines.join("\n")
}

fn profile_row(profile: &ProfileSummary, paint: Paint, columns: Option<usize>) -> String {
    // An id is never cut: it is there to be copied.
    let id = format!("{:<ID_COLUMNS$}", plain(&profile.id));
    let name = pad(&plain(&profile.display_name), NAME_COLUMNS);
    let only = if profile.direct_runnable {
        ""
    } else {
        "only for other agents. "
    };
    let about = format!("{only}{}", plain(profile.description.as_deref().unwrap_or_default()));
    let used = id.len() + 2 + NAME_COLUMNS + 2;
    let about = columns.map_or_else(|| about.clone(), |all| fit(&about, all.saturating_sub(used)));
    format!("{}  {name}  {}", paint.name(&id), paint.dim(&about))
        .trim_end()
        .to_owned()
}

fn issue_lines(issue: &ProfileIssue, paint: Paint) -> [String; 2] {
    let advice = match issue.recommended_action {
        Some(RepairAction::Delete) => "restore it from a backup, or remove it",
        Some(RepairAction::NormalizeIdentity) => "set schemaVersion, kind and id right; the id is the name of the file",
        None => "correct it by hand; `innkeeper profiles check` names every problem",
    };
    [
        format!("  {}  {}", paint.bad(&plain(&issue.file_name)), plain(&issue.message)),
        format!("      {}", paint.dim(advice)),
    ]
}

/// A profile as a run goes by it.
pub(crate) fn profile_details(profile: &ResolvedProfile, source: &str, paint: Paint, columns: usize) -> String {
    let mut lines = vec![format!(
        "{}  {}",
        paint.name(profile.id().as_str()),
        paint.strong(&plain(profile.display_name()))
    )];
    lines.extend(profile.description().map(|text| wrap(&plain_lines(text), columns, 2)));
    lines.push(String::new());
    let rows = [
        ("from", source.to_owned()),
        ("run", run(profile)),
        ("model", model(profile)),
        ("preset", preset(profile)),
        ("context", context(profile)),
        (
            "message",
            format!("{}{}", profile.message_path(), message_need(profile)),
        ),
        ("artifacts", artifacts(profile)),
        ("roots", roots(profile)),
        ("skills", skills(profile)),
        ("agents", delegation(profile)),
        ("budget", budget(profile)),
    ];
    lines.extend(rows.iter().map(|(label, text)| labelled(label, text, paint, columns)));
    lines.push(String::new());
    lines.push(paint.strong("tools"));
    lines.extend(profile.tools().allow.iter().map(|tool| tool_row(tool, profile, paint)));
    if let Some(text) = profile.agent_system_prompt() {
        lines.push(String::new());
        lines.push(paint.strong("instructions"));
        lines.push(wrap(&plain_lines(text), columns, 2));
    }
    lines.join("\n")
}

fn labelled(label: &str, text: &str, paint: Paint, columns: usize) -> String {
    let wrapped = wrap(&plain(text), columns, LABEL_COLUMNS + 2);
    format!("  {}{}", paint.dim(&pad(label, LABEL_COLUMNS)), wrapped.trim_start())
}

fn run(profile: &ResolvedProfile) -> String {
    let run = profile.run();
    let mut parts = vec![match run.presentation {
        Presentation::Foreground => "foreground".to_owned(),
        Presentation::Background => "background".to_owned(),
    }];
    parts.extend((!run.direct_runnable).then(|| "only for other agents".to_owned()));
    parts.extend(run.stream.then(|| "streamed".to_owned()));
    parts.push(counted(run.drift_recovery_max_attempts, "reminder"));
    let retry = run.model_retry;
    parts.push(match retry.max_retries {
        0 => "no retries".to_owned(),
        1 => format!("1 retry after {} ms", retry.interval_ms),
        more => format!("{more} retries, {} ms apart", retry.interval_ms),
    });
    parts.join(", ")
}

fn model(profile: &ResolvedProfile) -> String {
    let model = profile.model();
    match model.mode {
        ModelMode::CurrentPromptSnapshot => "the one that the run brings".to_owned(),
        ModelMode::RequiresConfiguration => "none yet".to_owned(),
        ModelMode::ConnectionRef => format!(
            "{} of the connection {}",
            model.model_id.as_deref().unwrap_or_default(),
            model.connection_ref.as_deref().unwrap_or_default()
        ),
    }
}

fn preset(profile: &ResolvedProfile) -> String {
    let preset = profile.preset();
    match (preset.mode, &preset.reference) {
        (PresetMode::CurrentPromptSnapshot, _) => "the one that the run brings".to_owned(),
        (PresetMode::Ref, Some(reference)) => {
            let need = if preset.required { ", required" } else { "" };
            format!("{} for {}{need}", reference.name, reference.api_id)
        }
        (PresetMode::None | PresetMode::Ref, _) => "none".to_owned(),
    }
}

fn context(profile: &ResolvedProfile) -> String {
    let context = profile.context();
    let messages = match u32::try_from(context.initial_chat_history_messages) {
        Ok(count) => format!("the newest {}", counted(count, "message")),
        Err(_) => "all messages".to_owned(),
    };
    let world = if context.include_activated_world_info {
        "with"
    } else {
        "without"
    };
    let results = context.tool_results;
    let longest = results
        .max_chars
        .map_or_else(String::new, |max| format!(" of at most {max} characters"));
    format!(
        "{messages}, {world} world info, {} characters; the newest {} stay whole",
        context.max_prompt_chars,
        counted(results.keep_full, "tool result") + &longest
    )
}

fn message_need(profile: &ResolvedProfile) -> &'static str {
    if profile.message_required() { ", required" } else { "" }
}

fn artifacts(profile: &ResolvedProfile) -> String {
    let artifact = |artifact: &innkeeper::profile::ResolvedArtifact| {
        format!("{} ({}, {})", artifact.id, artifact.path, artifact.kind)
    };
    profile
        .output()
        .artifacts
        .iter()
        .map(artifact)
        .collect::<Vec<_>>()
        .join(", ")
}

fn roots(profile: &ResolvedProfile) -> String {
    let workspace = profile.workspace();
    let root = |root: &innkeeper::protocol::path::RootName| {
        let access = if workspace.writable_roots.contains(root) {
            ""
        } else {
            " (only read)"
        };
        format!("{root}{access}")
    };
    workspace.visible_roots.iter().map(root).collect::<Vec<_>>().join(", ")
}

fn skills(profile: &ResolvedProfile) -> String {
    let skills = profile.skills();
    let denied = if skills.deny.is_empty() {
        String::new()
    } else {
        format!(", not {}", skills.deny.join(", "))
    };
    format!(
        "{}{denied}; {} characters a call, {} in all",
        skills.visible.join(", "),
        skills.max_read_chars_per_call,
        skills.max_read_chars_per_run
    )
}

fn delegation(profile: &ResolvedProfile) -> String {
    let delegation = profile.delegation();
    let uses = [
        (delegation.can_delegate, "may delegate"),
        (delegation.can_handoff, "may hand over"),
        (
            delegation.callable && delegation.allow_as_subagent,
            "may be delegated to",
        ),
        (
            delegation.callable && delegation.allow_as_handoff_target,
            "may take over",
        ),
    ];
    let uses: Vec<&str> = uses
        .iter()
        .filter_map(|(holds, words)| holds.then_some(*words))
        .collect();
    if uses.is_empty() {
        "works alone".to_owned()
    } else {
        uses.join(", ")
    }
}

fn budget(profile: &ResolvedProfile) -> String {
    let tools = profile.tools();
    format!(
        "{}, {}",
        counted(tools.max_rounds, "round"),
        counted(tools.max_calls_per_run, "call")
    )
}

fn tool_row(tool: &ToolId, profile: &ResolvedProfile, paint: Paint) -> String {
    let tools = profile.tools();
    let mut notes = Vec::new();
    notes.extend(tools.deny.contains(tool).then(|| "denied".to_owned()));
    notes.extend(tools.absent.contains(tool).then(|| "not there at present".to_owned()));
    notes.extend(tools.ask.contains(tool).then(|| "asks first".to_owned()));
    notes.extend(
        tools
            .max_calls_per_tool
            .get(tool)
            .map(|cap| format!("at most {}", counted(*cap, "call"))),
    );
    notes.extend(
        tools
            .tool_descriptions
            .contains_key(tool)
            .then(|| "in other words".to_owned()),
    );
    let notes = if notes.is_empty() {
        String::new()
    } else {
        format!("  {}", paint.odd(&notes.join(", ")))
    };
    format!("  {}{notes}", paint.name(&plain(tool.as_str())))
}

/// What came of checking a file.
pub(crate) fn profile_check(check: &ProfileCheck, file: &str, paint: Paint, columns: usize) -> String {
    if let (true, Some(profile)) = (check.valid, &check.profile) {
        let name = plain(profile.display_name());
        return format!("{} {file} is a profile: {} ({name})", paint.good("ok"), profile.id());
    }
    let count = u32::try_from(check.problems.len()).unwrap_or(u32::MAX);
    let mut lines = vec![format!("{} {file} has {}", paint.bad("bad"), counted(count, "problem"))];
    for problem in &check.problems {
        let code = paint.dim(&format!("[{}]", problem.code));
        lines.push(format!("  {} {code}", paint.name(&plain(&problem.path))));
        lines.push(wrap(&plain(&problem.message), columns, 6));
        lines.extend(problem.hint.iter().map(|hint| wrap(&plain(hint), columns, 6)));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use innkeeper::protocol::id::ProfileId;
    use innkeeper::{ProfileIssueKind, ProfileProblem};

    use super::*;

    #[test]
    fn the_list_shows_profiles_their_flaws_and_broken_files() {
        let list = ProfileList {
            profiles: vec![
                ProfileSummary {
                    id: "poet".to_owned(),
                    display_name: "Poet\u{1b}[31m".to_owned(),
                    description: Some("Writes\nverse.".to_owned()),
                    direct_runnable: false,
                },
                ProfileSummary {
                    id: "odd".to_owned(),
                    display_name: "Odd".to_owned(),
                    description: None,
                    direct_runnable: true,
                },
            ],
            issues: vec![ProfileIssue {
                profile_id: ProfileId::parse("twin").unwrap(),
                file_name: "twin.json".to_owned(),
                kind: ProfileIssueKind::InvalidFileIdentity,
                recommended_action: Some(RepairAction::NormalizeIdentity),
                message: "id is \"poet\"".to_owned(),
            }],
        };
        let flaw = |id: &str| (id == "odd").then(|| "tools.allow is empty".to_owned());
        let expected = "\
poet                      Poet\u{fffd}[31m                 only for other agents. Writes verse.
odd                       Odd
  tools.allow is empty

files that cannot be used
  twin.json  id is \"poet\"
      set schemaVersion, kind and id right; the id is the name of the file";
        assert_eq!(profile_list(&list, flaw, Paint::new(false), None), expected);
    }

    #[test]
    fn a_problem_has_place_code_and_advice() {
        let check = ProfileCheck {
            valid: false,
            problems: vec![ProfileProblem {
                code: "agent.profile_tools_empty".to_owned(),
                path: "$.tools.allow".to_owned(),
                message: "tools.allow is empty; name the tools".to_owned(),
                hint: None,
            }],
            profile: None,
        };
        let expected = "\
bad p.json has 1 problem
  $.tools.allow [agent.profile_tools_empty]
      tools.allow is empty; name the tools";
        assert_eq!(profile_check(&check, "p.json", Paint::new(false), 80), expected);
    }
}
