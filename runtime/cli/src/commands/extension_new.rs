//! `extension new`: a package that builds and passes its own cases, to be changed from there.
//!
//! What is in it lies in `templates/`; here it is only filled in and written. Nothing that exists is overwritten, and nothing is built.

mod templates;

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::args::{Language, NewArgs};
use crate::console::Console;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::place::quoted;
use templates::File;

/// Longest name: with a tool's own name behind it, it has to be a tool's whole name, which has at most 64 bytes.
const MAX_NAME_BYTES: usize = 40;

/// Makes a package.
pub(super) fn run(args: NewArgs, console: &mut Console) -> Result<Exit, Failure> {
    check_name(&args.name)?;
    let names = Names::of(&args.name);
    let folder = args.dir.unwrap_or_else(|| PathBuf::from(&args.name));
    make_empty(&folder)?;
    let files = templates::files(args.lang);
    for file in &files {
        write(&folder, file, &names).map_err(|error| unwritable(&folder.join(&file.path), &error))?;
    }
    let next = next_commands(args.lang, &folder);
    if console.json {
        let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        console.json_value(&json!({
            "id": args.name,
            "dir": folder.display().to_string(),
            "files": paths,
            "next": next,
        }))?;
    } else {
        console.line(&told(&args.name, &folder, &next, console))?;
    }
    Ok(Exit::Done)
}

/// The name in the forms that files need.
struct Names<'a> {
    /// The extension's id.
    id: &'a str,
    /// The first part of its tools' names, where no `-` may stand.
    tool: String,
    /// The Rust crate as its file is called.
    module: String,
}

impl<'a> Names<'a> {
    fn of(id: &'a str) -> Self {
        let tool = id.replace('-', "_");
        Self {
            id,
            module: format!("{tool}_tools"),
            tool,
        }
    }

    fn fill_in(&self, text: &str) -> String {
        text.replace("{{id}}", self.id)
            .replace("{{tool}}", &self.tool)
            .replace("{{module}}", &self.module)
    }
}

/// A name that is good for an extension, for its tools and for a crate.
fn check_name(name: &str) -> Result<(), Failure> {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_';
    let begins_well = name.starts_with(|first: char| first.is_ascii_lowercase());
    if begins_well && name.len() <= MAX_NAME_BYTES && name.bytes().all(is_plain) {
        return Ok(());
    }
    let failure = Failure::usage("cli.name_unusable", format!("an extension cannot be called {name:?}"));
    Err(failure.hint(format!(
        "Give a name of at most {MAX_NAME_BYTES} lower-case letters, digits, `-` and `_`, the first a letter."
    )))
}

/// Makes the folder, or makes sure that it is empty.
fn make_empty(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    let mut entries = fs::read_dir(folder).map_err(|error| unwritable(folder, &error))?;
    if entries.next().is_none() {
        return Ok(());
    }
    let failure = Failure::usage("cli.folder_not_empty", format!("{} is not empty", folder.display()));
    Err(failure.hint("Give another name, or another folder with --dir."))
}

fn write(folder: &Path, file: &File, names: &Names<'_>) -> io::Result<()> {
    let path = folder.join(&file.path);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    let text = if file.has_blanks {
        names.fill_in(&file.text)
    } else {
        file.text.clone()
    };
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)?
        .write_all(text.as_bytes())
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    let message = format!("{} cannot be written: {error}", path.display());
    Failure::usage("cli.folder_unusable", message).hint("Check the path, its permissions and free space.")
}

/// What to call next, from here.
fn next_commands(language: Language, folder: &Path) -> [String; 3] {
    let build = match language {
        Language::Rust => "cargo pack",
        Language::Js => "npm install && npm run build",
        Language::Python => {
            "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt && .venv/bin/python build.py"
        }
    };
    [
        format!("cd {} && {build}", quoted(folder)),
        "innkeeper extension test . --seal".to_owned(),
        "innkeeper extension install .".to_owned(),
    ]
}

fn told(name: &str, folder: &Path, next: &[String], console: &Console) -> String {
    let paint = console.paint;
    let done = format!("{} {name} is in {}", paint.good("\u{2713}"), folder.display());
    let mut lines = vec![done, String::new(), paint.strong("next")];
    lines.extend(next.iter().map(|command| format!("  {}", paint.name(command))));
    lines.push(String::new());
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_must_do_for_a_tool_and_a_crate_too() {
        for good in ["moods", "a", "my-tool_2", &"x".repeat(40)] {
            assert_eq!(check_name(good), Ok(()), "{good}");
        }
        for bad in [
            "",
            "Moods",
            "9lives",
            "-a",
            "_a",
            "a.b",
            "a/b",
            "..",
            "m\u{f6}we",
            &"x".repeat(41),
        ] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn every_blank_is_filled_in() {
        for language in [Language::Rust, Language::Js, Language::Python] {
            for file in templates::files(language).iter().filter(|file| file.has_blanks) {
                let filled = Names::of("my-tool").fill_in(&file.text);
                // Other double braces are the language's own.
                let left = ["{{id", "{{tool", "{{module"]
                    .into_iter()
                    .find(|blank| filled.contains(blank));
                assert_eq!(left, None, "{}", file.path);
            }
        }
    }
}
