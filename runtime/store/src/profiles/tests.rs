//! Profiles as files: what counts, what is refused, and what is left when something goes wrong.

use std::fs;
use std::path::PathBuf;

use super::*;

struct Stage {
    root: tempfile::TempDir,
    profiles: ProfilesFolder,
}

impl Stage {
    /// A data root without profiles.
    fn bare() -> Self {
        let root = tempfile::tempdir().unwrap();
        let profiles = ProfilesFolder::new(root.path());
        Self { root, profiles }
    }

    /// A data root with an empty folder of profiles.
    fn new() -> Self {
        let stage = Self::bare();
        fs::create_dir_all(stage.profiles.path()).unwrap();
        stage
    }

    fn at(&self, name: &str) -> PathBuf {
        self.profiles.path().join(name)
    }

    fn ids(&self) -> Vec<String> {
        self.profiles.ids().unwrap().into_iter().map(String::from).collect()
    }

    fn staged(&self) -> Vec<String> {
        let folder = self.profiles.home().join(STAGING);
        let names = fs::read_dir(folder).unwrap();
        names
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }
}

fn id(text: &str) -> ProfileId {
    ProfileId::parse(text).unwrap()
}

fn code<T: std::fmt::Debug>(result: Result<T, ProfilesError>) -> &'static str {
    result.unwrap_err().code()
}

#[test]
fn nothing_is_there_and_nothing_is_made_before_something_is_written() {
    let stage = Stage::bare();
    assert_eq!(stage.ids(), Vec::<String>::new());
    assert_eq!(stage.profiles.read(&id("a")).unwrap(), None);
    assert!(!stage.profiles.delete(&id("a")).unwrap());
    assert_eq!(fs::read_dir(stage.root.path()).unwrap().count(), 0);
}

#[test]
fn what_is_written_is_read_replaced_and_removed() {
    let stage = Stage::bare();
    stage.profiles.write(&id("b"), b"1").unwrap();
    stage.profiles.write(&id("a-1_x"), b"2").unwrap();
    stage.profiles.write(&id("b"), b"3").unwrap();
    assert_eq!(stage.ids(), ["a-1_x", "b"]);
    assert_eq!(stage.profiles.read(&id("b")).unwrap().as_deref(), Some(b"3".as_slice()));
    let expected = stage.root.path().join("_tauritavern/agent-profiles/profiles/b.json");
    assert_eq!(fs::read(&expected).unwrap(), b"3");
    assert!(stage.profiles.delete(&id("b")).unwrap());
    assert!(!expected.exists());
    assert_eq!(stage.staged(), ["lock"], "nothing is left behind");
}

#[test]
fn a_file_that_somebody_else_has_changed_is_not_replaced() {
    let stage = Stage::new();
    stage.profiles.write(&id("a"), b"new").unwrap();
    assert!(!stage.profiles.replace(&id("a"), b"old", b"mine").unwrap());
    assert!(!stage.profiles.replace(&id("gone"), b"old", b"mine").unwrap());
    assert_eq!(
        stage.profiles.read(&id("a")).unwrap().as_deref(),
        Some(b"new".as_slice())
    );
    assert!(stage.profiles.replace(&id("a"), b"new", b"mine").unwrap());
    assert_eq!(
        stage.profiles.read(&id("a")).unwrap().as_deref(),
        Some(b"mine".as_slice())
    );
}

#[test]
fn names_of_editors_are_read_over_and_other_names_stop_the_list() {
    let stage = Stage::new();
    for name in ["a.json", "README.md", ".DS_Store", "._a.json", "a.json.bak", "b.json~"] {
        fs::write(stage.at(name), "{}").unwrap();
    }
    assert_eq!(stage.ids(), ["a"]);
    for name in ["My Writer.json", "Caps.json", "a.b.json", "é.json"] {
        fs::write(stage.at(name), "{}").unwrap();
        let error = stage.profiles.ids().unwrap_err();
        assert_eq!(error.code(), "agent.profile_id_invalid");
        assert!(error.to_string().contains(name), "{error}");
        assert!(
            stage.profiles.read(&id("a")).unwrap().is_some(),
            "the others can be used"
        );
        fs::remove_file(stage.at(name)).unwrap();
    }
}

