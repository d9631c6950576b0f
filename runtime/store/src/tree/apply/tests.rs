//! Changing files: guards, links, rivals. What happens when a step fails has its own tests.

use super::super::tests::{Run, path};
use super::*;

pub(super) fn write(text: &str, content: &str, guard: Guard) -> Change {
    Change::Write {
        path: path(text),
        bytes: content.into(),
        guard,
    }
}

pub(super) fn remove(text: &str, guard: Guard) -> Change {
    Change::Remove {
        path: path(text),
        guard,
    }
}

fn digest(content: &str) -> Sha256 {
    Sha256::of(content.as_bytes())
}

#[test]
fn writes_and_removals_report_before_and_after() {
    let run = Run::new();
    run.put("output/old.md", "old");
    run.put("output/gone.md", "gone");
    let applied = run.tree.apply(&[
        write("plan/new/deep.md", "new", Guard::MustNotExist),
        write("output/old.md", "newer", Guard::MustMatch(digest("old"))),
        remove("output/gone.md", Guard::MustMatch(digest("gone"))),
    ]);
    let expected = [
        Applied {
            path: path("plan/new/deep.md"),
            before: None,
            after: Some(digest("new")),
        },
        Applied {
            path: path("output/old.md"),
            before: Some(digest("old")),
            after: Some(digest("newer")),
        },
        Applied {
            path: path("output/gone.md"),
            before: Some(digest("gone")),
            after: None,
        },
    ];
    assert_eq!(applied.unwrap(), expected);
    let left: Vec<_> = run.everything().into_iter().map(|(name, _)| name).collect();
    let names = [
        "outside",
        "outside/secret.md",
        "run",
        "run/output",
        "run/output/old.md",
        "run/plan",
        "run/plan/new",
        "run/plan/new/deep.md",
    ];
    assert_eq!(left, names);
    assert_eq!(
        (run.text("output/old.md"), run.text("plan/new/deep.md")),
        ("newer".to_owned(), "new".to_owned())
    );
}

#[test]
fn a_guard_that_does_not_hold_changes_nothing_at_all() {
    let run = Run::new();
    run.put("output/a.md", "a");
    let before = run.everything();
    let refused = [
        (
            write("output/a.md", "x", Guard::MustNotExist),
            "workspace.write_requires_read",
        ),
        (
            write("output/a.md", "x", Guard::MustMatch(digest("other"))),
            "workspace.write_stale_file",
        ),
        (
            write("output/no.md", "x", Guard::MustMatch(digest("a"))),
            "workspace.write_stale_file",
        ),
        (
            remove("output/a.md", Guard::MustMatch(digest("other"))),
            "workspace.write_stale_file",
        ),
        (remove("output/no.md", Guard::Unchecked), "workspace.file_not_found"),
        (remove("no/no.md", Guard::MustNotExist), "workspace.file_not_found"),
        (write("output", "x", Guard::Unchecked), "workspace.path_is_directory"),
        (remove("output", Guard::Unchecked), "workspace.path_is_directory"),
        (
            write("output/a.md/b.md", "x", Guard::Unchecked),
            "workspace.invalid_path",
        ),
        (write("output/A.md", "x", Guard::Unchecked), "workspace.name_conflict"),
        (write("OUTPUT/new.md", "x", Guard::Unchecked), "workspace.name_conflict"),
    ];
    for (change, code) in refused {
        let changes = [write("plan/first.md", "first", Guard::Unchecked), change];
        let error = run.tree.apply(&changes).unwrap_err();
        assert_eq!(error.code(), code, "{:?}", changes[1]);
        assert!(!error.is_fault());
        assert_eq!(run.everything(), before, "{:?}", changes[1]);
    }
}

#[test]
fn lost_guards_name_the_present_version() {
    let run = Run::new();
    run.put("output/a.md", "a");
    let exists = run
        .tree
        .apply(&[write("output/a.md", "x", Guard::MustNotExist)])
        .unwrap_err();
    assert!(matches!(&exists, TreeError::AlreadyExists { actual, .. } if *actual == digest("a")));
    let stale = run
        .tree
        .apply(&[write("output/a.md", "x", Guard::MustMatch(digest("b")))])
        .unwrap_err();
    assert!(matches!(&stale, TreeError::Stale { actual: Some(actual), .. } if *actual == digest("a")));
    assert_eq!(stale.to_string(), "`output/a.md` has changed");
    let gone = run
        .tree
        .apply(&[remove("output/no.md", Guard::MustMatch(digest("b")))])
        .unwrap_err();
    assert_eq!(gone.to_string(), "`output/no.md` is gone");
}

#[test]
fn identical_bytes_count_as_unchanged() {
    let run = Run::new();
    run.put("output/a.md", "other");
    run.put("output/a.md", "same");
    run.tree
        .apply(&[write("output/a.md", "next", Guard::MustMatch(digest("same")))])
        .unwrap();
    assert_eq!(run.text("output/a.md"), "next");
}

