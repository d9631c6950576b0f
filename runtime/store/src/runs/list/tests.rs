//! The list and its caches: order, pages, filters, damage.

use std::fs;

use innkeeper_protocol::id::StableChatId;
use innkeeper_protocol::run::{ChatRef, RunStatus};
use serde_json::{Value, json};

use crate::journal::testing::{draft, stamp};
use crate::runs::testing::{World, completed, run_id, status};
use crate::runs::{ListCursor, ListQuery, RunFolder, RunPage, RunRecord, RunsError};

fn list(world: &World, query: &ListQuery) -> RunPage {
    world.root.list(query).unwrap()
}

/// The numbers of the listed runs.
fn numbers(page: &RunPage) -> Vec<u32> {
    let number = |id: &str| u32::from_str_radix(id.trim_start_matches("run_"), 16).unwrap();
    page.runs.iter().map(|run| number(run.run_id.as_str())).collect()
}

fn issues(page: &RunPage) -> Vec<(&str, &str)> {
    let id = |issue: &super::RunIssue| issue.run_id.clone();
    assert!(page.issues.iter().all(|issue| id(issue).is_some()));
    page.issues
        .iter()
        .map(|issue| (issue.file_name.as_str(), issue.code))
        .collect()
}

fn record_in_index(world: &World, number: u32) -> RunRecord {
    serde_json::from_slice(&fs::read(world.root.index_path(&run_id(number))).unwrap()).unwrap()
}

#[test]
fn a_data_root_without_runs_has_an_empty_list() {
    let page = list(&World::new(), &ListQuery::default());
    assert_eq!(serde_json::to_value(page).unwrap(), json!({"runs": []}));
}

#[test]
fn a_listed_run_shows_what_its_journal_says() {
    let world = World::new();
    let commit = json!({"commitId": "commit_1", "messageId": "4", "path": "output/main.md"});
    world.run(
        1,
        7,
        &[
            status("calling_model"),
            draft("chat_commit_completed", commit),
            completed(),
        ],
    );
    let expected = json!({
        "runId": run_id(1), "workspaceId": "chat_0000000000000007", "stableChatId": "stable-7",
        "chatRef": {"kind": "character", "characterId": "c7", "fileName": "f.jsonl"},
        "generationType": "normal", "profileId": "writer", "inputMessageCount": 3, "presentation": "background",
        "status": "completed", "createdAt": stamp(1).timestamp, "updatedAt": stamp(4).timestamp, "commitCount": 1,
        "committedMessage": {
            "commitId": "commit_1", "messageId": "4", "messageIndex": 4, "committedAt": stamp(3).timestamp,
        },
        "terminalAt": stamp(4).timestamp,
    });
    for reading in ["from the journal", "from the caches"] {
        let page = list(&world, &ListQuery::default());
        assert_eq!(
            serde_json::to_value(&page.runs).unwrap(),
            json!([expected]),
            "{reading}"
        );
    }
}

#[test]
fn pages_go_from_new_to_old_without_a_gap() {
    let world = World::new();
    for number in [3, 1, 5, 2, 4] {
        world.run(number, number % 2, &[]);
    }
    let mut seen = Vec::new();
    let mut before = None;
    loop {
        let page = list(
            &world,
            &ListQuery {
                before: before.clone(),
                limit: Some(2),
                ..ListQuery::default()
            },
        );
        seen.push(numbers(&page));
        before = page.next_cursor;
        if before.is_none() {
            break;
        }
    }
    assert_eq!(seen, [vec![5, 4], vec![3, 2], vec![1]]);
}

#[test]
fn filters_choose_by_chat_and_status() {
    let world = World::new();
    world.run(1, 1, &[completed()]);
    world.run(2, 1, &[status("calling_model")]);
    world.run(3, 2, &[completed()]);
    let chat = ChatRef::Character {
        character_id: "c1".to_owned(),
        file_name: "f.jsonl".to_owned(),
    };
    let by_ref = ListQuery {
        chat_ref: Some(chat),
        ..ListQuery::default()
    };
    let by_id = ListQuery {
        stable_chat_id: StableChatId::parse("stable-2").ok(),
        ..ListQuery::default()
    };
    let by_status = ListQuery {
        statuses: vec![RunStatus::Completed],
        ..ListQuery::default()
    };
    let found = [by_ref, by_id, by_status].map(|query| numbers(&list(&world, &query)));
    assert_eq!(found, [vec![2, 1], vec![3], vec![3, 1]]);
}

