//! What the module `load` promises, tried; no other module is.

use proptest::prelude::*;

use super::super::testing::{Disk, issues, main_file, names};
use super::super::walk::{MAX_SKILL_DEPTH, MAX_SKILL_ENTRIES};
use super::*;
use crate::tree::Tree;

fn only_problem(disk: &Disk) -> SkillProblem {
    let skills = disk.load("s");
    assert_eq!(names(&skills), Vec::<String>::new());
    let told = issues(&skills);
    assert_eq!((told.len(), told[0].0), (1, "."));
    told[0].1.clone()
}

#[test]
fn the_digest_is_what_sha256sum_prints_for_the_files() {
    let disk = Disk::new();
    let main = main_file("s", "d");
    disk.put("s/SKILL.md", &main);
    disk.put("s/a/b.bin", [0xff, 0]);
    disk.put("s/a.md", "");
    disk.put("s/.git/config", "secret");
    disk.put("s/a/.DS_Store", "litter");
    let lines = format!(
        "{}  SKILL.md\n{}  a.md\n{}  a/b.bin\n",
        Sha256::of(main.as_bytes()),
        Sha256::of(b""),
        Sha256::of(&[0xff, 0])
    );
    let [skill] = disk.load("s").effective().try_into().unwrap();
    assert_eq!(skill.installed_hash, Sha256::of(lines.as_bytes()));
    disk.put("s/.git/config", "other");
    assert_eq!(disk.load("s").effective(), std::slice::from_ref(&skill));
    disk.put("s/a.md", "x");
    assert_ne!(disk.load("s").effective(), [skill]);
}

#[test]
fn text_files_are_counted() {
    let disk = Disk::new();
    disk.skill("s", "d");
    disk.put("s/b/c.txt", "é");
    disk.put("s/picture.png", [0x89, b'P']);
    let mut at_limit = vec![b'x'; usize::try_from(MAX_FILE_BYTES).unwrap()];
    disk.put("s/at.txt", &at_limit);
    at_limit.push(b'x');
    disk.put("s/over.txt", &at_limit);
    let place = Place::root(std::sync::Arc::new(Tree::open(&disk.at("s")).unwrap()));
    assert_eq!(read_content(&place, MAX_SKILL_BYTES).unwrap().text_files, 3);
}

#[test]
fn the_files_are_bounded_together() {
    let disk = Disk::new();
    disk.put("s/a", "1234");
    disk.put("s/b", "56");
    let place = Place::root(std::sync::Arc::new(Tree::open(&disk.at("s")).unwrap()));
    assert_eq!(read_content(&place, 6).unwrap().text_files, 2);
    assert_eq!(read_content(&place, 5).err(), Some(SkillProblem::TooLarge { limit: 5 }));
    assert_eq!(read_content(&place, 3).err(), Some(SkillProblem::TooLarge { limit: 3 }));
}

#[test]
fn a_main_file_that_is_no_text_or_too_large_is_told() {
    let disk = Disk::new();
    disk.put("s/SKILL.md", b"---\nname: caf\xe9\n---\n");
    assert_eq!(only_problem(&disk), SkillProblem::NotText);
    let limit = MAX_FILE_BYTES;
    disk.put("s/SKILL.md", vec![b'x'; usize::try_from(limit).unwrap() + 1]);
    assert_eq!(only_problem(&disk), SkillProblem::TooLarge { limit });
}

#[cfg(unix)]
#[test]
fn a_main_file_that_is_a_link_or_a_pipe_is_refused_without_waiting() {
    let disk = Disk::new();
    disk.put("real.md", main_file("s", "d"));
    disk.put("s/x.md", "x");
    disk.link("../real.md", "s/SKILL.md");
    let problem = only_problem(&disk);
    assert_eq!(problem.code(), "skill.folder_refused");
    assert!(problem.to_string().contains("is a link"), "{problem}");
    std::fs::remove_file(disk.at("s/SKILL.md")).unwrap();
    disk.pipe("s/SKILL.md");
    assert!(only_problem(&disk).to_string().contains("neither a file nor a folder"));
}

#[cfg(unix)]
#[test]
fn links_and_pipes_among_the_files_are_no_part_of_the_skill() {
    let disk = Disk::new();
    disk.skill("s", "d");
    let before = disk.load("s").effective();
    disk.put("outside/secret.md", "x");
    disk.link("../outside", "s/folder");
    disk.link("../outside/secret.md", "s/file.md");
    disk.pipe("s/pipe");
    assert_eq!(disk.load("s").effective(), before);
    assert_eq!(issues(&disk.load("s")), []);
}

#[test]
fn too_many_entries_and_too_deep_folders_leave_a_skill_out() {
    let disk = Disk::new();
    disk.skill("s", "d");
    for number in 1..MAX_SKILL_ENTRIES {
        disk.put(&format!("s/{number}"), "");
    }
    assert_eq!(names(&disk.load("s")), ["s"]);
    disk.put("s/one more", "");
    assert_eq!(
        only_problem(&disk),
        SkillProblem::TooManyEntries {
            limit: MAX_SKILL_ENTRIES
        }
    );

    let disk = Disk::new();
    disk.skill("s", "d");
    let deep = |levels: usize| format!("s/{}x", "d/".repeat(levels));
    disk.put(&deep(MAX_SKILL_DEPTH), "");
    assert_eq!(names(&disk.load("s")), ["s"]);
    disk.put(&deep(MAX_SKILL_DEPTH + 1), "");
    assert_eq!(only_problem(&disk), SkillProblem::TooDeep { limit: MAX_SKILL_DEPTH });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_bytes_in_a_main_file_give_a_skill_or_an_issue(
        bytes in proptest::collection::vec(any::<u8>(), 0..200),
        has_fences in any::<bool>(),
    ) {
        let disk = Disk::new();
        let content = if has_fences { [b"---\n".as_slice(), &bytes, b"\n---\n"].concat() } else { bytes };
        disk.put("s/bad/SKILL.md", content);
        disk.skill("s/good", "d");
        let skills = disk.load("s");
        prop_assert!(names(&skills).contains(&"good".to_owned()));
        prop_assert!(skills.effective().len() + skills.issues().len() >= 2);
    }
}
