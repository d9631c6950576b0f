//! What the module `effective` promises, tried; no other module is.

use std::fs;

use super::super::testing::{Disk, main_file, names, path};
use super::*;

async fn files(skills: &EffectiveSkills, below: Option<&str>) -> Result<(Vec<String>, u32), SkillError> {
    let below = below.map(path);
    let found = skills.files("s", below.as_ref()).await?;
    Ok((found.paths.iter().map(ToString::to_string).collect(), found.skipped))
}

async fn read(skills: &EffectiveSkills, at: &str) -> Result<String, SkillError> {
    skills.read("s", &path(at)).await.map(|file| file.text)
}

fn one_skill() -> Disk {
    let disk = Disk::new();
    disk.skill("in/s", "d");
    disk.put("in/s/references/b.md", "b");
    disk.put("in/s/references/a/c.md", "c");
    disk.put("in/s/Zed.md", "z");
    disk
}

#[tokio::test]
async fn files_are_listed_bytewise_whole_below_a_folder_and_one() {
    let disk = one_skill();
    for root in ["in", "in/s"] {
        let skills = disk.load(root);
        let list = |names: &[&str]| Ok((names.iter().map(|name| (*name).to_owned()).collect(), 0));
        let all = ["SKILL.md", "Zed.md", "references/a/c.md", "references/b.md"];
        assert_eq!(files(&skills, None).await, list(&all), "{root}");
        assert_eq!(files(&skills, Some("references")).await, list(&all[2..]), "{root}");
        assert_eq!(files(&skills, Some("references/b.md")).await, list(&all[3..]), "{root}");
        assert_eq!(files(&skills, Some("none")).await, Err(SkillError::NotFound), "{root}");
        assert_eq!(read(&skills, "references/a/c.md").await, Ok("c".to_owned()), "{root}");
    }
}

#[tokio::test]
async fn what_is_no_text_is_counted_in_a_listing_and_refused_in_a_read() {
    let disk = one_skill();
    disk.put("in/s/picture.png", [0x89, b'P', 0xff]);
    disk.put(
        "in/s/large.txt",
        vec![b'x'; usize::try_from(MAX_FILE_BYTES).unwrap() + 1],
    );
    let skills = disk.load("in");
    let (listed, skipped) = files(&skills, None).await.unwrap();
    assert_eq!((listed.len(), skipped), (4, 2));
    assert_eq!(files(&skills, Some("picture.png")).await, Ok((vec![], 1)));
    let invalid = |text: &str| Err(SkillError::Invalid(text.to_owned()));
    assert_eq!(read(&skills, "picture.png").await, invalid("it is not a text in UTF-8"));
    assert_eq!(
        read(&skills, "large.txt").await,
        invalid("it has 16777217 bytes; at most 16777216 are read")
    );
    assert_eq!(
        read(&skills, "references").await,
        invalid("it is a folder; name a file in it")
    );
    assert_eq!(
        read(&skills, "zed.md").await,
        invalid("it differs from `Zed.md` by case or Unicode form only; use that spelling")
    );
    assert_eq!(read(&skills, "none.md").await, Err(SkillError::NotFound));
    assert_eq!(read(&skills, "Zed.md/below").await, Err(SkillError::NotFound));
}

#[cfg(unix)]
#[tokio::test]
async fn links_and_pipes_are_counted_in_a_listing_and_refused_as_target() {
    let disk = one_skill();
    disk.put("outside/secret.md", "secret");
    disk.link("../../outside/secret.md", "in/s/file.md");
    disk.link("../../outside", "in/s/folder");
    disk.link("Zed.md", "in/s/inside.md");
    disk.pipe("in/s/references/pipe");
    let skills = disk.load("in");
    let (listed, skipped) = files(&skills, None).await.unwrap();
    assert_eq!((listed.len(), skipped), (4, 4));
    let link = SkillError::Invalid("it is a link, or lies behind one; links are never followed".to_owned());
    for target in ["file.md", "folder", "folder/secret.md", "inside.md"] {
        assert_eq!(read(&skills, target).await, Err(link.clone()), "{target}");
        assert_eq!(files(&skills, Some(target)).await, Err(link.clone()), "{target}");
    }
    let special = SkillError::Invalid("it is neither a file nor a folder".to_owned());
    assert_eq!(read(&skills, "references/pipe").await, Err(special.clone()));
    assert_eq!(files(&skills, Some("references/pipe")).await, Err(special));
}

