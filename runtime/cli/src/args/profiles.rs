//! `profiles`: who writes, and with which tools.

use std::path::PathBuf;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
#[command(after_help = "\
A profile is a JSON file, kept as DATA/_tauritavern/agent-profiles/profiles/ID.json.

Examples:
  innkeeper profiles list
  innkeeper profiles show default-writer --json
  innkeeper profiles check ./night-writer.json
  innkeeper run --profile night-writer --chat ferry.jsonl --model openai:gpt-5-mini")]
pub(crate) enum ProfilesCommand {
    /// List every profile, and the files that cannot be used
    List,
    /// Show a profile as a run would go by it, with every default
    Show {
        /// The profile's id
        id: String,
    },
    /// Name everything that is wrong with a profile file
    Check {
        /// The file, wherever it lies; its name counts only in the data root
        file: PathBuf,
    },
    /// Write a profile file of version 1 or 2 as version 3
    Migrate {
        /// The file, which is replaced
        file: PathBuf,
    },
}
