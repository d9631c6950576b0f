//! A skill's name and description: what the format asks, and what is made of what people write.
//!
//! Reads no YAML and no file.

use innkeeper_protocol::skill::is_skill_name;
use unicode_normalization::UnicodeNormalization as _;

use super::front_matter::FrontMatter;
use super::problem::SkillProblem;

/// The most of a description that is shown, in characters. The format allows 1,024 and good skills have a few more; beyond this a single
/// skill would crowd the others out of the model's list.
pub const MAX_DESCRIPTION_CHARS: usize = 4_096;

/// What the format allows, in characters.
const FORMAT_DESCRIPTION_CHARS: usize = 1_024;

/// The name and description in use, and what was unusual about the written ones.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) remarks: Vec<SkillProblem>,
}

/// Settles what a skill is called and what it is for.
///
/// The name is the front matter's, in NFKC and lower case; where that can be no name, the folder's. The format wants both to be equal,
/// and skills that are passed around often break that: it is told, not refused.
pub(super) fn settle(front: &FrontMatter, folder: &str) -> Result<Header, SkillProblem> {
    let mut remarks = Vec::new();
    if front.was_repaired {
        remarks.push(SkillProblem::Repaired);
    }
    let description = description(front.description.as_deref().unwrap_or_default(), &mut remarks)?;
    let name = name(front.name.as_deref().unwrap_or_default(), folder, &mut remarks)?;
    Ok(Header {
        name,
        description,
        remarks,
    })
}

fn name(written: &str, folder: &str, remarks: &mut Vec<SkillProblem>) -> Result<String, SkillProblem> {
    let Some(used) = [written, folder].into_iter().find_map(as_name) else {
        let written = written
            .chars()
            .take(innkeeper_protocol::skill::MAX_SKILL_NAME_BYTES)
            .collect();
        return Err(SkillProblem::NoName { written });
    };
    if used != written || used != folder {
        remarks.push(SkillProblem::NameDiffers {
            written: written.to_owned(),
            folder: folder.to_owned(),
            used: used.clone(),
        });
    }
    Ok(used)
}

fn as_name(text: &str) -> Option<String> {
    let folded: String = text.trim().nfkc().flat_map(char::to_lowercase).collect();
    is_skill_name(&folded).then_some(folded)
}

/// One line without hidden characters: a list shows each skill on a line, and what a person cannot see must not speak to the model.
fn description(written: &str, remarks: &mut Vec<SkillProblem>) -> Result<String, SkillProblem> {
    let hidden = written.chars().filter(|letter| is_hidden(*letter)).count();
    let shown: String = written.chars().filter(|letter| !is_hidden(*letter)).collect();
    let words: Vec<&str> = shown.split_whitespace().collect();
    let line = words.join(" ");
    if line.is_empty() {
        return Err(SkillProblem::NoDescription);
    }
    if hidden > 0 {
        remarks.push(SkillProblem::HiddenCharacters { count: hidden });
    }
    let chars = line.chars().count();
    if chars > FORMAT_DESCRIPTION_CHARS {
        remarks.push(SkillProblem::LongDescription { chars });
    }
    if chars <= MAX_DESCRIPTION_CHARS {
        return Ok(line);
    }
    let kept = line.chars().take(MAX_DESCRIPTION_CHARS.saturating_sub(1));
    Ok(kept.chain(['…']).collect())
}

/// Controls that are no white space, marks of direction, zero-width characters and tags. The joiners U+200C and U+200D stay: Persian
/// and emoji are written with them.
fn is_hidden(letter: char) -> bool {
    (letter.is_control() && !letter.is_whitespace())
        || matches!(letter,
            '\u{ad}' | '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests;
