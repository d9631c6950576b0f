//! The folders of a profile, and the files that its runs make.
//!
//! Nothing is looked up on a disk: a path only has to be one that can be written.

use innkeeper_protocol::id::MAX_SEGMENT_BYTES;
use innkeeper_protocol::path::{RootName, WorkspacePath};

use super::abilities::Workspace;
use super::error::ProfileError;
use super::field::TextField;
use super::resolve::not_blank;
use super::resolved::{ResolvedArtifact, ResolvedOutput, ResolvedWorkspace};
use super::schema::{Artifact, ArtifactTarget, Output};

pub(super) fn workspace(workspace: &Workspace) -> Result<ResolvedWorkspace, ProfileError> {
    if workspace.visible_roots.is_empty() {
        return Err(ProfileError::RootsEmpty);
    }
    let universe = RootName::universe();
    let unknown = |root: &str| ProfileError::RootUnknown { root: root.to_owned() };
    let visible_roots = select(&workspace.visible_roots, &universe, unknown)?;
    let hidden = |root: &str| ProfileError::RootHidden { root: root.to_owned() };
    let writable_roots = select(&workspace.writable_roots, &visible_roots, hidden)?;
    Ok(ResolvedWorkspace {
        visible_roots,
        writable_roots,
        private_child_dirs: workspace.private_child_dirs,
    })
}

/// The roots of `among` that are named, in the order of the names; a second mention changes nothing.
fn select(
    names: &[String],
    among: &[RootName],
    refusal: impl Fn(&str) -> ProfileError,
) -> Result<Vec<RootName>, ProfileError> {
    let mut roots: Vec<RootName> = Vec::with_capacity(names.len());
    for name in names {
        let root = among
            .iter()
            .find(|root| root.as_str() == name)
            .ok_or_else(|| refusal(name))?;
        if !roots.contains(root) {
            roots.push(root.clone());
        }
    }
    Ok(roots)
}

pub(super) fn output(output: &Output, workspace: &ResolvedWorkspace) -> Result<ResolvedOutput, ProfileError> {
    if output.artifacts.is_empty() {
        return Err(ProfileError::ArtifactsEmpty);
    }
    let mut artifacts: Vec<ResolvedArtifact> = Vec::with_capacity(output.artifacts.len());
    for artifact in &output.artifacts {
        let artifact = resolve(artifact, &artifacts, workspace)?;
        artifacts.push(artifact);
    }
    let mut bodies = artifacts
        .iter()
        .filter(|artifact| artifact.target == ArtifactTarget::MessageBody);
    let body = bodies.next().ok_or(ProfileError::MessageBodyMissing)?;
    if let Some(second) = bodies.next() {
        return Err(ProfileError::MessageBodyTwice {
            first: body.id.clone(),
            second: second.id.clone(),
        });
    }
    let (message_body_artifact_id, message_body_path) = (body.id.clone(), body.path.clone());
    Ok(ResolvedOutput {
        artifacts,
        message_body_artifact_id,
        message_body_path,
    })
}

fn resolve(
    artifact: &Artifact,
    others: &[ResolvedArtifact],
    workspace: &ResolvedWorkspace,
) -> Result<ResolvedArtifact, ProfileError> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    let id = &artifact.id;
    if !(1..=MAX_SEGMENT_BYTES).contains(&id.len()) || !id.bytes().all(plain) {
        return Err(ProfileError::ArtifactId { id: id.clone() });
    }
    if others.iter().any(|other| other.id == *id) {
        return Err(ProfileError::ArtifactIdTwice { id: id.clone() });
    }
    not_blank(&artifact.kind, TextField::ArtifactKind)?;
    let path =
        WorkspacePath::parse(&artifact.path).map_err(|source| ProfileError::ArtifactPath { id: id.clone(), source })?;
    // Two names for one file on a disk that ignores case would be the same file twice.
    let key = path.caseless_key();
    if others.iter().any(|other| other.path.caseless_key() == key) {
        return Err(ProfileError::ArtifactPathTwice { path });
    }
    // A writable root is always a visible one.
    if !workspace.writable_roots.iter().any(|root| path.is_beneath(root)) {
        return Err(ProfileError::ArtifactPathDenied { path });
    }
    Ok(ResolvedArtifact {
        id: id.clone(),
        path,
        kind: artifact.kind.trim().to_owned(),
        target: artifact.target,
        required: artifact.required,
        assembly_order: artifact.assembly_order,
    })
}
