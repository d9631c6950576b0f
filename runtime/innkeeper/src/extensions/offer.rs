//! Offering an extension's tools to models: in one run, or in a profile.
//!
//! Whether a model then may call them is for the policy to say; tools of others ask a person unless the user has said otherwise.

use innkeeper_agent::profile::Profile;
use innkeeper_protocol::extension::ExtensionId;
use innkeeper_protocol::id::{ProfileId, ToolId};
use innkeeper_protocol::tool::Visibility;

use super::not_installed;
use super::report::tools;
use super::shelf::Stock;
use crate::builder::Innkeeper;
use crate::error::HostError;

impl Innkeeper {
    /// Allows an extension's tools in the file of a profile, which is made where the default profile has none. Says which tools were not
    /// allowed before.
    ///
    /// # Errors
    /// `extension.not_installed`, the extension's own problem where it is not on, `agent.profile_not_found`, or [`HostError`] when the
    /// profile cannot be used or written.
    pub fn add_extension_to_profile(&self, id: &ExtensionId, profile: &ProfileId) -> Result<Vec<ToolId>, HostError> {
        let stock = self.shelf.stock();
        let usable = usable(&stock, id)?;
        let Some(mut file) = self.load_agent_profile(profile)? else {
            let message = format!("there is no profile {profile}");
            return Err(HostError::not_found("agent.profile_not_found", message)
                .with_hint("`innkeeper profiles list` shows the profiles that there are."));
        };
        let added = allow(&mut file, usable);
        if !added.is_empty() {
            self.save_agent_profile(&file)?;
        }
        Ok(added)
    }

    /// Allows the tools of these extensions in a profile that one run goes by.
    pub(crate) fn offer_extensions(&self, with: &[ExtensionId], profile: &mut Profile) -> Result<(), HostError> {
        let stock = self.shelf.stock();
        for id in with {
            allow(profile, usable(&stock, id)?);
        }
        Ok(())
    }
}

/// The tools of an extension that a model can be offered.
fn usable(stock: &Stock, id: &ExtensionId) -> Result<Vec<ToolId>, HostError> {
    if let Some(refusal) = stock.refusals.get(id) {
        return Err(refusal.error().clone());
    }
    let all = tools(&stock.catalogue, id);
    if all.is_empty() {
        // Where the lock file cannot be used, nothing is known to be missing.
        return Err(stock.problem.clone().unwrap_or_else(|| not_installed(id)));
    }
    let is_for_models = |tool: &ToolId| {
        let tool = stock.catalogue.tool(tool);
        tool.is_some_and(|tool| tool.spec.visibility == Visibility::Model)
    };
    Ok(all.into_iter().filter(is_for_models).collect())
}

fn allow(profile: &mut Profile, tools: Vec<ToolId>) -> Vec<ToolId> {
    let mut added = Vec::new();
    for tool in tools {
        if !profile.tools.allow.iter().any(|allowed| allowed == tool.as_str()) {
            profile.tools.allow.push(tool.to_string());
            added.push(tool);
        }
    }
    added
}