#[test]
fn limits_and_cursors_out_of_range_are_refused() {
    let world = World::new();
    let cursor = |created_at: &str, run_id: &str| {
        let before = Some(ListCursor {
            created_at: created_at.to_owned(),
            run_id: run_id.to_owned(),
        });
        ListQuery {
            before,
            ..ListQuery::default()
        }
    };
    let limit = |limit| ListQuery {
        limit: Some(limit),
        ..ListQuery::default()
    };
    let code = |query: &ListQuery| world.root.list(query).map_err(|error| error.code()).err();
    for query in [limit(0), limit(201)] {
        assert_eq!(code(&query), Some("agent.run_history_limit_invalid"));
    }
    for query in [cursor("2026-01-01T00:00:00Z", " "), cursor("yesterday", "run_1")] {
        assert_eq!(code(&query), Some("agent.run_history_cursor_invalid"));
    }
    assert_eq!(
        [code(&limit(200)), code(&cursor("2026-01-01T00:00:00Z", "run_1"))],
        [None, None]
    );
}

#[test]
fn caches_that_are_missing_older_damaged_or_of_another_run_are_made_anew() {
    let world = World::new();
    let folder = world.run(1, 1, &[status("calling_model"), completed()]);
    list(&world, &ListQuery::default());
    let (index, run_json) = (world.root.index_path(&run_id(1)), folder.record_path());
    let sound = fs::read(&index).unwrap();
    let truth = record_in_index(&world, 1);
    assert_eq!(
        (truth.status, fs::read(&run_json).unwrap()),
        (RunStatus::Completed, sound.clone())
    );
    let older = RunRecord {
        status: RunStatus::Created,
        journal_bytes: first_line(&folder),
        ..truth.clone()
    };
    let beyond = RunRecord {
        status: RunStatus::Failed,
        journal_bytes: truth.journal_bytes + 1,
        ..truth.clone()
    };
    let inside = RunRecord {
        status: RunStatus::Failed,
        journal_bytes: truth.journal_bytes - 1,
        ..truth.clone()
    };
    let other = RunRecord {
        id: run_id(2),
        status: RunStatus::Failed,
        ..truth.clone()
    };
    let mut spoilt: Vec<Vec<u8>> = [older, beyond, inside, other]
        .iter()
        .map(|record| serde_json::to_vec(record).unwrap())
        .collect();
    spoilt.push(sound[..sound.len() / 2].to_vec());
    for bytes in spoilt {
        fs::write(&index, &bytes).unwrap();
        fs::write(&run_json, &bytes).unwrap();
        let page = list(&world, &ListQuery::default());
        assert_eq!((page.runs[0].status, page.issues), (RunStatus::Completed, vec![]));
        assert_eq!(record_in_index(&world, 1), truth);
    }
    fs::remove_dir_all(world.root.path().join("index")).unwrap();
    assert_eq!(list(&world, &ListQuery::default()).runs[0].status, RunStatus::Completed);
}

#[test]
fn a_pass_caches_as_many_records_as_it_may_and_the_next_ones_the_rest() {
    let world = World::new();
    for number in 1..=4 {
        world.run(number, number, &[completed()]);
    }
    let damaged = world.run(5, 5, &[completed()]);
    fs::write(damaged.journal().events(), b"garbage\n").unwrap();
    let (folders, _) = world.root.folders().unwrap();
    // The damaged one is never cached, so that each pass tells of it.
    for cached in [0, 3, 4, 4] {
        let index = fs::read_dir(world.root.index(super::super::folder::INDEX));
        assert_eq!(index.map_or(0, Iterator::count), cached);
        let found = world.root.load_all(&folders, 3).into_iter();
        let told = found.map(|loaded| {
            loaded
                .map(|loaded| loaded.record.unwrap().status)
                .map_err(|error| error.code())
        });
        let ended = Ok(RunStatus::Completed);
        let expected = [ended, ended, ended, ended, Err("store.journal_damaged")];
        assert_eq!(told.collect::<Vec<_>>(), expected);
    }
}

fn first_line(folder: &RunFolder) -> u64 {
    let bytes = fs::read(folder.journal().events()).unwrap();
    bytes.iter().position(|byte| *byte == b'\n').unwrap() as u64 + 1
}

#[test]
fn an_index_entry_without_a_run_is_not_listed() {
    let world = World::new();
    let folder = world.run(1, 1, &[completed()]);
    list(&world, &ListQuery::default());
    fs::remove_dir_all(folder.path()).unwrap();
    assert_eq!(
        list(&world, &ListQuery::default()),
        RunPage {
            runs: vec![],
            next_cursor: None,
            issues: vec![]
        }
    );
}

