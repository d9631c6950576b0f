//! Extensions: tools of others, installed into a data root, with what a person granted them.
//!
//! A package is checked whole before anything is written ([`Innkeeper::plan_extension`]), and what was shown is what is installed. Grants
//! are kept in the lock file beside the digests that pin what was agreed to. A component gets what it asks for and was granted; whether a
//! tool of it may be called is for the policy and the profile to say.
//!
//! A run keeps the tools that it began with: installing, removing, granting and revoking count for runs that start later, in this process
//! and in others. How files lie on disk is decided in `innkeeper-store`, what a manifest means in `innkeeper-tools`.

mod change;
mod load;
mod offer;
mod plan;
mod report;
mod shelf;
#[cfg(test)]
mod tests;

use innkeeper_protocol::extension::ExtensionId;

use crate::error::HostError;

pub use change::{Consent, GrantChange, InstallOutcome, InstallReport, RemovedExtension};
pub use plan::{AskedCapability, ExtensionChange, ExtensionOffer, ExtensionPlan, PackageInput, ReplacedEdition};
pub use report::{ExtensionCapability, ExtensionList, ExtensionReport, ExtensionState, WaitingUpdate};
pub(crate) use shelf::Shelf;

/// An id out of the text that somebody gives, with or without `extension/` before it.
///
/// # Errors
/// `extension.id_invalid`.
pub fn parse_extension_id(text: &str) -> Result<ExtensionId, HostError> {
    let id = text.trim();
    let id = id.strip_prefix("extension/").unwrap_or(id);
    ExtensionId::parse(id).map_err(|error| {
        HostError::new("extension.id_invalid", error.to_string())
            .with_hint("`innkeeper extension list` shows the ids of what is installed.")
    })
}

fn not_installed(id: &ExtensionId) -> HostError {
    HostError::not_found(
        "extension.not_installed",
        format!("the extension {id} is not installed"),
    )
    .with_hint("`innkeeper extension list` shows what is; `innkeeper extension install DIR` installs one.")
}
