//! The skill tools: [`list`], [`search`] and [`read`] over the Agent Skills that this invocation may see.
//!
//! The core takes what the host offers as the trait [`Library`] and gives replies and failures. It deliberately
//! checks no path, knows no policy and counts no budget: the host does, whatever comes from here.

#[cfg(target_family = "wasm")]
mod convert;
#[cfg(test)]
mod fake;
#[cfg(target_family = "wasm")]
mod guest;
#[cfg(target_family = "wasm")]
mod host;
mod library;
mod list;
mod read;
mod refusal;
mod search;
mod words;

pub use library::{Files, Library, LibraryError, Location, Page, Skill, TextFile};
pub use list::{ListArguments, list};
pub use read::{ReadArguments, read};
pub use search::{SearchArguments, search};

innkeeper_tool::tools!();

#[cfg(test)]
mod tests;
