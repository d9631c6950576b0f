//! `skill.list`: names and purposes of the skills, and nothing else of them.

use innkeeper_tool::{Failure, Reply, one_line};
use serde::{Deserialize, Serialize};

use crate::library::{Library, Skill};

/// Arguments of `skill.list`: none.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct ListArguments {}

#[derive(Serialize)]
struct Structured<'a> {
    skills: Vec<Listed<'a>>,
}

#[derive(Serialize)]
struct Listed<'a> {
    name: &'a str,
    description: &'a str,
}

/// Lists the skills that this invocation may see.
///
/// # Errors
/// None of its own.
pub fn list(_arguments: ListArguments, library: &mut impl Library) -> Result<Reply, Failure> {
    let skills = library.list();
    let listed = skills.iter().map(|skill| Listed {
        name: &skill.name,
        description: &skill.description,
    });
    Reply::text(words(&skills)).structured(&Structured {
        skills: listed.collect(),
    })
}

fn words(skills: &[Skill]) -> String {
    if skills.is_empty() {
        return "No skills are available here, so there is nothing to read; go on without.".to_owned();
    }
    let mut text = String::new();
    for skill in skills {
        let (name, purpose) = (one_line(&skill.name), one_line(&skill.description));
        text.push_str(&format!("- {name}: {purpose}\n"));
    }
    text.push_str("\nRead a skill that fits with skill_read and its name, before you start the work it is for.");
    text
}

#[cfg(test)]
mod tests;
