//! A run keeps the tools that it began with: an extension that is removed or replaced while the model thinks is called as it was.

use innkeeper::protocol::approval::ApprovalMode;
use innkeeper::protocol::run::RunStatus;
use innkeeper::{Consent, PackageInput, StartRun, parse_extension_id};
use serde_json::{Value, json};

use super::stage::{Held, Outcome, Stage};
use crate::guests::{assemble, text};

const ID: &str = "mood";

/// Installs the tool that answers with these four letters; what was there gives way.
async fn install(stage: &Stage, answer: &str) {
    let input = PackageInput::Component {
        id: parse_extension_id(ID).unwrap(),
        bytes: assemble(&text("well_behaved").replace("done", answer)),
    };
    let plan = stage.host.plan_extension(input).await.unwrap();
    let consent = Consent {
        accepts_changes: true,
        ..Consent::default()
    };
    stage.host.install_extension(plan, &consent).await.unwrap();
}

/// A run that calls the tool, of which something happens while the model is asked for that turn.
async fn run_while(stage: &Stage, happens: impl AsyncFnOnce()) -> Outcome {
    let call = json!({"name": format!("ext__{ID}__hostile_act"), "arguments": {}});
    let finish = json!({"name": "workspace_finish", "arguments": {}});
    let model = Held::new(json!([{"calls": [call]}, {"calls": [finish]}]));
    let mut profile = stage.host.default_profile();
    profile.run.presentation = innkeeper::protocol::run::Presentation::Background;
    let start = StartRun {
        profile: innkeeper::ProfileChoice::Given(Box::new(profile)),
        approvals: ApprovalMode::Always,
        with: vec![parse_extension_id(ID).unwrap()],
        seed: Some(1),
        ..StartRun::new(&stage.chat, model.clone())
    };
    let handle = stage.host.start_run(start).await.unwrap();
    model.asked().await;
    happens().await;
    model.answer();
    model.asked().await;
    model.answer();
    stage.finish(handle).await
}

/// What the tool answered.
fn answered(outcome: &Outcome) -> Value {
    assert_eq!((outcome.report.status, outcome.code()), (RunStatus::Completed, None));
    let stored = outcome.all("tool_result_stored")[0];
    let result = outcome.file(stored.text("path").unwrap()).unwrap();
    serde_json::from_str::<Value>(&result).unwrap()["content"][0]["text"].clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_extension_that_is_removed_meanwhile_is_still_called() {
    let stage = Stage::new().await;
    install(&stage, "done").await;
    let remove = async || {
        let id = parse_extension_id(ID).unwrap();
        stage.host.remove_extension(&id).await.unwrap();
        assert_eq!(stage.host.list_extensions().await.unwrap().extensions, []);
    };
    assert_eq!(answered(&run_while(&stage, remove).await), "done");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_extension_that_is_replaced_meanwhile_is_called_as_it_was() {
    let stage = Stage::new().await;
    install(&stage, "done").await;
    assert_eq!(
        answered(&run_while(&stage, async || install(&stage, "else").await).await),
        "done"
    );
    // The next run has the new one.
    assert_eq!(answered(&run_while(&stage, async || ()).await), "else");
}
