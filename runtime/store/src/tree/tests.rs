//! Reading, and what is refused: links, odd files, twins, a replaced root.

use std::fs;

use super::*;
use innkeeper_protocol::path::WorkspacePath;

/// A run's folder beside a folder that no operation may touch.
pub(super) struct Run {
    pub(super) base: tempfile::TempDir,
    pub(super) tree: Tree,
}

impl Run {
    pub(super) fn new() -> Self {
        let base = tempfile::tempdir().unwrap();
        fs::create_dir_all(base.path().join("run/output")).unwrap();
        fs::create_dir(base.path().join("outside")).unwrap();
        fs::write(base.path().join("outside/secret.md"), "canary").unwrap();
        let tree = Tree::open(&base.path().join("run")).unwrap();
        Self { base, tree }
    }

    pub(super) fn at(&self, path: &str) -> PathBuf {
        self.base.path().join("run").join(path)
    }

    pub(super) fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        fs::write(self.at(path), content).unwrap();
    }

    pub(super) fn text(&self, path: &str) -> String {
        fs::read_to_string(self.at(path)).unwrap()
    }

    /// Every name below the base, with the content of files; links are not followed.
    pub(super) fn everything(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        let mut waiting = vec![self.base.path().to_owned()];
        while let Some(folder) = waiting.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path
                    .strip_prefix(self.base.path())
                    .unwrap()
                    .to_string_lossy()
                    .into_owned();
                let kind = path.symlink_metadata().unwrap().file_type();
                let content = if kind.is_file() {
                    fs::read_to_string(&path).unwrap()
                } else {
                    String::new()
                };
                if kind.is_dir() {
                    waiting.push(path);
                }
                found.push((name, content));
            }
        }
        found.sort();
        found
    }

    pub(super) fn read(&self, text: &str) -> Result<FileText, TreeError> {
        self.tree.read(&path(text), MAX_FILE_BYTES)
    }

    pub(super) fn list(&self, text: &str, depth: u32, limit: usize) -> Result<Listing, TreeError> {
        self.tree.list(&Scope::Path(path(text)), depth, limit)
    }
}

pub(super) fn path(text: &str) -> WorkspacePath {
    WorkspacePath::parse(text).unwrap()
}

pub(super) fn names(listing: &Listing) -> Vec<&str> {
    listing.entries.iter().map(|entry| entry.path.as_str()).collect()
}

fn codes<T: std::fmt::Debug>(results: Vec<Result<T, TreeError>>) -> Vec<&'static str> {
    results.into_iter().map(|result| result.unwrap_err().code()).collect()
}

#[test]
fn a_file_is_read_with_its_digest_and_its_byte_order_mark() {
    let run = Run::new();
    run.put("output/a b/Ä.md", "\u{feff}x\r\ny");
    let file = run.read("output/a b/Ä.md").unwrap();
    assert_eq!(
        file,
        FileText {
            text: "\u{feff}x\r\ny".to_owned(),
            sha256: innkeeper_protocol::digest::Sha256::of("\u{feff}x\r\ny".as_bytes())
        }
    );
}

#[test]
fn what_cannot_be_read_has_a_code_each() {
    let run = Run::new();
    run.put("output/a.md", "x");
    run.put("output/latin1.md", b"caf\xe9");
    let found = [
        "output/no.md",
        "output/no/no.md",
        "output",
        "output/latin1.md",
        "output/a.md/b.md",
    ]
    .map(|text| run.read(text))
    .into();
    assert_eq!(
        codes(found),
        [
            "workspace.file_not_found",
            "workspace.file_not_found",
            "workspace.path_is_directory",
            "workspace.file_not_text",
            "workspace.invalid_path"
        ]
    );
    let message = run.read("output/a.md/b.md").unwrap_err().to_string();
    assert_eq!(
        message,
        "`output/a.md/b.md` cannot exist: `output/a.md` is a file, not a folder"
    );
}

#[test]
fn a_file_at_the_limit_is_read_and_one_beyond_is_not() {
    let run = Run::new();
    run.put("output/a.md", "12345");
    assert_eq!(run.tree.read(&path("output/a.md"), 5).unwrap().text, "12345");
    let error = run.tree.read(&path("output/a.md"), 4).unwrap_err();
    assert!(
        matches!(error, TreeError::TooLarge { bytes: 5, limit: 4, .. }),
        "{error}"
    );
    assert_eq!(error.code(), "workspace.file_too_large");
}

