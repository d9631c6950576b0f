//! `run`: over which chat, with which model, and how.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueEnum};
use innkeeper::protocol::run::GenerationType;

#[derive(Debug, Args)]
#[command(after_help = "\
Models:
  openai:MODEL       any OpenAI-compatible server, with --base-url URL for one of your own
  openai-responses:MODEL · claude:MODEL · gemini:MODEL    these providers' own formats
  scripted:FILE      turns out of a file: {\"turns\":[{\"text\"?,\"calls\"?:[{\"name\",\"arguments\"}]}...]};
                     a name is as models know it: chat_search, ext__ID__TOOL for an extension's, its dots as _
The key comes from INNKEEPER_API_KEY or the provider's usual variable (OPENAI_API_KEY, ANTHROPIC_API_KEY,
GEMINI_API_KEY or GOOGLE_API_KEY), never from a flag.

The message is committed into the chat file itself. Ctrl-C cancels the run properly; a second one quits at once.

Examples:
  innkeeper run --chat ferry.jsonl --model openai:gpt-5-mini --instruction 'Keep it short.'
  innkeeper run --chat ferry.jsonl --model openai:llama3 --base-url http://127.0.0.1:8080/v1 --generation swipe
  innkeeper run --chat ferry.jsonl --model claude:claude-sonnet-4-5 --card wren.png --worldinfo river.json
  innkeeper run --chat ferry.jsonl --model scripted:turns.json --json")]
pub(crate) struct RunArgs {
    /// The chat, a SillyTavern .jsonl file; the message is committed into it
    #[arg(long, value_name = "FILE.jsonl")]
    pub(crate) chat: PathBuf,
    /// The model: openai:MODEL, openai-responses:MODEL, claude:MODEL, gemini:MODEL or scripted:FILE
    #[arg(long, value_name = "SPEC")]
    pub(crate) model: String,
    /// Address of an OpenAI-compatible server up to the version, as http://127.0.0.1:8080/v1
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// The profile that the agent works by: its id, or the path of a file [default: the built-in default-writer]
    #[arg(long, value_name = "ID|FILE")]
    pub(crate) profile: Option<String>,
    /// What you want, beside what the chat says
    #[arg(long, value_name = "TEXT")]
    pub(crate) instruction: Option<String>,
    /// A front end's own prompt instead of one put together here: a JSON file {chatCompletionPayload, contextPolicy, ...}
    #[arg(long, value_name = "FILE", conflicts_with = "worldinfo")]
    pub(crate) snapshot: Option<PathBuf>,
    /// World info that counts as activated: a JSON file, as a front end captures it (worldInfoActivation)
    #[arg(long, value_name = "FILE")]
    pub(crate) activation: Option<PathBuf>,
    /// Who the character is: a character card, PNG or JSON; it also says who speaks where the chat does not
    #[arg(long, value_name = "FILE")]
    pub(crate) card: Option<PathBuf>,
    /// A world info book (lorebook) that the chat activates entries of; may be given several times
    #[arg(long, value_name = "BOOK.json")]
    pub(crate) worldinfo: Vec<PathBuf>,
    /// Skills beside the installed ones: a folder of them, or one skill's folder
    #[arg(long, value_name = "DIR")]
    pub(crate) skills: Option<PathBuf>,
    /// Offer an installed extension's tools in this run, beside the profile's; may be given several times
    #[arg(long, value_name = "extension/ID")]
    pub(crate) with: Vec<String>,
    /// Who speaks in the new message, where neither the chat nor a card says
    #[arg(long = "as", value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) speaker: Option<String>,
    /// What is wanted
    #[arg(long, value_name = "KIND", default_value = "normal")]
    pub(crate) generation: Generation,
    /// Keep the result in the run's folder; a commit is not required
    #[arg(long)]
    pub(crate) background: bool,
    /// Take the model's answers piece by piece and show what it writes as it comes
    #[arg(long, conflicts_with = "no_stream")]
    pub(crate) stream: bool,
    /// Take each answer of the model as a whole (the default, unless the profile streams)
    #[arg(long)]
    pub(crate) no_stream: bool,
    /// Calls that need an approval: ask at the terminal (without one: never), allow them all, or deny them all
    #[arg(long, value_name = "WHEN", default_value = "ask")]
    pub(crate) approve: Approve,
    /// Most rounds of the model; the profile's own limit cannot be raised
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_rounds: Option<u32>,
    /// Seed of the tools' random numbers, for rolls that can be had again
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
}

/// What kind of message a run makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Generation {
    /// A new message
    Normal,
    /// The last message of the character anew
    Regenerate,
    /// One more swipe of it
    Swipe,
    /// More of it
    Continue,
}

impl From<Generation> for GenerationType {
    fn from(kind: Generation) -> Self {
        match kind {
            Generation::Normal => Self::Normal,
            Generation::Regenerate => Self::Regenerate,
            Generation::Swipe => Self::Swipe,
            Generation::Continue => Self::Continue,
        }
    }
}

/// What happens to calls that need an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Approve {
    /// Ask at the terminal
    Ask,
    /// Approve
    Always,
    /// Deny
    Never,
}
