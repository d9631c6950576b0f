//! What a run's journal says of tools of others that break down in every way: the code, what was used of which limit, and that nothing
//! was tried twice.

use std::collections::BTreeSet;
use std::sync::Arc;

use innkeeper::protocol::approval::ApprovalMode;
use innkeeper::protocol::run::RunStatus;
use innkeeper::{Consent, PackageInput, ProfileChoice, StartRun, parse_extension_id};
use serde_json::{Value, json};

use crate::guests::component;
use crate::run::{Outcome, Stage, script};

/// Guests, what each is granted, and the code of its end.
const ENDS: [(&str, &[&str], &str); 11] = [
    ("loop_in_call", &[], "tool.timeout"),
    ("memory_growth", &[], "tool.memory_limit"),
    ("table_growth", &[], "tool.resource_limit"),
    ("recursion", &[], "tool.stack_overflow"),
    ("endless_host_calls", &["random"], "tool.host_call_limit"),
    ("large_host_calls", &[], "tool.host_data_limit"),
    ("large_reply", &[], "tool.output_limit"),
    ("undeclared_use", &["random"], "tool.capability_denied"),
    ("trap", &[], "tool.trap"),
    ("bad_structured", &[], "tool.output_invalid"),
    ("well_behaved", &[], "ok"),
];

/// A run in which each guest is called once, and then the message is written all the same.
async fn played() -> (Stage, Outcome) {
    let stage = Stage::new().await;
    let mut calls = Vec::new();
    let mut with = Vec::new();
    for (guest, grants, _) in ENDS {
        let id = parse_extension_id(&guest.replace('_', "-")).unwrap();
        let input = PackageInput::Component {
            id: id.clone(),
            bytes: component(guest),
        };
        let plan = stage.host.plan_extension(input).await.unwrap();
        let consent = Consent {
            grants: grants.iter().map(|grant| (*grant).to_owned()).collect::<BTreeSet<_>>(),
            accepts_changes: false,
        };
        stage.host.install_extension(plan, &consent).await.unwrap();
        calls.push(json!({"name": format!("ext__{}__hostile_act", guest.replace('_', "-")), "arguments": {}}));
        with.push(id);
    }
    let turns = json!([{"calls": calls}, {"calls": [
        {"name": "workspace_write_file", "arguments": {"path": "output/main.md", "content": "We climb."}},
        {"name": "workspace_commit", "arguments": {}},
        {"name": "workspace_finish", "arguments": {}},
    ]}]);
    let mut profile = stage.host.default_profile();
    profile.tools.limits = Some(serde_json::from_value(json!({"wallMs": 400})).unwrap());
    let start = StartRun {
        profile: ProfileChoice::Given(Box::new(profile)),
        approvals: ApprovalMode::Always,
        with,
        seed: Some(1),
        ..StartRun::new(&stage.chat, Arc::new(script(turns)))
    };
    let handle = stage.host.start_run(start).await.unwrap();
    let outcome = stage.finish(handle).await;
    (stage, outcome)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_way_to_break_down_is_in_the_journal_with_what_was_used() {
    let (_stage, outcome) = played().await;
    assert_eq!((outcome.report.status, outcome.code()), (RunStatus::Completed, None));
    let codes: Vec<String> = outcome.calls().into_iter().map(|(_, code)| code).collect();
    let expected: Vec<&str> = ENDS.iter().map(|(_, _, code)| *code).chain(["ok"; 3]).collect();
    assert_eq!(codes, expected);
    // A call that broke down is not tried again, whatever the tool says of itself.
    assert_eq!(outcome.all("tool_call_started").len(), expected.len());
    let stored = outcome.all("tool_result_stored");
    for (event, (guest, _, code)) in stored.iter().zip(ENDS) {
        let path = event.text("path").unwrap();
        let result: Value = serde_json::from_str(&outcome.file(path).unwrap()).unwrap();
        let found = result["errorCode"].as_str().unwrap_or("ok");
        assert_eq!(found, code, "{guest}");
        let used = |what: &str| {
            result["usage"][what]
                .as_u64()
                .unwrap_or_else(|| panic!("{guest}: {what}"))
        };
        assert!(used("wallMicros") > 0, "{guest}");
        let met = match code {
            "tool.timeout" => used("wallMicros") >= 400_000,
            "tool.memory_limit" => used("peakMemoryBytes") == 64 << 20,
            "tool.host_call_limit" => used("hostCalls") == 10_001,
            "tool.host_data_limit" => used("hostCalls") == 3,
            "tool.output_limit" => used("outputBytes") > 4 << 20,
            _ => used("peakMemoryBytes") > 0,
        };
        assert!(met, "{guest}: {}", result["usage"]);
    }
}
