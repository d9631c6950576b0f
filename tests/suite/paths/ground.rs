//! A workspace and a skill with everything in them that a path could meet, and a tree outside that nothing may touch.
//!
//! Like the folders of cases it is made with plain file functions and nothing of ours.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use innkeeper::BenchSetup;
use tempfile::TempDir;

use innkeeper_cases::files::{Folder, Picture, link, pipe};

/// What stands in files that no call may show.
pub const SECRET: &str = "quicksilver";

/// Links of the long chain.
const CHAIN: usize = 45;

/// Names that a listing of `output` passes over: all links, the pipe, and the name that is no text.
pub const ODD_NAMES: usize = 11 + CHAIN + 2;

/// A workspace, a skill and what lies around them.
pub struct Ground {
    scratch: TempDir,
    before: BTreeMap<&'static str, Picture>,
}

impl Ground {
    /// Makes everything.
    pub fn new() -> Self {
        let scratch = TempDir::new().unwrap();
        let base = scratch.path();
        put(&base.join("outside/secret.md"), SECRET);
        put(&base.join("outside/dir/deep.md"), SECRET);
        put(&base.join("outside/hard.md"), "shared");
        put(&base.join("run-evil/x.md"), SECRET);
        Folder::workspace(&base.join("run"), &[]).unwrap();
        put(
            &base.join("skills/lore/SKILL.md"),
            "---\nname: lore\ndescription: Facts.\n---\n",
        );
        for place in ["run", "skills/lore"] {
            furnish(&base.join(place).join("output"));
        }
        // In the skill it would be read with every bench.
        let large = fs::File::create(base.join("run/output/large.txt")).unwrap();
        large.set_len(16 * 1024 * 1024 + 1).unwrap();
        for hidden in [
            "events.jsonl",
            "run.json",
            "manifest.json",
            "input/prompt_snapshot.json",
            "tool-args/call_1.json",
            "checkpoints/1.json",
            ".git/config",
        ] {
            put(&base.join("run").join(hidden), SECRET);
        }
        put(&base.join("run/tool-results/call_1.txt"), "a result");
        let before = around(base);
        Self { scratch, before }
    }

    /// The workspace.
    pub fn workspace(&self) -> PathBuf {
        self.scratch.path().join("run")
    }

    /// The folder that holds everything.
    pub fn base(&self) -> &Path {
        self.scratch.path()
    }

    /// A bench on this ground, without its skill.
    pub fn setup(&self) -> BenchSetup {
        BenchSetup {
            workspace: self.workspace(),
            ..BenchSetup::default()
        }
    }

    /// A bench with the skill.
    pub fn setup_with_skill(&self) -> BenchSetup {
        BenchSetup {
            skills: Some(self.scratch.path().join("skills")),
            ..self.setup()
        }
    }

    /// Everything in the workspace.
    pub fn picture(&self) -> Picture {
        picture(&self.workspace())
    }

    /// Stops the test when anything outside the workspace is not as it was.
    pub fn check_outside(&self, place: &str) {
        assert_eq!(
            around(self.scratch.path()),
            self.before,
            "{place}: something outside has changed"
        );
    }
}

fn around(base: &Path) -> BTreeMap<&'static str, Picture> {
    ["outside", "run-evil", "skills"]
        .into_iter()
        .map(|name| (name, picture(&base.join(name))))
        .collect()
}

fn picture(path: &Path) -> Picture {
    Folder::with(path, &[]).unwrap().picture().unwrap()
}

/// Writes a file, and the folders above it.
pub fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Fills a folder `output`, which lies two levels below what is outside where it is a workspace's, and three where it is a skill's.
fn furnish(output: &Path) {
    for (name, text) in [
        ("main.md", "main"),
        ("real.md", "real"),
        ("sub/inner.md", "inner"),
        ("Notes.md", "notes"),
        ("straße.md", "street"),
        ("İ.md", "dotted"),
        ("Izmir.md", "a city"),
        ("caf\u{e9}.md", "composed"),
        (".hidden", "a dot file"),
    ] {
        put(&output.join(name), text);
    }
    fs::write(output.join("raw.bin"), [0xff, 0xfe, 0x00]).unwrap();
    links(output);
    odd_names(output);
}

fn links(output: &Path) {
    let up = output
        .ancestors()
        .find(|folder| folder.join("outside").exists())
        .unwrap();
    let to_outside = |path: &str| up.join("outside").join(path).to_str().unwrap().to_owned();
    for (name, target) in [
        ("to_file", "real.md".to_owned()),
        ("to_folder", "sub".to_owned()),
        ("to_absolute", output.join("real.md").to_str().unwrap().to_owned()),
        ("to_around", "../output/sub".to_owned()),
        ("to_secret", to_outside("secret.md")),
        ("to_outside", to_outside("dir")),
        ("dangling", "nowhere.md".to_owned()),
        ("dangling_out", to_outside("new.md")),
        ("loop_a", "loop_b".to_owned()),
        ("loop_b", "loop_a".to_owned()),
        ("loop_self", "loop_self".to_owned()),
    ] {
        link(&target, &output.join(name)).unwrap();
    }
    for n in 0..CHAIN {
        let target = if n == 0 {
            "real.md".to_owned()
        } else {
            format!("chain_{}", n - 1)
        };
        link(&target, &output.join(format!("chain_{n}"))).unwrap();
    }
    fs::hard_link(up.join("outside/hard.md"), output.join("hard.md")).unwrap();
}

fn odd_names(output: &Path) {
    use std::os::unix::ffi::OsStrExt as _;
    pipe(&output.join("pipe")).unwrap();
    fs::write(output.join(std::ffi::OsStr::from_bytes(b"bad\xff.md")), SECRET).unwrap();
}
