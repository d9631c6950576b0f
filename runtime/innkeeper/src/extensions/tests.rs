//! Extensions of a host: installed, granted, updated, and what a run sees of them.

use std::collections::BTreeSet;

use innkeeper_protocol::id::ToolId;
use innkeeper_sandbox::Compiler;
use innkeeper_tools::Catalogue;
use tempfile::TempDir;

use super::*;
use crate::Innkeeper;

/// The well-behaved guest of the tests, with this in the place of its description.
fn component(description: &str) -> Vec<u8> {
    let guests = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/guests");
    let read = |name: &str| std::fs::read_to_string(guests.join(name)).unwrap();
    let lines = read("well_behaved.wat");
    let whole: Vec<String> = lines
        .lines()
        .map(|line| match line.trim().strip_prefix(";; include ") {
            Some(part) => read(&format!("parts/{part}.wat")).replace("Does harm.", description),
            None => line.to_owned(),
        })
        .collect();
    wat::parse_str(whole.join("\n")).unwrap()
}

async fn host(root: &TempDir) -> Innkeeper {
    let builder = Innkeeper::builder()
        .data_root(root.path())
        .compiler(Compiler::InProcess);
    builder.build().await.unwrap()
}

fn mood() -> ExtensionId {
    ExtensionId::parse("mood").unwrap()
}

async fn plan(host: &Innkeeper, description: &str) -> ExtensionPlan {
    let bytes = component(description);
    host.plan_extension(PackageInput::Component { id: mood(), bytes })
        .await
        .unwrap()
}

async fn install(host: &Innkeeper, description: &str, accepts_changes: bool) -> InstallOutcome {
    let consent = Consent {
        grants: BTreeSet::new(),
        accepts_changes,
    };
    let plan = plan(host, description).await;
    host.install_extension(plan, &consent).await.unwrap().outcome
}

/// What the tool says of itself; nothing where it is not there.
fn described(catalogue: &Catalogue) -> Option<String> {
    let id = ToolId::parse("extension/mood:hostile.act").unwrap();
    catalogue.tool(&id).map(|tool| tool.spec.description.clone())
}

#[tokio::test]
async fn whoever_took_the_tools_keeps_them() {
    let root = tempfile::tempdir().unwrap();
    let host = host(&root).await;
    assert_eq!(install(&host, "Does harm.", false).await, InstallOutcome::Installed);
    let first = host.tools();
    assert_eq!(install(&host, "Does good.", true).await, InstallOutcome::Updated);
    let second = host.tools();
    host.remove_extension(&mood()).await.unwrap();
    let told = [first, second, host.tools()].map(|catalogue| described(&catalogue));
    assert_eq!(
        told,
        [Some("Does harm.".to_owned()), Some("Does good.".to_owned()), None]
    );
}

#[tokio::test]
async fn what_another_process_installs_counts_from_the_next_look_on() {
    let root = tempfile::tempdir().unwrap();
    let (one, other) = (host(&root).await, host(&root).await);
    install(&other, "Does harm.", false).await;
    assert_eq!(described(&one.tools()), None);
    let listed = one.list_extensions().await.unwrap().extensions;
    assert_eq!(listed.len(), 1);
    assert_eq!(described(&one.tools()), Some("Does harm.".to_owned()));
}

#[tokio::test]
async fn a_plan_that_is_overtaken_changes_nothing() {
    let root = tempfile::tempdir().unwrap();
    let host = host(&root).await;
    let late = plan(&host, "Does good.").await;
    install(&host, "Does harm.", false).await;
    let error = host.install_extension(late, &Consent::default()).await.unwrap_err();
    assert_eq!(
        (error.code.as_str(), error.retryable),
        ("store.extensions_changed", true)
    );
    assert_eq!(described(&host.tools()), Some("Does harm.".to_owned()));
}

#[tokio::test]
async fn a_person_hears_of_every_difference_before_it_counts() {
    let root = tempfile::tempdir().unwrap();
    let host = host(&root).await;
    install(&host, "Does harm.", false).await;
    let replaces = plan(&host, "Does good.").await.offer.replaces.unwrap();
    let change = ExtensionChange {
        words: "the title or description of hostile.act, which a model reads, is another".to_owned(),
        needs_acceptance: true,
    };
    let expected = ReplacedEdition {
        version: "0.0.0".to_owned(),
        changes: vec![change],
        needs_acceptance: true,
    };
    assert_eq!(replaces, expected);
    assert_eq!(install(&host, "Does good.", false).await, InstallOutcome::Waiting);
    assert_eq!(described(&host.tools()), Some("Does harm.".to_owned()));
}

#[tokio::test]
async fn a_host_without_a_data_root_can_look_and_not_install() {
    let host = Innkeeper::builder()
        .compiler(Compiler::InProcess)
        .build()
        .await
        .unwrap();
    let plan = plan(&host, "Does harm.").await;
    assert_eq!(plan.offer.replaces, None);
    let error = host.install_extension(plan, &Consent::default()).await.unwrap_err();
    assert_eq!(error.code, "agent.data_root_required");
}

#[test]
fn an_id_may_be_written_as_a_source_of_tools() {
    assert_eq!(parse_extension_id("extension/mood"), Ok(mood()));
    assert_eq!(parse_extension_id(" mood "), Ok(mood()));
    assert_eq!(
        parse_extension_id("extension/").unwrap_err().code,
        "extension.id_invalid"
    );
}