#[cfg(unix)]
#[test]
fn links_are_refused_as_target_and_on_the_way() {
    use std::os::unix::fs::symlink;
    let run = Run::new();
    let outside = run.base.path().join("outside");
    run.put("output/real.md", "x");
    symlink(outside.join("secret.md"), run.at("output/file")).unwrap();
    symlink(&outside, run.at("output/folder")).unwrap();
    symlink("real.md", run.at("output/inside")).unwrap();
    symlink("nowhere", run.at("output/dangling")).unwrap();
    symlink("loop", run.at("output/loop")).unwrap();
    for text in [
        "output/file",
        "output/folder/secret.md",
        "output/folder",
        "output/inside",
        "output/dangling",
        "output/loop",
    ] {
        assert_eq!(run.read(text).unwrap_err().code(), "workspace.invalid_path", "{text}");
        assert_eq!(
            run.list(text, 2, 10).unwrap_err().code(),
            "workspace.invalid_path",
            "{text}"
        );
        assert_eq!(
            run.tree.find(&path(text)).unwrap_err().code(),
            "workspace.invalid_path",
            "{text}"
        );
    }
    let listing = run.list("output", 2, 10).unwrap();
    assert_eq!((names(&listing), listing.skipped), (vec!["output/real.md"], 5));
}

#[cfg(unix)]
#[test]
fn special_files_are_refused_without_waiting_for_them() {
    let run = Run::new();
    let pipe = run.at("output/pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(run.at("output/socket")).unwrap();
    let found = ["output/pipe", "output/pipe/a.md", "output/socket"]
        .map(|text| run.read(text))
        .into();
    assert_eq!(
        codes(found),
        [
            "workspace.invalid_path",
            "workspace.invalid_path",
            "workspace.invalid_path"
        ]
    );
    assert_eq!(
        run.list("output", 0, 10).unwrap(),
        Listing {
            entries: vec![],
            truncated: false,
            skipped: 2
        }
    );
    // A pipe that took a file's place after the look is refused as well.
    let folder = walk::folder(run.tree.root(), &path("output")).unwrap().unwrap();
    assert!(node::open_file(&folder, "pipe").unwrap().is_none());
}

#[test]
fn a_twin_by_case_or_unicode_form_is_a_conflict_everywhere() {
    let run = Run::new();
    run.put("output/Notes.md", "x");
    run.put("output/Café/a.md", "x");
    for (asked, existing) in [
        ("output/notes.md", "output/Notes.md"),
        ("output/Cafe\u{301}/a.md", "output/Café"),
        ("output/CAFÉ/new.md", "output/Café"),
        ("Output/new.md", "output"),
    ] {
        for error in [run.read(asked).unwrap_err(), run.list(asked, 1, 10).unwrap_err()] {
            assert_eq!(error.code(), "workspace.name_conflict", "{asked}");
            assert!(error.to_string().contains(&format!("`{existing}`")), "{error}");
        }
    }
    assert_eq!(run.read("output/Notes.md").unwrap().text, "x");
}

#[test]
fn two_twins_that_exist_are_both_reachable_where_the_disk_can_hold_them() {
    let run = Run::new();
    run.put("output/Notes.md", "upper");
    run.put("output/notes.md", "lower");
    if run.list("output", 0, 10).unwrap().entries.len() == 2 {
        assert_eq!(run.read("output/Notes.md").unwrap().text, "upper");
        assert_eq!(run.read("output/notes.md").unwrap().text, "lower");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_replaced_or_removed_root_is_the_one_fault() {
    let run = Run::new();
    run.put("output/a.md", "x");
    fs::rename(run.at(""), run.base.path().join("moved")).unwrap();
    let gone = run.read("output/a.md").unwrap_err();
    fs::create_dir_all(run.at("output")).unwrap();
    let replaced = [
        run.read("output/a.md").unwrap_err(),
        run.list("output", 0, 1).unwrap_err(),
        run.tree.apply(&[]).unwrap_err(),
    ];
    for error in replaced.iter().chain([&gone]) {
        assert!(matches!(error, TreeError::RootReplaced) && error.is_fault(), "{error}");
    }
    fs::remove_dir_all(run.at("")).unwrap();
    fs::write(run.base.path().join("run"), "a file").unwrap();
    assert_eq!(run.read("output/a.md").unwrap_err().code(), "workspace.root_replaced");
}

#[cfg(unix)]
#[test]
fn a_root_behind_a_link_works() {
    let run = Run::new();
    run.put("output/a.md", "x");
    let link = run.base.path().join("link");
    std::os::unix::fs::symlink(run.at(""), &link).unwrap();
    let tree = Tree::open(&link).unwrap();
    assert_eq!(tree.read(&path("output/a.md"), 10).unwrap().text, "x");
}

#[test]
fn sweeping_removes_staging_folders_only() {
    let run = Run::new();
    let leftover = format!(".staging-{}", crate::atomic::unique());
    run.put(&format!("{leftover}/0"), "half");
    run.put(".staging-mine/notes.md", "kept");
    assert_eq!(run.tree.sweep_leftovers().unwrap(), 1);
    assert!(!run.at(&leftover).exists());
    assert_eq!(run.text(".staging-mine/notes.md"), "kept");
}
