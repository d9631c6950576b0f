//! Agent Skills on disk: folders with a `SKILL.md`, and which of them apply to a run.
//!
//! A skill is a folder whose `SKILL.md` begins with front matter (<https://agentskills.io/specification>). Two places hold skills:
//!
//! - [`FolderSkills`]: any folder that somebody names. It is one skill, or has skills somewhere below it.
//! - [`InstalledSkills`]: what is installed under the data root:
//!
//! ```text
//! DATA/skills/
//!   global/<skill>/SKILL.md               for every run
//!   presets/<16 hex>/<skill>/SKILL.md     SHA-256 of {"apiId":...,"name":...}, its first 8 bytes
//!   profiles/<profile id>/<skill>/SKILL.md
//!   characters/<16 hex>/<skill>/SKILL.md  SHA-256 of {"characterId":...}, its first 8 bytes
//! ```
//!
//! The folders are the truth, so a skill that was copied into place by hand applies too.
//!
//! A skill that cannot be used is a [`SkillIssue`] and hides no other. Nothing is installed, changed or run here, `allowed-tools` grants
//! nothing, and who may see which skill is decided where calls are armed.

mod digest;
mod effective;
mod error;
mod folder;
mod front_matter;
mod header;
mod installed;
mod load;
mod place;
mod problem;
mod scan;
#[cfg(test)]
mod testing;
mod walk;

pub use effective::EffectiveSkills;
pub use error::SkillsError;
pub use folder::FolderSkills;
pub use front_matter::MAX_FRONT_MATTER_BYTES;
pub use header::MAX_DESCRIPTION_CHARS;
pub use installed::{InstalledSkills, ScopeFolder};
pub use load::MAX_SKILL_BYTES;
pub use problem::{SkillIssue, SkillProblem};
pub use scan::{MAX_SCAN_DEPTH, MAX_SCANNED_FOLDERS};
pub use walk::{MAX_SKILL_DEPTH, MAX_SKILL_ENTRIES};