#[test]
fn a_folder_that_cannot_be_read_is_no_empty_one() {
    let stage = Stage::bare();
    fs::write(stage.root.path().join("_tauritavern"), "").unwrap();
    assert_eq!(code(stage.profiles.ids()), "store.profiles_unreadable");
    assert_eq!(code(stage.profiles.read(&id("a"))), "store.profiles_unreadable");
    assert_eq!(code(stage.profiles.write(&id("a"), b"")), "store.profile_write_failed");
}

#[test]
fn a_folder_in_the_place_of_a_file_is_left_alone() {
    let stage = Stage::new();
    fs::create_dir(stage.at("a.json")).unwrap();
    assert_eq!(stage.ids(), ["a"]);
    assert_eq!(code(stage.profiles.read(&id("a"))), "store.profile_unreadable");
    assert_eq!(code(stage.profiles.write(&id("a"), b"x")), "store.profile_write_failed");
    assert_eq!(code(stage.profiles.delete(&id("a"))), "store.profile_unreadable");
    assert!(stage.at("a.json").is_dir());
    assert_eq!(stage.staged(), ["lock"]);
}

#[cfg(unix)]
#[test]
fn a_link_is_not_followed_and_a_pipe_not_waited_for() {
    let stage = Stage::new();
    let secret = stage.root.path().join("secret");
    fs::write(&secret, "s").unwrap();
    std::os::unix::fs::symlink(&secret, stage.at("link.json")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(stage.at("pipe.json")).status();
    assert!(made.unwrap().success());
    for name in ["link", "pipe"] {
        assert_eq!(code(stage.profiles.read(&id(name))), "store.profile_unreadable");
        assert_eq!(
            code(stage.profiles.write(&id(name), b"x")),
            "store.profile_write_failed"
        );
    }
    assert!(stage.profiles.delete(&id("link")).unwrap());
    assert_eq!(fs::read(&secret).unwrap(), b"s");
    assert_eq!(stage.ids(), ["pipe"]);
}

#[test]
fn the_largest_file_is_read_and_a_larger_one_neither_read_nor_written() {
    let stage = Stage::new();
    let largest = vec![b' '; usize::try_from(MAX_PROFILE_BYTES).unwrap()];
    stage.profiles.write(&id("a"), &largest).unwrap();
    assert_eq!(stage.profiles.read(&id("a")).unwrap().unwrap().len(), largest.len());
    let larger = [largest, vec![b' ']].concat();
    assert_eq!(
        code(stage.profiles.write(&id("a"), &larger)),
        "store.profile_write_failed"
    );
    fs::write(stage.at("a.json"), &larger).unwrap();
    let error = stage.profiles.read(&id("a")).unwrap_err();
    assert!(!error.is_machine_fault());
    assert_eq!(error.code(), "store.profile_unreadable");
}

#[test]
fn of_many_writers_at_once_each_leaves_a_whole_file_and_one_replacement_wins() {
    let stage = Stage::new();
    stage.profiles.write(&id("a"), b"start").unwrap();
    let won = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..8_u8)
            .map(|n| {
                let profiles = stage.profiles.clone();
                scope.spawn(move || profiles.replace(&id("a"), b"start", &[b'0' + n; 4_000]).unwrap())
            })
            .collect();
        writers
            .into_iter()
            .filter_map(|writer| writer.join().unwrap().then_some(()))
            .count()
    });
    assert_eq!(won, 1);
    let bytes = stage.profiles.read(&id("a")).unwrap().unwrap();
    assert!(bytes.len() == 4_000 && bytes.windows(2).all(|pair| pair[0] == pair[1]));
    assert_eq!(stage.staged(), ["lock"]);
}
