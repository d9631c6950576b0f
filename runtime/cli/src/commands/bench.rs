//! `tools call` and `tools script`: calls without a run.

use std::path::PathBuf;

use innkeeper::profile::{Profile, ResolvedProfile};
use innkeeper::protocol::limits::Limits;
use innkeeper::protocol::path::RootName;
use innkeeper::{BenchNetwork, BenchResult, BenchSetup, ForeignComponent, Grant, Innkeeper, SkillPolicy, ToolBench};
use serde::Deserialize;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::component::{self, ComponentFile};
use super::{host, profile, tools};
use crate::args::{BenchArgs, CallArgs, ScriptArgs};
use crate::console::Console;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::{MAX_JSON_BYTES, parse_json, read_activation, read_file, read_standard_input};
use crate::interrupt::Interrupts;
use crate::place::DataRoot;
use crate::render::call_text;

/// One entry of a script.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedCall {
    tool: String,
    #[serde(default = "no_arguments")]
    arguments: Value,
}

fn no_arguments() -> Value {
    json!({})
}

/// Calls one tool.
pub(super) async fn call(args: CallArgs, data: Option<&DataRoot>, console: &mut Console) -> Result<Exit, Failure> {
    let calls = [ScriptedCall {
        tool: args.name,
        arguments: arguments(&args.args)?,
    }];
    let mut bench = Bench::open(args.bench, data).await?;
    bench.check_names(&calls)?;
    let [call] = &calls;
    let result = bench.call(call).await?;
    if console.json {
        console.json_value(&result)?;
    } else {
        console.line(&call_text(&result, console.paint))?;
    }
    Ok(exit_of(&result))
}

/// Calls tools one after the other in one invocation.
pub(super) async fn script(args: ScriptArgs, data: Option<&DataRoot>, console: &mut Console) -> Result<Exit, Failure> {
    let bytes = if args.file.as_os_str() == "-" {
        read_standard_input("the script", MAX_JSON_BYTES)?
    } else {
        read_file("the script", &args.file, MAX_JSON_BYTES)?
    };
    let calls: Vec<ScriptedCall> = parse_json("the script", &bytes)?;
    let mut bench = Bench::open(args.bench, data).await?;
    bench.check_names(&calls)?;
    let mut results = Vec::with_capacity(calls.len());
    for call in &calls {
        match bench.call(call).await {
            Ok(result) => {
                if !console.json {
                    console.line(&format!("{}\n", call_text(&result, console.paint)))?;
                }
                results.push(result);
            }
            // What was done before is not lost.
            Err(failure) => {
                let results = Some(results.iter().map(|result| json!(result)).collect());
                return Err(Failure { results, ..failure });
            }
        }
    }
    if console.json {
        console.json_value(&results)?;
    }
    let worst = results.iter().map(exit_of).max_by_key(|exit| exit.code());
    Ok(worst.unwrap_or(Exit::Done))
}

fn exit_of(result: &BenchResult) -> Exit {
    match result.error_code.as_deref() {
        _ if !result.is_error => Exit::Done,
        Some("agent.tool_policy_denied") => Exit::Denied,
        _ => Exit::Failed,
    }
}

/// What `--args` stands for.
fn arguments(text: &str) -> Result<Value, Failure> {
    let bytes = match text.strip_prefix('@') {
        Some(path) => read_file("the arguments file", std::path::Path::new(path), MAX_JSON_BYTES)?,
        None if text == "-" => read_standard_input("the standard input", MAX_JSON_BYTES)?,
        None => text.as_bytes().to_vec(),
    };
    let what = if text.starts_with('@') {
        "the arguments file"
    } else {
        "--args"
    };
    parse_json(what, &bytes)
}

/// A bench with what it needs to live.
struct Bench {
    host: Innkeeper,
    tools: ToolBench,
    profile: Option<Profile>,
    /// Where the policy lies.
    data: Option<DataRoot>,
    interrupts: Interrupts,
    is_foreign: bool,
    /// Removed at the end.
    _workspace: Option<TempDir>,
}

