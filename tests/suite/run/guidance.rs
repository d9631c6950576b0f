//! What a person says to a run on its way.

use innkeeper::protocol::run::RunStatus;
use innkeeper::{HostError, RunHandle, SubmitGuidance, SubmittedGuidance};
use serde_json::json;

use super::happy;
use super::stage::{Held, Stage};

fn say(handle: &RunHandle, text: &str) -> SubmitGuidance {
    SubmitGuidance {
        run_id: handle.run_id().to_string(),
        text: text.to_owned(),
        client_guidance_id: Some("mine".to_owned()),
    }
}

async fn submit(stage: &Stage, guidance: SubmitGuidance) -> Result<SubmittedGuidance, HostError> {
    stage.host.submit_agent_run_guidance(guidance).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_next_request_carries_it_and_the_chat_does_not() {
    let stage = Stage::new().await;
    let model = Held::new(happy::turns());
    let handle = stage.start(model.clone(), |_| {}).await;
    model.asked().await;
    let first = submit(&stage, say(&handle, "  slower,\n please ")).await.unwrap();
    assert_eq!(
        (first.preview.as_str(), first.words, first.pending_count),
        ("slower, please", 2, 1)
    );
    submit(&stage, say(&handle, "and darker")).await.unwrap();
    (0..10).for_each(|_| model.answer());
    let outcome = stage.finish(handle).await;
    let applied = &outcome.one("user_guidance_applied").payload;
    assert_eq!((&applied["count"], &applied["round"]), (&json!(2), &json!(2)));
    assert_eq!(applied["clientGuidanceIds"], json!(["mine", "mine"]));
    assert!(!outcome.chat.contains("darker"));
    assert_eq!(outcome.report.status, RunStatus::Completed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_no_request_carries_is_told_as_discarded() {
    let stage = Stage::new().await;
    let model = Held::new(json!([{"text": "never"}]));
    let handle = stage.start(model.clone(), |_| {}).await;
    model.asked().await;
    submit(&stage, say(&handle, "slower")).await.unwrap();
    let late = say(&handle, "too late");
    handle.cancel_switch().cancel();
    let outcome = stage.finish(handle).await;
    let discarded = &outcome.one("user_guidance_discarded").payload;
    assert_eq!(
        (&discarded["reason"], &discarded["count"]),
        (&json!("run_cancel_requested"), &json!(1))
    );
    assert_eq!(
        submit(&stage, late).await.unwrap_err().code,
        "agent.guidance_active_run_missing"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn too_much_and_nothing_are_refused_before_they_are_journalled() {
    let stage = Stage::new().await;
    let model = Held::new(json!([{"text": "never"}]));
    let handle = stage.start(model.clone(), |_| {}).await;
    model.asked().await;
    let mut codes = Vec::new();
    for text in [" ", &"x".repeat(16_001)] {
        codes.push(submit(&stage, say(&handle, text)).await.unwrap_err().code);
    }
    for _ in 0..8 {
        submit(&stage, say(&handle, "slower")).await.unwrap();
    }
    codes.push(submit(&stage, say(&handle, "one more")).await.unwrap_err().code);
    let nobody = SubmitGuidance {
        run_id: " ".to_owned(),
        ..say(&handle, "x")
    };
    codes.push(submit(&stage, nobody).await.unwrap_err().code);
    let expected = [
        "agent.guidance_empty",
        "agent.guidance_too_large",
        "agent.guidance_mailbox_full",
        "agent.guidance_invalid",
    ];
    assert_eq!(codes, expected);
    handle.cancel_switch().cancel();
    let outcome = stage.finish(handle).await;
    assert_eq!(outcome.all("user_guidance_submitted").len(), 8);
}
