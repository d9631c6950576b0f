//! Listings: order, depth, limit, what is passed over.

use std::fs;

use super::tests::{Run, names, path};
use super::*;
use innkeeper_protocol::path::RootName;

#[test]
fn a_listing_has_folders_first_each_kind_by_path() {
    let run = Run::new();
    for file in ["output/b.md", "output/a/z.md", "output/a/deep/er/x.md", "output/a.md"] {
        run.put(file, "123");
    }
    let all = run.list("output", 3, 100).unwrap();
    let expected = [
        "output/a",
        "output/a/deep",
        "output/a/deep/er",
        "output/a.md",
        "output/a/deep/er/x.md",
        "output/a/z.md",
        "output/b.md",
    ];
    assert_eq!(names(&all), expected);
    assert_eq!(
        all.entries.iter().map(|entry| entry.bytes).collect::<Vec<_>>(),
        [0, 0, 0, 3, 3, 3, 3]
    );
    assert_eq!(
        names(&run.list("output", 0, 100).unwrap()),
        ["output/a", "output/a.md", "output/b.md"]
    );
    assert_eq!(
        names(&run.list("output", 1, 100).unwrap()),
        [
            "output/a",
            "output/a/deep",
            "output/a.md",
            "output/a/z.md",
            "output/b.md"
        ]
    );
}

#[test]
fn listing_a_file_gives_that_file_and_a_missing_path_is_an_error() {
    let run = Run::new();
    run.put("output/a.md", "x");
    let entry = Entry {
        kind: Kind::File,
        path: path("output/a.md"),
        bytes: 1,
    };
    assert_eq!(
        run.list("output/a.md", 2, 10).unwrap(),
        Listing {
            entries: vec![entry],
            truncated: false,
            skipped: 0
        }
    );
    assert_eq!(
        run.list("output/no", 2, 10).unwrap_err().code(),
        "workspace.path_not_found"
    );
    assert_eq!(
        run.list("output/a.md/b", 2, 10).unwrap_err().code(),
        "workspace.invalid_path"
    );
}

#[test]
fn a_root_listing_shows_the_given_roots_whatever_else_there_is() {
    let run = Run::new();
    for n in 0..250 {
        run.put(&format!("tool-args/{n}.json"), "x");
    }
    run.put("plan/beats.md", "x");
    run.put("scratch", "a file in a root's place");
    let roots = ["output", "plan", "persist", "scratch"].map(|name| RootName::declare(name).unwrap());
    let listing = run.tree.list(&Scope::Roots(roots.to_vec()), 2, 200).unwrap();
    assert_eq!(names(&listing), ["output", "plan", "plan/beats.md", "scratch"]);
    assert!(!listing.truncated);
    assert_eq!(
        names(&run.tree.list(&Scope::Roots(roots.to_vec()), 0, 200).unwrap()),
        ["output", "plan", "scratch"]
    );
}

#[test]
fn the_limit_keeps_the_first_entries_in_order() {
    let run = Run::new();
    for n in 0..200 {
        run.put(&format!("output/{n:03}.md"), "x");
    }
    let exact = run.list("output", 2, 200).unwrap();
    assert_eq!((exact.entries.len(), exact.truncated), (200, false));
    run.put("output/zz/inner.md", "x");
    let cut = run.list("output", 2, 200).unwrap();
    assert_eq!((cut.entries.len(), cut.truncated), (200, true));
    assert_eq!((names(&cut)[0], names(&cut)[199]), ("output/zz", "output/198.md"));
    assert_eq!(
        run.list("output", 2, 0).unwrap(),
        Listing {
            entries: vec![],
            truncated: true,
            skipped: 0
        }
    );
}

#[test]
fn names_that_are_no_workspace_path_are_passed_over_and_counted() {
    use std::os::unix::ffi::OsStrExt as _;
    let run = Run::new();
    run.put("output/good.md", "x");
    for name in [&b"bad\xff"[..], b"a:b", b"nul.txt", b"trail ", b"zero\xe2\x80\x8bwidth"] {
        fs::write(run.at("output").join(std::ffi::OsStr::from_bytes(name)), "x").unwrap();
    }
    let listing = run.list("output", 2, 10).unwrap();
    assert_eq!((names(&listing), listing.skipped), (vec!["output/good.md"], 5));
}

#[test]
fn a_deep_tree_is_walked_to_the_longest_path() {
    let run = Run::new();
    let deep = format!("output{}", "/d".repeat(300));
    run.put(&format!("{deep}/x.md"), "x");
    assert_eq!(run.list("output", u32::MAX, 1_000).unwrap().entries.len(), 301);
    assert_eq!(run.read(&format!("{deep}/x.md")).unwrap().text, "x");
}

#[test]
fn a_folder_of_very_many_files_is_listed_within_the_limit() {
    let run = Run::new();
    for n in 0..20_000 {
        fs::write(run.at(&format!("output/{n:05}")), "").unwrap();
    }
    let listing = run.list("output", 0, 3).unwrap();
    assert_eq!(
        (names(&listing), listing.truncated),
        (vec!["output/00000", "output/00001", "output/00002"], true)
    );
}
