//! Skills in whole runs: what a profile lets be seen, its budgets, and which of two skills of one name applies.

use std::path::Path;
use std::sync::Arc;

use innkeeper::profile::Profile;
use innkeeper::{ProfileChoice, StartRun};
use serde_json::{Value, json};

use super::stage::{Outcome, Stage, script};

/// Installs a skill for all runs; the file's text stands in its folder too.
fn install(stage: &Stage, name: &str, files: &[(&str, &str)]) {
    put_skill(&stage.data_root().join("skills/global"), name, files);
}

fn put_skill(scope: &Path, name: &str, files: &[(&str, &str)]) {
    let folder = scope.join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let head = format!("---\nname: {name}\ndescription: About {name}.\n---\n");
    std::fs::write(folder.join("SKILL.md"), head).unwrap();
    for (file, text) in files {
        std::fs::write(folder.join(file), text).unwrap();
    }
}

fn read(name: &str, path: &str) -> Value {
    json!({"name": "skill_read", "arguments": {"name": name, "path": path}})
}

fn search(name: &str, query: &str, context: u32) -> Value {
    json!({"name": "skill_search", "arguments": {"name": name, "query": query, "context_lines": context}})
}

fn list() -> Value {
    json!({"name": "skill_list", "arguments": {}})
}

/// Plays calls in one turn each; the stored results of all.
async fn results(stage: &Stage, calls: Vec<Value>, change: impl FnOnce(&mut Profile)) -> (Outcome, Vec<Value>) {
    let mut turns: Vec<Value> = calls.into_iter().map(|call| json!({ "calls": [call] })).collect();
    turns.extend([json!({"text": "a"}), json!({"text": "b"})]);
    let outcome = stage.play_with(json!(turns), change).await;
    let stored = outcome.all("tool_result_stored").into_iter().map(|event| {
        let path = event.text("path").unwrap();
        serde_json::from_str(&outcome.file(path).unwrap()).unwrap()
    });
    let stored = stored.collect();
    (outcome, stored)
}

fn codes(outcome: &Outcome) -> Vec<String> {
    outcome.calls().into_iter().map(|(_, code)| code).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deny_wins_and_never_tells_what_exists() {
    let stage = Stage::new().await;
    install(&stage, "lore", &[]);
    install(&stage, "cipher", &[]);
    let calls = vec![
        list(),
        read("lore", "SKILL.md"),
        read("nobody", "SKILL.md"),
        search("lore", "about", 0),
        read("cipher", "SKILL.md"),
    ];
    let (outcome, results) = results(&stage, calls, |profile| {
        profile.skills.visible = vec!["*".into()];
        profile.skills.deny = vec!["lore".into(), "nobody".into()];
    })
    .await;
    let denied = "skill.policy_denied";
    assert_eq!(codes(&outcome), ["ok", denied, denied, denied, "ok"]);
    assert_eq!(
        results[0]["structured"],
        json!({"skills": [{"name": "cipher", "description": "About cipher."}]})
    );
    let told = |result: &Value, name: &str| result["modelText"].as_str().unwrap().replace(name, "X");
    assert_eq!(told(&results[1], "lore"), told(&results[2], "nobody"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_denied_lists_nothing() {
    let stage = Stage::new().await;
    install(&stage, "lore", &[]);
    let (outcome, results) = results(&stage, vec![list(), read("lore", "SKILL.md")], |profile| {
        profile.skills.visible = vec!["*".into()];
        profile.skills.deny = vec!["*".into()];
    })
    .await;
    assert_eq!(codes(&outcome), ["ok", "skill.policy_denied"]);
    assert_eq!(results[0]["structured"], json!({"skills": []}));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_what_is_named_is_visible() {
    let stage = Stage::new().await;
    install(&stage, "lore", &[]);
    install(&stage, "cipher", &[]);
    let (outcome, _) = results(
        &stage,
        vec![read("lore", "SKILL.md"), read("cipher", "SKILL.md")],
        |profile| {
            profile.skills.visible = vec!["lore".into()];
        },
    )
    .await;
    assert_eq!(codes(&outcome), ["ok", "skill.policy_denied"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_large_budget_of_one_call_is_cut_by_nothing_else() {
    let stage = Stage::new().await;
    let text = "0123456789".repeat(9_000);
    install(&stage, "lore", &[("long.txt", &text)]);
    let calls = vec![
        read("lore", "long.txt"),
        read("lore", "long.txt"),
        read("lore", "SKILL.md"),
    ];
    let (outcome, results) = results(&stage, calls, |profile| {
        profile.skills.max_read_chars_per_call = 100_000;
        profile.skills.max_read_chars_per_run = 100_000;
    })
    .await;
    assert_eq!(codes(&outcome), ["ok", "ok", "skill.read_budget_exhausted"]);
    let shown = |result: &Value| {
        (
            result["structured"]["chars"].clone(),
            result["structured"]["truncated"].clone(),
        )
    };
    assert_eq!(shown(&results[0]), (json!(90_000), json!(false)));
    assert_eq!(shown(&results[1]), (json!(10_000), json!(true)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn snippets_above_the_budget_cost_nothing() {
    let stage = Stage::new().await;
    let text = format!("{0}\n{0}\nwolf\n{0}\n{0}", "x".repeat(35));
    install(&stage, "lore", &[("a.md", &text)]);
    let calls = vec![
        search("lore", "wolf", 2),
        search("lore", "wolf", 0),
        read("lore", "a.md"),
        read("lore", "a.md"),
    ];
    let (outcome, results) = results(&stage, calls, |profile| {
        profile.skills.max_read_chars_per_call = 100;
        profile.skills.max_read_chars_per_run = 100;
    })
    .await;
    let spent = "skill.read_budget_exhausted";
    assert_eq!(codes(&outcome), [spent, "ok", "ok", "ok"]);
    assert_eq!(results[1]["structured"]["returnedChars"], 8);
    // 92 are left: two lines of 35 with the line feed between them, the word and its line feeds, and 15 more that no line fits into.
    assert_eq!(results[2]["structured"]["chars"], 76);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_skill_of_the_profile_takes_the_place_of_one_for_all() {
    let stage = Stage::new().await;
    install(&stage, "lore", &[("a.md", "for all")]);
    let id = stage.host.default_profile().id.to_string();
    let scope = stage.data_root().join("skills/profiles").join(id);
    put_skill(&scope, "lore", &[("a.md", "for this profile")]);
    let (outcome, results) = results(&stage, vec![read("lore", "a.md")], |_| {}).await;
    assert_eq!(codes(&outcome), ["ok"]);
    assert!(results[0]["modelText"].as_str().unwrap().contains("for this profile"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_skill_that_is_named_and_missing_stops_the_run_before_it_starts() {
    let stage = Stage::new().await;
    install(&stage, "lore", &[]);
    let mut profile = stage.host.default_profile();
    profile.skills.visible = vec!["lore".into(), "nobody".into()];
    let start = StartRun {
        profile: ProfileChoice::Given(Box::new(profile)),
        ..StartRun::new(&stage.chat, Arc::new(script(json!([]))))
    };
    let refused = stage.host.start_run(start).await.err().unwrap();
    assert_eq!(refused.code, "agent.skill_visible_missing");
    assert!(
        refused.message.contains("nobody") && !refused.message.contains("lore"),
        "{refused}"
    );
}
