//! Commits: by themselves, by the model, refused by the host, and where each goes in the chat.

use innkeeper::StartRun;
use innkeeper::protocol::run::{GenerationType, RunStatus};
use innkeeper_testkit::sillytavern::{Save, SillyTavern};
use serde_json::{Value, json};

use super::script;
use super::stage::{Held, Stage};

fn write(path: &str, content: &str) -> Value {
    json!({"name": "workspace_write_file", "arguments": {"path": path, "content": content}})
}

fn commit() -> Value {
    json!({"name": "workspace_commit", "arguments": {}})
}

fn finish() -> Value {
    json!({"name": "workspace_finish", "arguments": {}})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_round_that_ends_with_a_prose_file_commits_it_by_itself() {
    let stage = Stage::new().await;
    let outcome = stage
        .play(json!([
            {"calls": [write("output/data.json", "{}"), write("output/main.md", "First.")]},
            {"calls": [commit()]},
            {"calls": [write("output/note.txt", "Not committed any more.")]},
            {"calls": [finish()]},
        ]))
        .await;
    assert_eq!(outcome.report.status, RunStatus::Completed);
    let asked: Vec<(Value, Value, Value)> = outcome
        .all("chat_commit_requested")
        .iter()
        .map(|event| {
            (
                event.payload["path"].clone(),
                event.payload["isExplicit"].clone(),
                event.payload["mode"].clone(),
            )
        })
        .collect();
    let expected = [
        (json!("output/main.md"), json!(false), json!("replace")),
        (json!("output/main.md"), json!(true), json!("replace")),
    ];
    assert_eq!(asked, expected);
    assert_eq!(outcome.messages().len(), 3, "both commits are one message");
    assert_eq!(outcome.messages()[2]["mes"], "First.");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_by_itself_does_not_open_the_finish_gate_but_counts_for_the_ending() {
    let stage = Stage::new().await;
    let outcome = stage
        .play(json!([{"calls": [write("output/main.md", "First.")]}, {"calls": [finish()]}, {"text": "a"}, {"text": "b"}]))
        .await;
    assert_eq!(outcome.report.status, RunStatus::PartialSuccess);
    assert_eq!(
        outcome.calls()[1],
        ("workspace.finish".into(), "agent.foreground_commit_required".into())
    );
    assert_eq!(outcome.one("run_partial_success").payload["preservedCommitCount"], 1);
    assert_eq!(outcome.messages()[2]["mes"], "First.");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_blank_message_file_is_not_committed_by_itself() {
    let stage = Stage::new().await;
    let before = stage.chat_text();
    let outcome = stage
        .play(json!([{"calls": [write("output/main.md", " \n")]}, {"text": "a"}, {"text": "b"}]))
        .await;
    assert_eq!(outcome.report.status, RunStatus::Failed);
    assert!(outcome.all("chat_commit_started").is_empty());
    assert_eq!(outcome.chat, before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_line_that_someone_else_added_refuses_the_commit_and_stays() {
    let stage = Stage::new().await;
    let foreign = "{\"name\":\"Mia\",\"is_user\":true,\"mes\":\"Wait!\"}";
    let model = Held::new(json!([
        {"calls": [write("plan/a.json", "{}")]},
        {"calls": [write("output/main.md", "We climb."), commit(), finish()]},
        {"text": "a"},
        {"text": "b"},
    ]));
    let handle = stage.start(model.clone(), |_| {}).await;
    model.asked().await;
    std::fs::write(&stage.chat, format!("{}\n{foreign}", stage.chat_text())).unwrap();
    let changed = stage.chat_text();
    (0..4).for_each(|_| model.answer());
    let outcome = stage.finish(handle).await;
    assert_eq!(outcome.report.status, RunStatus::Failed, "nothing was committed");
    let calls = outcome.calls();
    assert_eq!(
        calls[2],
        ("workspace.commit".into(), "agent.chat_commit_rejected".into())
    );
    assert_eq!(
        calls[3],
        ("workspace.finish".into(), "agent.foreground_commit_required".into())
    );
    assert_eq!(outcome.chat, changed);
    assert!(outcome.all("chat_commit_completed").is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_changed_old_line_refuses_the_commit() {
    let stage = Stage::new().await;
    let model = Held::new(json!([{"calls": [write("output/main.md", "x"), commit()]}, {"text": "a"}, {"text": "b"}]));
    let handle = stage.start(model.clone(), |_| {}).await;
    model.asked().await;
    std::fs::write(
        &stage.chat,
        stage.chat_text().replace("Then we climb.", "Then we don't."),
    )
    .unwrap();
    let changed = stage.chat_text();
    (0..3).for_each(|_| model.answer());
    let outcome = stage.finish(handle).await;
    assert_eq!(
        outcome.calls()[1],
        ("workspace.commit".into(), "agent.chat_commit_rejected".into())
    );
    assert_eq!(outcome.chat, changed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn appended_commits_gather_in_one_message() {
    let stage = Stage::new().await;
    let append = |path: &str| json!({"name": "workspace_commit", "arguments": {"path": path, "mode": "append"}});
    let outcome = stage
        .play(json!([{"calls": [
            write("output/a.md", "One. "), append("output/a.md"), write("output/b.md", "Two."), append("output/b.md"), finish(),
        ]}]))
        .await;
    assert_eq!(outcome.report.status, RunStatus::Completed);
    assert_eq!(outcome.messages().len(), 3);
    assert_eq!(outcome.messages()[2]["mes"], "One. Two.");
}

async fn generate(generation: GenerationType) -> Vec<Value> {
    let stage = Stage::new().await;
    let model = script(json!([{"calls": [write("output/main.md", "New words."), commit(), finish()]}]));
    let start = StartRun {
        generation,
        ..StartRun::new(&stage.chat, std::sync::Arc::new(model))
    };
    let handle = stage.host.start_run(start).await.unwrap();
    let outcome = stage.finish(handle).await;
    assert_eq!(outcome.report.status, RunStatus::Completed);
    outcome.messages()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_generation_type_has_its_place() {
    let regenerated = generate(GenerationType::Regenerate).await;
    assert_eq!((regenerated.len(), &regenerated[1]["mes"]), (2, &json!("New words.")));
    let swiped = generate(GenerationType::Swipe).await;
    assert_eq!(
        (swiped.len(), &swiped[1]["mes"], &swiped[1]["swipe_id"]),
        (2, &json!("New words."), &json!(1))
    );
    assert_eq!(swiped[1]["swipes"], json!(["Then we climb.", "New words."]));
    let continued = generate(GenerationType::Continue).await;
    assert_eq!(
        (continued.len(), &continued[1]["mes"]),
        (2, &json!("Then we climb.New words."))
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tab_that_has_the_chat_open_is_warned_and_cannot_overwrite_the_commit() {
    let stage = Stage::new().await;
    let mut tab = SillyTavern::open(&stage.chat).unwrap();
    let outcome = stage
        .play(json!([{"calls": [write("output/main.md", "We climb."), commit(), finish()]}]))
        .await;
    tab.say("I was faster.");
    assert_eq!(tab.save("fresh").unwrap(), Save::IntegrityMismatch);
    assert_eq!(stage.chat_text(), outcome.chat);
    let reloaded = SillyTavern::open(&stage.chat).unwrap();
    assert_eq!(reloaded.texts().last().map(String::as_str), Some("We climb."));
}

/// A turn that keeps a note and writes, commits and finishes.
fn noted(note: &str) -> Value {
    json!({"calls": [write(&format!("persist/{note}.md"), note), write("output/main.md", note), commit(), finish()]})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_runs_from_one_state_the_second_is_told_of_the_conflict_and_nothing_is_lost() {
    let stage = Stage::new().await;
    let first = stage.play(json!([noted("base")])).await;
    let base = first.report.run_id.to_string();
    let late = Held::new(json!([noted("late"), {"text": "a"}, {"text": "b"}]));
    let slow = stage.start(late.clone(), |_| {}).await;
    late.asked().await;
    let quick = stage.play(json!([noted("quick")])).await;
    (0..3).for_each(|_| late.answer());
    let slow = stage.finish(slow).await;
    for run in [&quick, &slow] {
        assert_eq!(run.one("run_created").text("persistBaseStateId"), Some(base.as_str()));
    }
    assert_eq!(
        (quick.report.status, slow.report.status),
        (RunStatus::Completed, RunStatus::Failed)
    );
    assert_eq!(slow.calls()[2].1, "agent.chat_commit_rejected");
    assert_eq!(slow.file("persist/late.md").as_deref(), Some("late"));
    assert!(slow.chat == quick.chat, "the chat of the quick run was changed");
    let state = quick.messages().pop().unwrap()["extra"]["tauritavern"]["agent"]["persistStateId"].take();
    assert_eq!(state, json!(quick.report.run_id));
    let states = first.report.folder.join("../../persistent-states");
    let has = |run: &str, note: &str| states.join(run).join(format!("persist/{note}.md")).exists();
    let quick = quick.report.run_id.as_str();
    assert_eq!(
        [has(quick, "base"), has(quick, "quick"), has(&base, "quick")],
        [true, true, false]
    );
    assert!(
        !states.join(slow.report.run_id.as_str()).exists(),
        "a failed run made a state"
    );
}
