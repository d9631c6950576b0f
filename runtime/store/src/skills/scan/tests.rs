//! What the module `scan` promises, tried; no other module is.

use super::super::testing::{Disk, issues, main_file, names};
use super::*;

#[test]
fn a_folder_with_a_main_file_is_one_skill() {
    let disk = Disk::new();
    disk.skill("pdf", "d");
    disk.skill("pdf/inner", "is a file of the outer one");
    let skills = disk.load("pdf");
    assert_eq!((names(&skills), issues(&skills)), (vec!["pdf".to_owned()], vec![]));
}

#[test]
fn skills_are_found_some_levels_down() {
    let disk = Disk::new();
    disk.skill("s/a", "d");
    disk.skill("s/group/b", "d");
    disk.skill("s/1/2/3/4/c", "d");
    disk.skill("s/1/2/3/4/5/too-deep", "d");
    disk.skill("s/.hidden/d", "d");
    disk.put("s/docs/README.md", "x");
    let skills = disk.load("s");
    assert_eq!(names(&skills), ["a", "b", "c"]);
    assert_eq!(issues(&skills), []);
}

#[test]
fn a_bad_skill_hides_no_other() {
    let disk = Disk::new();
    disk.skill("s/good", "d");
    disk.put("s/bare/SKILL.md", "# Only a heading\n");
    disk.put("s/silent/SKILL.md", "---\nname: silent\n---\n");
    disk.put("s/no name/SKILL.md", "---\ndescription: d\n---\n");
    let skills = disk.load("s");
    assert_eq!(names(&skills), ["good"]);
    assert_eq!(
        issues(&skills),
        [
            ("bare", SkillProblem::NoFrontMatter),
            ("no name", SkillProblem::NoName { written: String::new() }),
            ("silent", SkillProblem::NoDescription),
        ]
    );
}

#[test]
fn any_case_of_the_main_file_is_accepted_where_the_right_one_is_missing() {
    let disk = Disk::new();
    disk.put("s/low/skill.md", main_file("low", "d"));
    disk.put("s/mixed/Skill.MD", main_file("mixed", "d"));
    let skills = disk.load("s");
    assert_eq!(
        (names(&skills), issues(&skills)),
        (vec!["low".to_owned(), "mixed".to_owned()], vec![])
    );
}

#[cfg(target_os = "linux")]
#[test]
fn the_right_case_of_the_main_file_wins() {
    let disk = Disk::new();
    disk.put("s/both/skill.md", main_file("wrong", "d"));
    disk.put("s/both/SKILL.md", main_file("both", "d"));
    assert_eq!(names(&disk.load("s")), ["both"]);
}

#[test]
fn one_of_two_skills_with_a_name_is_used() {
    let disk = Disk::new();
    disk.put("s/a-copy/SKILL.md", main_file("b", "from the copy"));
    disk.put("s/b/SKILL.md", main_file("b", "at home"));
    disk.put("s/c/SKILL.md", main_file("d", "first"));
    disk.put("s/e/SKILL.md", main_file("d", "second"));
    let skills = disk.load("s");
    assert_eq!(names(&skills), ["b", "d"]);
    let told = issues(&skills);
    let duplicates: Vec<_> = told
        .iter()
        .filter(|(_, problem)| problem.code() == "skill.duplicate")
        .collect();
    let twin = |name: &str, kept: &str| SkillProblem::Duplicate {
        name: name.to_owned(),
        kept: kept.to_owned(),
    };
    assert_eq!(duplicates, [&("a-copy", twin("b", "b")), &("e", twin("d", "c"))]);
}

#[cfg(unix)]
#[test]
fn links_are_not_searched_and_told() {
    let disk = Disk::new();
    disk.skill("elsewhere/linked", "d");
    disk.skill("s/a", "d");
    disk.link("../elsewhere/linked", "s/linked");
    disk.link(".", "s/loop");
    disk.pipe("s/pipe");
    let skills = disk.load("s");
    assert_eq!(names(&skills), ["a"]);
    assert_eq!(issues(&skills), [(".", SkillProblem::PassedOver { count: 3 })]);
}

#[test]
fn a_folder_without_any_skill_says_so() {
    let disk = Disk::new();
    disk.put("s/docs/README.md", "x");
    assert_eq!(issues(&disk.load("s")), [(".", SkillProblem::NoSkills)]);
}

#[test]
fn a_search_ends_at_its_limit() {
    let disk = Disk::new();
    disk.skill("s/a", "d");
    for number in 0..MAX_SCANNED_FOLDERS {
        std::fs::create_dir(disk.at(&format!("s/b{number:04}"))).unwrap();
    }
    let skills = disk.load("s");
    assert_eq!(names(&skills), ["a"]);
    let limit = MAX_SCANNED_FOLDERS;
    assert_eq!(issues(&skills), [(".", SkillProblem::SearchCut { limit })]);
}