impl Bench {
    async fn open(args: BenchArgs, data: Option<&DataRoot>) -> Result<Self, Failure> {
        let component = args
            .component
            .as_ref()
            .map(|path| foreign(path, &args.allow))
            .transpose()?;
        let host = host::tools_only(data).await?;
        let named = args.profile.as_deref();
        let profile = named.map(|name| profile::load(name, &host, data)).transpose()?;
        let resolved = profile
            .as_ref()
            .map(|profile| check_profile(profile, &host))
            .transpose()?;
        let roots = Roots::of(&args, profile.as_ref())?;
        let (workspace, temporary) = workspace(args.workspace)?;
        let mut limits = Limits::default();
        args.limit.iter().for_each(|setting| setting.apply(&mut limits));
        if let Some(profile) = &resolved {
            limits = profile.call_limits(&limits);
        }
        let is_foreign = component.is_some();
        let base = BenchSetup {
            workspace,
            component,
            ..BenchSetup::default()
        };
        let setup = BenchSetup {
            chat: args.chat,
            boundary: args.boundary,
            skills: args.skills.clone(),
            skill_policy: resolved.as_ref().map(skill_policy),
            activation: args.activation.as_deref().map(read_activation).transpose()?,
            seed: args.seed,
            network: BenchNetwork::Real,
            denied_hosts: data.map_or_else(Vec::new, |data| host.denied_hosts(&data.path)),
            visible: roots.visible,
            writable: roots.writable,
            limits,
            ..base
        };
        let tools = host.tool_bench(setup).await.map_err(|error| match is_foreign {
            true => component::refused(error),
            false => error.into(),
        })?;
        Ok(Self {
            host,
            tools,
            profile,
            data: data.cloned(),
            interrupts: Interrupts::listen(),
            is_foreign,
            _workspace: temporary,
        })
    }

    /// Finds names that mean nothing before anything is called.
    fn check_names(&self, calls: &[ScriptedCall]) -> Result<(), Failure> {
        let catalogue = self.host.tools();
        let tools = catalogue.tools();
        let is_known = |name: &str| tools.iter().any(|tool| host::is_named(&tool.spec, name));
        // The tools of a foreign component are known to the bench alone, which refuses a wrong name itself.
        match calls.iter().find(|call| !self.is_foreign && !is_known(&call.tool)) {
            Some(call) => Err(tools::unknown(&call.tool, tools)),
            None => Ok(()),
        }
    }

    async fn call(&mut self, call: &ScriptedCall) -> Result<BenchResult, Failure> {
        self.check_policy(&call.tool)?;
        let Self { tools, interrupts, .. } = self;
        tokio::select! {
            result = tools.call(&call.tool, &call.arguments) => result.map_err(call_failure),
            () = interrupts.next() => Err(Failure::cancelled("the call")),
        }
    }

    /// The policy counts here too, and so does a profile that was named. What they put behind an approval may be called: the one who
    /// would be asked is calling.
    fn check_policy(&self, name: &str) -> Result<(), Failure> {
        let catalogue = self.host.tools();
        let Some(tool) = catalogue.tools().iter().find(|tool| host::is_named(&tool.spec, name)) else {
            return Ok(());
        };
        // A component that is tried is nobody's tool yet, and no rule is about it.
        let data = self.data.as_ref().filter(|_| !self.is_foreign);
        let denial = data.and_then(|data| self.host.policy_denial(&data.path, &tool.spec.id));
        if let Some(denial) = denial {
            return Err(denial.into());
        }
        let Some(profile) = &self.profile else { return Ok(()) };
        let names = |list: &[String]| list.iter().any(|id| id == tool.spec.id.as_str());
        if names(&profile.tools.allow) && !names(&profile.tools.deny) {
            return Ok(());
        }
        let message = format!(
            "the profile {} does not let an agent call {}",
            profile.id, tool.spec.native_name
        );
        let failure = Failure::usage("agent.tool_policy_denied", message);
        Err(Failure {
            exit: Exit::Denied,
            ..failure
        }
        .hint("Leave out --profile, or allow the tool in it."))
    }
}