#[test]
fn damaged_runs_are_reported_and_hide_no_other() {
    let world = World::new();
    world.run(1, 1, &[completed()]);
    let headless = world.run(2, 1, &[completed()]);
    fs::write(headless.journal().events(), b"garbage\n").unwrap();
    let wounded = world.run(3, 2, &[status("calling_model"), completed()]);
    let text = fs::read_to_string(wounded.journal().events()).unwrap();
    fs::write(
        wounded.journal().events(),
        text.replace("calling_model", "calling_muses"),
    )
    .unwrap();
    fs::write(
        world
            .root
            .workspace(wounded.workspace_id())
            .join("runs")
            .join("run_file"),
        b"",
    )
    .unwrap();
    world.run(4, 2, &[]);
    for _ in 0..2 {
        let page = list(&world, &ListQuery::default());
        assert_eq!(
            numbers(&page),
            [4, 3, 1],
            "what can still be read of a wounded run is listed"
        );
        let damaged = |name| (name, "store.journal_damaged");
        assert_eq!(
            issues(&page),
            [damaged("run_file"), damaged("events.jsonl"), damaged("events.jsonl")]
        );
        assert!(page.issues[2].message.contains("line 2"), "{}", page.issues[2].message);
    }
}

#[test]
fn a_folder_whose_run_never_began_is_no_run() {
    let world = World::new();
    let folder = world
        .root
        .create_run(
            &innkeeper_protocol::id::WorkspaceId::parse("chat_1").unwrap(),
            &run_id(1),
        )
        .unwrap();
    assert_eq!(list(&world, &ListQuery::default()).runs, []);
    fs::write(folder.journal().events(), b"{\"seq\":1,\"id").unwrap();
    let page = list(&world, &ListQuery::default());
    assert_eq!((page.runs.len(), page.issues.len()), (0, 0));
}

#[test]
fn a_run_is_found_in_whichever_chat_it_is() {
    let world = World::new();
    let folder = world.run(9, 3, &[]);
    world.run(1, 1, &[]);
    assert_eq!(world.root.find_run(&run_id(9)).unwrap(), folder);
    let missing = world.root.find_run(&run_id(8));
    assert!(matches!(missing, Err(RunsError::RunNotFound { .. })), "{missing:?}");
    assert_eq!(missing.unwrap_err().code(), "agent.not_found");
}

#[cfg(unix)]
#[test]
fn a_link_in_the_place_of_a_run_is_not_followed() {
    let world = World::new();
    let folder = world.run(1, 1, &[completed()]);
    let elsewhere = world.root.path().join("elsewhere");
    fs::rename(folder.path(), &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, folder.path()).unwrap();
    let page = list(&world, &ListQuery::default());
    assert_eq!(
        (page.runs.len(), issues(&page)),
        (0, vec![(run_id(1).as_str(), "store.journal_damaged")])
    );
    assert!(matches!(
        world.root.find_run(&run_id(1)),
        Err(RunsError::NotAFolder { .. })
    ));
}

#[test]
fn a_record_is_continued_as_the_journal_grows() {
    let world = World::new();
    let (folder, mut journal) = world.live_run(1, 1);
    let mut statuses = vec![world.root.load_record(&folder).unwrap().status];
    for event in [status("calling_model"), draft("unheard_of", Value::Null), completed()] {
        journal.append(event, stamp(2)).unwrap();
        let record = world.root.load_record(&folder).unwrap();
        assert_eq!(record.journal_bytes, journal.bytes());
        assert_eq!(record_in_index(&world, 1), record);
        statuses.push(record.status);
    }
    let expected = [
        RunStatus::Created,
        RunStatus::CallingModel,
        RunStatus::CallingModel,
        RunStatus::Completed,
    ];
    assert_eq!(statuses, expected);
}

#[test]
fn a_query_is_read_as_the_application_writes_it() {
    let query = json!({
        "stableId": "stable-1", "statuses": ["failed"], "before": {"createdAt": "2026-01-01T00:00:00Z", "runId": "run_1"}, "limit": 3,
        "chatRef": {"kind": "character", "characterId": "c", "fileName": "f.jsonl"},
    });
    let expected = ListQuery {
        chat_ref: Some(ChatRef::Character {
            character_id: "c".to_owned(),
            file_name: "f.jsonl".to_owned(),
        }),
        stable_chat_id: Some(StableChatId::parse("stable-1").unwrap()),
        statuses: vec![RunStatus::Failed],
        before: Some(ListCursor {
            created_at: "2026-01-01T00:00:00Z".to_owned(),
            run_id: "run_1".to_owned(),
        }),
        limit: Some(3),
    };
    assert_eq!(serde_json::from_value::<ListQuery>(query).unwrap(), expected);
    let snake = json!({"chatRef": {"kind": "character", "character_id": "c", "file_name": "f.jsonl"}});
    assert!(serde_json::from_value::<ListQuery>(snake).is_err());
}