#[tokio::test]
async fn what_other_programs_hide_is_never_shown() {
    let disk = one_skill();
    disk.put("in/s/.env", "KEY=1");
    disk.put("in/s/references/.SSH/key", "1");
    disk.put("in/s/.config.md", "shown");
    let skills = disk.load("in");
    let (listed, skipped) = files(&skills, None).await.unwrap();
    assert_eq!((listed.len(), skipped, listed[0].as_str()), (5, 0, ".config.md"));
    for target in [".env", "references/.ssh/key"] {
        let hidden = SkillError::Invalid(".git, .ssh, .env are never shown".to_owned());
        assert_eq!(read(&skills, target).await, Err(hidden.clone()), "{target}");
        assert_eq!(files(&skills, Some(target)).await, Err(hidden), "{target}");
    }
}

#[tokio::test]
async fn the_main_file_answers_to_its_right_name() {
    let disk = Disk::new();
    disk.put("s/skill.md", main_file("s", "d"));
    let skills = disk.load("s");
    assert_eq!(read(&skills, "SKILL.md").await, Ok(main_file("s", "d")));
    assert_eq!(
        files(&skills, Some("SKILL.md")).await,
        Ok((vec!["skill.md".to_owned()], 0))
    );
}

#[tokio::test]
async fn a_skill_that_is_gone_is_not_found_and_one_that_never_was_not_visible() {
    let disk = one_skill();
    let (inside, itself) = (disk.load("in"), disk.load("in/s"));
    fs::remove_dir_all(disk.at("in/s")).unwrap();
    for skills in [&inside, &itself] {
        assert_eq!(read(skills, "SKILL.md").await, Err(SkillError::NotFound));
        assert_eq!(files(skills, None).await, Err(SkillError::NotFound));
        assert_eq!(skills.list().await.unwrap().len(), 1);
    }
    let stranger = inside.read("other", &path("SKILL.md")).await;
    assert_eq!(stranger.map(|file| file.text), Err(SkillError::NotVisible));
    assert_eq!(inside.files("..", None).await, Err(SkillError::NotVisible));
}

#[tokio::test]
async fn a_skill_that_outgrew_its_limits_is_refused() {
    let disk = one_skill();
    let skills = disk.load("in");
    disk.put(&format!("in/s/{}x", "d/".repeat(super::super::MAX_SKILL_DEPTH + 1)), "");
    let refused = files(&skills, None).await;
    let words = "the skill has grown: its folders are more than 16 levels deep";
    assert_eq!(refused, Err(SkillError::Invalid(words.to_owned())));
}

#[test]
fn every_skill_that_a_profile_names_must_apply() {
    let disk = Disk::new();
    disk.skill("in/a", "d");
    let skills = disk.load("in");
    let require = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        skills.require_visible(&names).map_err(RunError::from)
    };
    assert_eq!(require(&[]), Ok(()));
    assert_eq!(require(&["*", "a"]), Ok(()));
    let error = require(&["b", "a", "c"]).unwrap_err();
    assert_eq!(error.code, "agent.skill_visible_missing");
    assert!(error.message.ends_with(": b, c") && error.hint.is_some(), "{error:?}");
}

#[test]
fn later_skills_replace_earlier_ones_of_their_name() {
    let disk = Disk::new();
    disk.skill("one/a", "first");
    disk.skill("one/b", "first");
    disk.skill("two/b", "second");
    disk.put("two/bad/SKILL.md", "x");
    let both = disk.load("one").then(disk.load("two"));
    assert_eq!(names(&both), ["a", "b"]);
    assert_eq!(both.effective()[1], disk.load("two").effective()[0]);
    assert_eq!((both.scopes().len(), both.issues().len()), (2, 1));
}

#[test]
fn the_journal_has_name_scope_and_digest() {
    let disk = Disk::new();
    disk.skill("in/a", "d");
    let [skill] = disk.load("in").effective().try_into().unwrap();
    let digest = skill.installed_hash.as_str().to_owned();
    assert_eq!(
        serde_json::to_value(skill).unwrap(),
        serde_json::json!({"name": "a", "scope": "global", "installedHash": digest})
    );
}
