//! What the module `folder` promises, tried; no other module is.

use std::fs;

use super::super::testing::{Disk, names};
use super::*;

#[test]
fn what_is_no_folder_is_an_error_and_not_an_empty_one() {
    let disk = Disk::new();
    disk.put("file", "x");
    for text in ["missing", "file"] {
        let error = FolderSkills::open(&disk.at(text)).unwrap_err();
        assert_eq!(error.code(), "skill.folder_unreadable", "{text}");
        assert!(error.to_string().contains(text), "{error}");
    }
}

#[test]
fn a_folder_that_was_replaced_is_an_error() {
    let disk = Disk::new();
    disk.skill("s/a", "d");
    let skills = FolderSkills::open(&disk.at("s")).unwrap();
    assert_eq!(names(&skills.load().unwrap()), ["a"]);
    fs::rename(disk.at("s"), disk.at("moved")).unwrap();
    disk.skill("s/b", "d");
    assert_eq!(skills.load().unwrap_err().code(), "skill.folder_unreadable");
}

#[test]
fn one_skill_takes_its_name_from_the_folder_that_the_path_leads_to() {
    let disk = Disk::new();
    disk.put("pdf/x/y.md", "x");
    disk.put("pdf/SKILL.md", "---\ndescription: d\n---\n");
    assert_eq!(names(&disk.load("pdf/x/..")), ["pdf"]);
}

#[tokio::test]
async fn loading_away_from_the_caller_gives_the_same() {
    let disk = Disk::new();
    disk.skill("s/a", "d");
    let skills = FolderSkills::open(&disk.at("s")).unwrap();
    let effective = skills.effective().await.unwrap().effective();
    assert_eq!(effective, skills.load().unwrap().effective());
    assert_eq!(effective.len(), 1);
}
