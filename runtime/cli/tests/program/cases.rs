//! The conformance cases on the command line: each case becomes a `tools script`, and what is printed is judged by the same rules as
//! what the library answers.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use innkeeper_cases::format::{Data, SkillPolicy};
use innkeeper_cases::{Case, Expected, Ground, Printed, files_in, judge, read};
use serde_json::{Value, json};

use super::{error_code, innkeeper, shared, told};

/// Processes at a time.
const WORKERS: usize = 2;

/// Cases that no command line can say, and what it has no word for. A case that could be said is not to be hidden here.
const UNSAYABLE: &[(&str, &str)] = &[
    ("skill.read/changed.toml", "call.skill"),
    ("skill.read/gone.toml", "call.skill"),
    ("workspace.apply_patch/pages_of_two_versions.toml", "call.file"),
    ("workspace.apply_patch/stale.toml", "call.file"),
    ("workspace.apply_patch/storage.toml", "call.file"),
    ("workspace.list_files/exactly_200.toml", "call.file"),
    ("workspace.read_file/lines_against_characters.toml", "call.file"),
    ("workspace.write_file/deleted_meanwhile.toml", "call.file"),
    ("workspace.write_file/same_bytes_again.toml", "call.file"),
    ("workspace.write_file/stale.toml", "call.file"),
    ("workspace.write_file/write_budget.toml", "bytes that are no whole KiB"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases")
}

/// Every case with its name, as `dice.roll/samples.toml`.
fn cases() -> Vec<(String, Case)> {
    let folders = files_in(&root()).unwrap().into_iter().filter(|path| path.is_dir());
    let files: Vec<PathBuf> = folders.flat_map(|folder| files_in(&folder).unwrap()).collect();
    let named = files.iter().map(|file| {
        let name = file.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
        let case = read(file).unwrap();
        (name, case)
    });
    named.collect()
}

/// What a case needs and no flag can say.
fn unsayable(case: &Case) -> Option<&'static str> {
    let is_whole_kib = |bytes: Option<u64>| bytes.is_none_or(|bytes| bytes % 1024 == 0);
    // What others do before the first call is done before the program starts.
    let mut later = case.call.iter().skip(1);
    if later.clone().any(|call| !call.file.is_empty()) {
        Some("call.file")
    } else if later.any(|call| !call.skill.is_empty()) {
        Some("call.skill")
    } else if case.limits.write_files.is_some() {
        Some("write_files")
    } else if !is_whole_kib(case.limits.output_bytes) || !is_whole_kib(case.limits.write_bytes) {
        Some("bytes that are no whole KiB")
    } else {
        None
    }
}

fn limits(case: &Case) -> Vec<String> {
    let limits = &case.limits;
    let kib = |bytes: Option<u64>| bytes.map(|bytes| bytes / 1024);
    [
        ("wall-ms", limits.wall_ms),
        ("host-calls", limits.host_calls),
        ("output-kib", kib(limits.output_bytes)),
        ("write-kib", kib(limits.write_bytes)),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some(format!("{name}={}", value?)))
    .collect()
}

/// A profile with every tool and this policy for skills, which has no flags of its own.
fn profile(policy: &SkillPolicy) -> Value {
    let folders = files_in(&root()).unwrap().into_iter().filter(|path| path.is_dir());
    let tools: Vec<String> = folders
        .map(|folder| format!("builtin:{}", folder.file_name().unwrap().to_str().unwrap()))
        .collect();
    let roots = ["output", "scratch", "plan", "summaries", "persist"];
    json!({
        "schemaVersion": 3,
        "kind": "tauritavern.agentProfile",
        "id": "case",
        "displayName": "Case",
        "preset": {"mode": "none"},
        "model": {"mode": "currentPromptSnapshot"},
        "run": {"presentation": "foreground"},
        "tools": {"allow": tools, "maxRounds": 80},
        "skills": {
            "visible": policy.visible,
            "deny": policy.deny,
            "maxReadCharsPerCall": policy.per_call,
            "maxReadCharsPerRun": policy.per_run,
        },
        "workspace": {"visibleRoots": roots, "writableRoots": roots},
        "plan": {"mode": "none"},
        "output": {"artifacts": [{"id": "main", "path": "output/main.md", "kind": "markdown", "target": "messageBody"}]},
    })
}