/// A tool that a foreign component does not have is wrong usage; any other error here is a fault.
fn call_failure(error: innkeeper::HostError) -> Failure {
    let failure = Failure::from(error);
    let exit = if failure.code == "tool.not_found" {
        Exit::Usage
    } else {
        Exit::Failed
    };
    Failure { exit, ..failure }
}

fn check_profile(profile: &Profile, host: &Innkeeper) -> Result<ResolvedProfile, Failure> {
    let checked = innkeeper::profile::resolve(profile, &host.tools().specs());
    checked.map_err(|error| Failure::usage(error.code(), error.to_string()))
}

fn skill_policy(profile: &ResolvedProfile) -> SkillPolicy {
    let skills = profile.skills();
    SkillPolicy {
        visible: skills.visible.clone(),
        deny: skills.deny.clone(),
        max_chars_per_call: skills.max_read_chars_per_call,
        max_chars_per_run: skills.max_read_chars_per_run,
    }
}

/// The roots of the bench.
#[derive(Debug, PartialEq, Eq)]
struct Roots {
    visible: Option<Vec<String>>,
    writable: Option<Vec<String>>,
}

impl Roots {
    /// The flags win over the profile.
    fn of(args: &BenchArgs, profile: Option<&Profile>) -> Result<Self, Failure> {
        let workspace = profile.map(|profile| &profile.workspace);
        let visible = args
            .visible
            .clone()
            .or_else(|| workspace.map(|roots| roots.visible_roots.clone()));
        let mut writable = args.writable.clone();
        if writable.is_none() && args.visible.is_none() {
            writable = workspace.map(|roots| roots.writable_roots.clone());
        }
        let trimmed = |names: Vec<String>| names.iter().map(|name| name.trim().to_owned()).collect::<Vec<_>>();
        let (visible, writable) = (visible.map(trimmed), writable.map(trimmed));
        visible
            .iter()
            .chain(&writable)
            .flatten()
            .try_for_each(|root| check_root(root))?;
        if let (Some(visible), Some(writable)) = (&visible, &writable)
            && let Some(hidden) = writable.iter().find(|root| !visible.contains(root))
        {
            let message = format!("the root {hidden:?} is writable and not visible");
            return Err(
                Failure::usage("agent.profile_workspace_root_invalid", message).hint("Name it in --visible too.")
            );
        }
        Ok(Self { visible, writable })
    }
}

/// A misspelt root would be one that nothing is ever found in.
fn check_root(name: &str) -> Result<(), Failure> {
    let known = RootName::universe().map(String::from);
    if known.iter().any(|root| root == name) {
        return Ok(());
    }
    let failure = Failure::usage(
        "agent.profile_workspace_root_invalid",
        format!("there is no root {name:?}"),
    );
    Err(failure.hint(format!("There are {}.", known.join(", "))))
}

/// The workspace, and the folder to remove at the end where it is a temporary one.
fn workspace(dir: Option<PathBuf>) -> Result<(PathBuf, Option<TempDir>), Failure> {
    let Some(dir) = dir else {
        let temporary = tempfile::Builder::new().prefix("innkeeper-bench-").tempdir();
        let temporary = temporary.map_err(|error| {
            Failure::machine(
                "cli.no_temporary_folder",
                format!("no temporary folder could be made: {error}"),
            )
        })?;
        return Ok((temporary.path().to_owned(), Some(temporary)));
    };
    std::fs::create_dir_all(&dir).map_err(|error| {
        Failure::usage(
            "cli.workspace_unusable",
            format!("the workspace {} cannot be used: {error}", dir.display()),
        )
        .hint("Give a folder that exists or can be made.")
    })?;
    Ok((dir, None))
}

fn foreign(path: &std::path::Path, allow: &[String]) -> Result<ForeignComponent, Failure> {
    let granted = allow.iter().map(|name| grant(name)).collect::<Result<_, _>>()?;
    let ComponentFile { id, bytes } = ComponentFile::read(path)?;
    Ok(ForeignComponent { id, bytes, granted })
}

fn grant(name: &str) -> Result<Grant, Failure> {
    Grant::parse(name).map_err(|error| {
        Failure::usage("cli.unknown_capability", error.to_string()).hint(format!("There are {}.", Grant::FORMS))
    })
}

#[cfg(test)]
mod tests;
