//! The workspace tools: list, search, read, write, patch, commit, finish.
//!
//! The core takes what the host offers as the traits in [`port`] and gives replies and failures; it
//! renders, matches patches and chooses words and codes. It deliberately checks no path, keeps no
//! read-state and stages nothing: the host does, and checks again whatever comes from here.

mod apply_patch;
mod characters;
mod commit;
#[cfg(target_family = "wasm")]
mod convert;
#[cfg(test)]
mod fake;
mod finish;
#[cfg(target_family = "wasm")]
mod guest;
#[cfg(target_family = "wasm")]
mod host;
mod list_files;
mod patch;
pub mod port;
mod read_file;
mod refusal;
mod search_files;
mod words;
mod write_file;

pub use apply_patch::{PatchArguments, apply_patch};
pub use commit::{CommitArguments, commit};
pub use finish::{FinishArguments, finish};
pub use list_files::{ListArguments, list_files};
pub use read_file::{ReadArguments, read_file};
pub use search_files::{SearchArguments, search_files};
pub use write_file::{WriteArguments, write_file};

#[allow(clippy::too_many_lines, reason = "generated, with some lines for each tool")]
mod tool {
    //! The tools and their specs, made from the files in `tool/`. Nothing else.
    innkeeper_tool::tools!();
}
pub use tool::Tool;

#[cfg(test)]
mod tests;