/// The command line of a case.
fn command(case: &Case, ground: &Ground) -> Result<Command, String> {
    let kept = |name: &str, value: &Value| -> Result<PathBuf, String> {
        let path = ground.scratch().join(name);
        std::fs::write(&path, value.to_string()).map_err(|e| e.to_string())?;
        Ok(path)
    };
    let mut command = innkeeper(shared());
    command.args(["tools", "script", "-", "--json", "--workspace"]);
    command.arg(ground.workspace.path());
    command.args(["--seed", &case.seed.unwrap_or(1).to_string()]);
    if let Some(chat) = &ground.chat {
        command.arg("--chat").arg(chat);
    }
    if let Some(boundary) = case.boundary {
        command.args(["--boundary", &boundary.to_string()]);
    }
    if let Some(skills) = &ground.skills {
        command.arg("--skills").arg(skills.path());
    }
    if let Some(policy) = &case.skills {
        command.arg("--profile").arg(kept("profile.json", &profile(policy))?);
    }
    if let Some(activation) = &case.activation {
        command
            .arg("--activation")
            .arg(kept("activation.json", &activation.json()?)?);
    }
    for (flag, roots) in [("--visible", &case.visible), ("--writable", &case.writable)] {
        if let Some(roots) = roots {
            command.args([flag, &roots.join(",")]);
        }
    }
    for limit in limits(case) {
        command.args(["--limit", &limit]);
    }
    let call = |tool: &str, arguments: &Data| Ok(json!({"tool": tool, "arguments": arguments.json()?}));
    let calls: Result<Vec<Value>, String> = case.call.iter().map(|c| call(&c.tool, &c.arguments)).collect();
    command.write_stdin(Value::Array(calls?).to_string());
    Ok(command)
}

/// Runs the case and judges everything that the command leaves behind.
fn run_case(case: &Case) -> Result<(), String> {
    let ground = Ground::of(case)?;
    case.call.first().map_or(Ok(()), |call| ground.change(call))?;
    let (before, skills) = (ground.workspace.picture()?, ground.skills_now()?);
    let output = command(case, &ground)?.output().map_err(|e| e.to_string())?;
    let (exit, stdout, stderr) = told(&output);
    let outside = |why: &str| format!("{why}: exit {exit:?}\n{stdout:.2000}\n{stderr:.2000}");
    judge_printed(case, &stdout).map_err(|why| outside(&why))?;
    let is_well = case.setup_fails.is_none() && case.call.iter().all(|call| call.expected() == Expected::Success);
    if (exit == Some(0)) != is_well || exit.is_none() {
        return Err(outside("the exit code does not fit"));
    }
    if ground.skills_now()? != skills {
        return Err("a call has changed the skills".into());
    }
    // Only what has effects writes, and every effect is named in its case.
    if case.call.iter().all(|call| call.effects.is_none()) && ground.workspace.picture()? != before {
        return Err("calls without effects have changed the workspace".into());
    }
    ground.workspace.compare(&case.after)
}

fn judge_printed(case: &Case, stdout: &str) -> Result<(), String> {
    let printed: Value = serde_json::from_str(stdout).map_err(|e| format!("not one JSON value: {e}"))?;
    let fault = case.call.iter().find_map(|call| call.fault.as_ref());
    let results = match case.setup_fails.as_ref().or(fault) {
        None => &printed,
        Some(code) if error_code(stdout) == *code => &printed["results"],
        Some(code) => return Err(format!("expected the error {code}")),
    };
    let results = results.as_array().map(Vec::as_slice).unwrap_or_default();
    let calls: Vec<_> = case.call.iter().take_while(|call| call.fault.is_none()).collect();
    if results.len() != calls.len() {
        return Err(format!("{} results of {} calls", results.len(), calls.len()));
    }
    for (index, (call, result)) in calls.into_iter().zip(results).enumerate() {
        let result = Printed::of(result)?;
        let judged = match call.expected() {
            Expected::Error(code) => judge::error(call, code, &result),
            Expected::Success | Expected::Fault(_) => judge::success(call, &result),
        };
        judged.map_err(|why| format!("call {} ({}): {why}", index + 1, call.tool))?;
    }
    Ok(())
}

#[test]
fn every_case_that_can_be_said_holds_on_the_command_line() {
    let cases = cases();
    assert!(cases.len() > 150, "{} cases were found", cases.len());
    let said: Vec<_> = cases.iter().filter(|(_, case)| unsayable(case).is_none()).collect();
    // The first process compiles the components, so that the others do not all do it at once.
    let warm = innkeeper(shared()).args(["tools", "list", "--json"]).output().unwrap();
    assert!(warm.status.success());
    let failures: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS)
            .map(|worker| {
                let mine = said.iter().skip(worker).step_by(WORKERS);
                scope.spawn(move || {
                    let failed = mine.filter_map(|(name, case)| Some(format!("{name}: {}", run_case(case).err()?)));
                    failed.collect::<Vec<_>>()
                })
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    assert!(
        failures.is_empty(),
        "{} of {} cases fail\n\n{}",
        failures.len(),
        said.len(),
        failures.join("\n\n")
    );
}

#[test]
fn what_cannot_be_said_is_named_with_the_reason() {
    let cases = cases();
    let found: Vec<(&str, &str)> = cases
        .iter()
        .filter_map(|(name, case)| Some((name.as_str(), unsayable(case)?)))
        .collect();
    assert_eq!(found, UNSAYABLE);
}