#[test]
fn changes_about_one_place_are_refused() {
    let run = Run::new();
    let pairs = [
        ("output/a", "output/a"),
        ("output/a", "output/A"),
        ("output/a/b", "output/a"),
        ("output/a", "output/a/b/c"),
    ];
    for (one, other) in pairs {
        let error = run
            .tree
            .apply(&[write(one, "1", Guard::Unchecked), write(other, "2", Guard::Unchecked)])
            .unwrap_err();
        assert!(matches!(error, TreeError::Overlap { .. }), "{one} {other}: {error}");
    }
    let neighbours = [
        write("output/a.md", "1", Guard::Unchecked),
        write("output/a", "2", Guard::Unchecked),
        write("output/a!", "3", Guard::Unchecked),
    ];
    assert_eq!(run.tree.apply(&neighbours).unwrap().len(), 3);
}

#[test]
fn a_hard_link_elsewhere_keeps_the_old_content() {
    let run = Run::new();
    let outside = run.base.path().join("outside/secret.md");
    std::fs::hard_link(&outside, run.at("output/a.md")).unwrap();
    run.tree
        .apply(&[write("output/a.md", "new", Guard::MustMatch(digest("canary")))])
        .unwrap();
    assert_eq!(
        (run.text("output/a.md"), std::fs::read_to_string(outside).unwrap()),
        ("new".to_owned(), "canary".to_owned())
    );
}

#[cfg(unix)]
#[test]
fn nothing_is_created_through_a_link_or_in_its_place() {
    use std::os::unix::fs::symlink;
    let run = Run::new();
    symlink(run.base.path().join("outside"), run.at("output/folder")).unwrap();
    symlink(run.base.path().join("outside/secret.md"), run.at("output/file")).unwrap();
    symlink(run.base.path().join("outside/new.md"), run.at("output/dangling")).unwrap();
    let before = run.everything();
    for text in [
        "output/folder/new.md",
        "output/folder/sub/new.md",
        "output/file",
        "output/dangling",
        "output/folder",
    ] {
        for change in [write(text, "x", Guard::Unchecked), remove(text, Guard::Unchecked)] {
            let error = run
                .tree
                .apply(&[write("plan/a.md", "x", Guard::Unchecked), change])
                .unwrap_err();
            assert_eq!(error.code(), "workspace.invalid_path", "{text}");
        }
    }
    assert_eq!(run.everything(), before);
}

#[test]
fn of_two_guarded_writes_exactly_one_wins() {
    let run = Run::new();
    run.put("output/a.md", "base");
    // A second tree on the same folder shares the lock.
    let other = Tree::open(&run.at("")).unwrap();
    for (round, guard) in [Guard::MustMatch(digest("base")), Guard::MustNotExist]
        .into_iter()
        .enumerate()
    {
        let target = if round == 0 { "output/a.md" } else { "output/new.md" };
        let start = std::sync::Barrier::new(8);
        let wins: usize = std::thread::scope(|scope| {
            let attempt = |n: usize| {
                let (tree, start, guard) = (
                    if n.is_multiple_of(2) { &run.tree } else { &other },
                    &start,
                    guard.clone(),
                );
                scope.spawn(move || {
                    start.wait();
                    tree.apply(&[write(target, &format!("writer {n}"), guard)])
                })
            };
            let writers: Vec<_> = (0..8).map(attempt).collect();
            writers
                .into_iter()
                .map(|writer| usize::from(writer.join().unwrap().is_ok()))
                .sum()
        });
        assert_eq!(wins, 1);
        assert!(run.text(target).starts_with("writer "));
    }
}

/// Each increments a number in a file, based on what it has read, over and over.
#[test]
fn every_acknowledged_increment_of_many_writers_counts() {
    const WRITERS: usize = 8;
    const ATTEMPTS: usize = 200;
    let run = Run::new();
    run.put("output/count.md", "0");
    let increment = || {
        let read = run.tree.read(&path("output/count.md"), 100).unwrap();
        let next = read.text.parse::<usize>().unwrap() + 1;
        let change = write("output/count.md", &next.to_string(), Guard::MustMatch(read.sha256));
        match run.tree.apply(&[change]) {
            Ok(_) => true,
            Err(error) => {
                assert!(matches!(error, TreeError::Stale { .. }), "{error:?}");
                false
            }
        }
    };
    let acknowledged: usize = std::thread::scope(|scope| {
        let count = || (0..ATTEMPTS).filter(|_| increment()).count();
        let writers: Vec<_> = (0..WRITERS).map(|_| scope.spawn(count)).collect();
        writers.into_iter().map(|writer| writer.join().unwrap()).sum()
    });
    assert!(acknowledged > 0, "nobody was ever first");
    assert_eq!(run.text("output/count.md"), acknowledged.to_string());
}
