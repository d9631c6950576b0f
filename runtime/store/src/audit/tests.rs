//! Names of audit files, and that none is ever replaced.

use serde_json::json;

use super::*;

struct Run {
    folder: tempfile::TempDir,
    audit: Audit,
}

fn run() -> Run {
    let folder = tempfile::tempdir().unwrap();
    let audit = Audit::new(Arc::new(Tree::open(folder.path()).unwrap()));
    Run { folder, audit }
}

impl Run {
    fn text(&self, path: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(path)).unwrap()
    }
}

#[test]
fn a_stem_is_a_digest_of_the_call_id() {
    let stems = [
        ("call_mcp".to_owned(), "call_fe79da5f09df9787"),
        ("call_1".to_owned(), "call_74196fe72e4cdc13"),
        ("../../etc/passwd".to_owned(), "call_3754d6cb3a38e118"),
        ("呼び出し/😀".to_owned(), "call_a8799c50daa954a3"),
        ("a".repeat(500), "call_69206a472a1f3842"),
    ];
    for (id, expected) in stems {
        assert_eq!(stem(&id), expected, "{id}");
    }
}

#[test]
fn arguments_and_result_are_pretty_json_under_one_stem() {
    let run = run();
    let files = run.audit.begin("call_1", &json!({"path": "a.md"})).unwrap();
    run.audit.store_result(&files, &json!({"callId": "call_1"})).unwrap();
    run.audit.store_view(&files, "text").unwrap();
    run.audit.store_diff(&files, "-a\n+b\n").unwrap();
    assert_eq!(
        run.text("tool-args/call_74196fe72e4cdc13.json"),
        "{\n  \"path\": \"a.md\"\n}"
    );
    assert_eq!(
        run.text("tool-results/call_74196fe72e4cdc13.json"),
        "{\n  \"callId\": \"call_1\"\n}"
    );
    assert_eq!(run.text("tool-results/call_74196fe72e4cdc13.txt"), "text");
    assert_eq!(run.text("tool-args/call_74196fe72e4cdc13.diff"), "-a\n+b\n");
    assert_eq!(files.result.as_str(), "tool-results/call_74196fe72e4cdc13.json");
}

#[test]
fn a_reused_call_id_gets_the_first_number_that_is_free_for_all_files() {
    let run = run();
    let first = run.audit.begin("call_1", &json!(1)).unwrap();
    let results = run.folder.path().join("tool-results");
    std::fs::create_dir(&results).unwrap();
    std::fs::write(results.join("call_74196fe72e4cdc13-2.txt"), "somebody's").unwrap();
    let next = run.audit.begin("call_1", &json!(2)).unwrap();
    assert_eq!(first.arguments.as_str(), "tool-args/call_74196fe72e4cdc13.json");
    assert_eq!(
        next,
        CallFiles::new("call_74196fe72e4cdc13", NonZeroU32::new(3).unwrap()).unwrap()
    );
    assert_eq!(run.text("tool-args/call_74196fe72e4cdc13.json"), "1");
    assert_eq!(run.text("tool-args/call_74196fe72e4cdc13-3.json"), "2");
}

#[test]
fn a_stored_result_is_never_replaced() {
    let run = run();
    let files = run.audit.begin("call_1", &json!({})).unwrap();
    run.audit.store_result(&files, &json!(1)).unwrap();
    let error = run.audit.store_result(&files, &json!(2)).unwrap_err();
    assert!(
        matches!(error, AuditError::Tree(TreeError::AlreadyExists { .. })),
        "{error}"
    );
    assert_eq!(run.text(files.result.as_str()), "1");
}

#[test]
fn concurrent_calls_with_one_id_get_numbers_of_their_own() {
    let run = run();
    let mut paths: Vec<String> = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..6)
            .map(|n| {
                scope.spawn({
                    let audit = &run.audit;
                    move || audit.begin("call_1", &n).unwrap()
                })
            })
            .collect();
        calls
            .into_iter()
            .map(|call| call.join().unwrap().arguments.to_string())
            .collect()
    });
    paths.sort();
    let expected: Vec<String> = ["-2", "-3", "-4", "-5", "-6", ""]
        .iter()
        .map(|suffix| format!("tool-args/call_74196fe72e4cdc13{suffix}.json"))
        .collect();
    assert_eq!(paths, expected);
}

#[cfg(unix)]
#[test]
fn a_folder_that_became_a_link_is_refused() {
    let run = run();
    let outside = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(outside.path(), run.folder.path().join("tool-args")).unwrap();
    let error = run.audit.begin("call_1", &json!(1)).unwrap_err();
    assert_eq!(error.code(), "workspace.invalid_path");
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
}
