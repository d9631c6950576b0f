//! The system prompt of an agent: the profile's own, or one put together from what the agent is offered.
//!
//! It says how to work with the tools. Who the agent plays, and in which world, is added by whoever assembles the prompt.

use innkeeper_protocol::id::ModelAlias;
use innkeeper_protocol::tool::ToolSpec;

use super::template::fill_in;
use crate::profile::ResolvedProfile;

const OPENING: &str = include_str!("opening.md");
/// One section each, in the order in which they are shown: a heading, then a block for each tool, opened by `### ` and its name.
const SECTIONS: [&str; 8] = [
    include_str!("section_task.md"),
    include_str!("section_chat.md"),
    include_str!("section_world.md"),
    include_str!("section_skills.md"),
    include_str!("section_dice.md"),
    include_str!("section_files.md"),
    include_str!("section_agents.md"),
    include_str!("section_message.md"),
];
const OTHERS: &str = include_str!("section_others.md");
const CLOSING_CHILD: &str = include_str!("closing_child.md");
const CLOSING_COMMIT: &str = include_str!("closing_commit.md");
const CLOSING_FINISH: &str = include_str!("closing_finish.md");
const CLOSING_HANDOFF: &str = include_str!("closing_handoff.md");

/// The system prompt for an agent with these tools, under the names that its model knows them by.
///
/// The text of the profile is taken as it is. Else there is a section for each group of tools of which at least one is offered, one
/// for tools of others, and closing words for the way in which this agent ends its work: returning a task, finishing, or handing over.
#[must_use]
pub fn system_prompt(profile: &ResolvedProfile, offered: &[(ModelAlias, ToolSpec)]) -> String {
    if let Some(text) = profile.agent_system_prompt() {
        return text.to_owned();
    }
    let offered = Offered(offered);
    let mut parts = vec![OPENING.trim().to_owned()];
    parts.extend(SECTIONS.iter().filter_map(|section| offered.section(section)));
    parts.extend(offered.others());
    parts.extend(offered.closing(profile.message_path().as_str()));
    parts.join("\n\n")
}

struct Offered<'a>(&'a [(ModelAlias, ToolSpec)]);

impl Offered<'_> {
    /// What the model calls our own tool of this name, if it is offered.
    fn alias(&self, name: &str) -> Option<&str> {
        let is_it = |spec: &ToolSpec| spec.id.as_str().strip_prefix("builtin:") == Some(name);
        self.0
            .iter()
            .find(|(_, spec)| is_it(spec))
            .map(|(alias, _)| alias.as_str())
    }

    /// The section with the blocks of the tools that are offered; none if none is.
    fn section(&self, text: &str) -> Option<String> {
        let (heading, _) = text.split_once("\n### ")?;
        let blocks = blocks(text).filter_map(|(name, words)| {
            let alias = self.alias(name)?;
            Some(format!("- {}", fill_in(words, &[("alias", alias)])))
        });
        let blocks: Vec<String> = blocks.collect();
        if blocks.is_empty() {
            None
        } else {
            Some(format!("{}\n\n{}", heading.trim(), blocks.join("\n")))
        }
    }

    /// The tools that no section has words for. Only their names are shown: their titles and descriptions are the words of others, and
    /// stand with the tools themselves.
    fn others(&self) -> Option<String> {
        let is_known = |spec: &ToolSpec| {
            let name = spec.id.as_str().strip_prefix("builtin:");
            name.is_some_and(|name| SECTIONS.iter().any(|text| blocks(text).any(|(known, _)| known == name)))
        };
        let others = self.0.iter().filter(|(_, spec)| !is_known(spec));
        let aliases: Vec<String> = others.map(|(alias, _)| format!("`{alias}`")).collect();
        if aliases.is_empty() {
            None
        } else {
            Some(fill_in(OTHERS, &[("aliases", &aliases.join(", "))]))
        }
    }

    fn closing(&self, message_path: &str) -> Option<String> {
        let [child, finish, commit, handoff] =
            ["task.return", "workspace.finish", "workspace.commit", "agent.handoff"].map(|name| self.alias(name));
        Some(match (child, finish, commit, handoff) {
            (Some(child), ..) => fill_in(CLOSING_CHILD, &[("return", child)]),
            (None, Some(finish), Some(commit), _) => fill_in(
                CLOSING_COMMIT,
                &[("message-path", message_path), ("commit", commit), ("finish", finish)],
            ),
            (None, Some(finish), None, _) => {
                fill_in(CLOSING_FINISH, &[("message-path", message_path), ("finish", finish)])
            }
            (None, None, _, Some(handoff)) => fill_in(CLOSING_HANDOFF, &[("handoff", handoff)]),
            (None, None, _, None) => return None,
        })
    }
}

/// The tools of a section, with their words on one line.
fn blocks(section: &str) -> impl Iterator<Item = (&str, &str)> {
    section.split("\n### ").skip(1).map(|block| {
        let (name, words) = block.split_once('\n').unwrap_or((block, ""));
        (name.trim(), words.trim())
    })
}
