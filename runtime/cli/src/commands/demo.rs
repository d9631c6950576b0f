//! `demo`: a whole run with nothing set up. The chat and the model's turns are written down; everything else is real.

mod place;

use std::path::Path;
use std::sync::Arc;

use innkeeper::gateway::scripted::ScriptedModel;
use innkeeper::profile::Profile;
use innkeeper::{Innkeeper, ProfileChoice, RunReport, StartRun};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{drive, host};
use crate::args::DemoArgs;
use crate::console::Console;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::parse_json;
use crate::place::{DataRoot, quoted};
use crate::render::{ending, plain, plain_lines, wrap};
use place::{Furniture, Place};

/// The chat before the run.
const CHAT: &str = include_str!("../../demo/ferry.jsonl");
/// The world info that counts as activated.
const ACTIVATION: &str = include_str!("../../demo/activation.json");
/// The skill that the agent reads; its name is that of its folder, as Agent Skills wants it.
const SKILL: &str = include_str!("../../demo/skill/SKILL.md");
/// What lies in the demonstration's folder before the run.
const FURNITURE: Furniture = Furniture {
    chat: CHAT,
    skill: SKILL,
};
/// What the model says, turn by turn. Its calls fit the chat.
const SCRIPT: &str = include_str!("../../demo/turns.json");
/// Gives the roll that the script tells of.
const SEED: u64 = 18;
/// Columns before the message.
const MESSAGE_INDENT: usize = 2;

/// The part of a chat line that is shown.
#[derive(Debug, Deserialize)]
struct Message {
    name: String,
    mes: String,
}

/// Shows the run, the message and where everything lies.
pub(super) async fn run(args: &DemoArgs, data: Option<&DataRoot>, console: &mut Console) -> Result<Exit, Failure> {
    let place = Place::make(args.keep.as_deref(), FURNITURE)?;
    let mut builder = Innkeeper::builder().data_root(place.data());
    if let Some(data) = data {
        builder = builder.cache_dir(data.cache());
    }
    if !console.json && !console.quiet {
        introduce(console)?;
    }
    let host = host::build(builder).await?;
    let model = ScriptedModel::from_json(SCRIPT)?;
    let start = StartRun {
        profile: ProfileChoice::Given(Box::new(profile(&host))),
        seed: Some(SEED),
        activation: Some(parse_json("the embedded world info", ACTIVATION.as_bytes())?),
        skills: Some(place.skills()),
        ..StartRun::new(place.chat(), Arc::new(model))
    };
    let handle = host.start_run(start).await?;
    let watched = drive::watch(&host, handle, false, console).await?;
    let message = last_message(&place.chat());
    if console.json {
        console.json_line(&final_value(&watched.report, &place, message.as_ref()))?;
    } else {
        console.line(&ending(
            &watched.report,
            &watched.facts,
            None,
            console.paint,
            console.wrap_columns(),
        ))?;
        if let Some(message) = &message {
            show_message(message, console)?;
        }
        show_place(&place, &watched.report, console)?;
    }
    Ok(drive::exit_of(&watched.report))
}

/// The default writer with dice.
fn profile(host: &Innkeeper) -> Profile {
    let mut profile = host.default_profile();
    "demo-writer".clone_into(&mut profile.id);
    "Demo writer".clone_into(&mut profile.display_name);
    profile.tools.allow.push("builtin:dice.roll".to_owned());
    profile
}

fn introduce(console: &mut Console) -> Result<(), Failure> {
    let words = "A chat between Ilo and Wren, who steers a ferry at night, with two entries of world info and a skill on how Wren talks. \
                 The agent writes Wren's next message; its part is a script, the tools it calls are real and run in their sandboxes.";
    let text = wrap(words, console.wrap_columns(), 0);
    let head = console
        .paint
        .dim("   time                                   took  component");
    console.line(&format!("{text}\n\n{head}"))
}

fn final_value(report: &RunReport, place: &Place, message: Option<&Message>) -> Value {
    let message = message.map(|message| json!({ "name": message.name, "text": message.mes }));
    json!({
        "run": drive::report_json(report),
        "demo": { "folder": place.root().to_string_lossy(), "isKept": place.is_kept(), "message": message },
    })
}

/// The last line of the chat, where the message stands now.
fn last_message(chat: &Path) -> Option<Message> {
    let text = std::fs::read_to_string(chat).ok()?;
    let line = text.lines().rfind(|line| !line.trim().is_empty())?;
    serde_json::from_str(line).ok()
}

fn show_message(message: &Message, console: &mut Console) -> Result<(), Failure> {
    let name = console.paint.strong(&plain(&message.name));
    let text = wrap(
        &plain_lines(&message.mes),
        console.wrap_columns().min(88),
        MESSAGE_INDENT,
    );
    console.line(&format!("\n{name}\n{text}"))
}

fn show_place(place: &Place, report: &RunReport, console: &mut Console) -> Result<(), Failure> {
    let paint = console.paint;
    let folder = report
        .folder
        .strip_prefix(place.root())
        .unwrap_or(&report.folder)
        .display()
        .to_string();
    let chat = place.chat();
    let chat = chat.strip_prefix(place.root()).unwrap_or(&chat).display().to_string();
    let entries = [
        ("events.jsonl", "the journal, one event a line"),
        ("output/main.md", "the file that was committed"),
        ("tool-args/ tool-results/", "every call in full"),
        ("model-responses/", "every turn of the model"),
        ("checkpoints/", "the workspace after each change"),
    ];
    console.line(&format!(
        "\n{}\n  {chat}\n  {folder}/",
        paint.strong("What the run left behind")
    ))?;
    for (name, what) in entries {
        console.line(&format!("    {name:<26}{}", paint.dim(what)))?;
    }
    let last = if place.is_kept() {
        let more = format!(
            "innkeeper runs events {} --data {}",
            report.run_id,
            quoted(&place.data())
        );
        format!(
            "All of it is in {}. Look further:\n  {}",
            quoted(place.root()),
            paint.name(&more)
        )
    } else {
        format!(
            "It was a temporary folder, which is gone now. Keep it with\n  {}",
            paint.name("innkeeper demo --keep DIR")
        )
    };
    console.line(&format!("\n{last}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_is_one() {
        assert_eq!(ScriptedModel::from_json(SCRIPT).unwrap().remaining(), 9);
    }

    #[test]
    fn the_chat_has_a_modern_header_and_enough_messages() {
        let lines: Vec<Value> = CHAT.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let integrity = lines[0]["chat_metadata"]["integrity"].as_str().unwrap();
        assert_eq!(integrity.len(), 36);
        assert!(lines.len() > 8);
        assert!(
            lines[1..]
                .iter()
                .all(|line| line["mes"].is_string() && line["name"].is_string())
        );
    }
}
