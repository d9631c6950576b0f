//! What the module `installed` promises, tried; no other module is.

use innkeeper_protocol::skill::SkillLibrary as _;

use super::super::problem::SkillProblem;
use super::super::testing::{Disk, issues, names};
use super::*;

fn profile() -> ProfileId {
    ProfileId::parse("writer").unwrap()
}

fn preset() -> SkillPreset {
    SkillPreset {
        api_id: "openai".to_owned(),
        name: "Kontext: Ä".to_owned(),
    }
}

fn refs() -> SkillScopeRefs {
    SkillScopeRefs {
        preset: Some(preset()),
        character_id: Some("Seraphina".to_owned()),
    }
}

fn folders() -> [ScopeFolder; 4] {
    [
        ScopeFolder::Global,
        ScopeFolder::Preset(preset()),
        ScopeFolder::Profile(profile()),
        ScopeFolder::Character("Seraphina".to_owned()),
    ]
}

fn put(disk: &Disk, scope: &ScopeFolder, name: &str, description: &str) {
    disk.skill(&format!("skills/{}/{name}", scope.name()), description);
}

fn load(disk: &Disk, refs: &SkillScopeRefs) -> EffectiveSkills {
    InstalledSkills::new(&disk.at("")).load(refs, &profile()).unwrap()
}

/// The digests are what `printf '{"characterId":"Seraphina"}' | sha256sum` and the like print.
#[test]
fn folders_are_named_by_kind_and_digest() {
    assert_eq!(
        folders().map(|scope| scope.name()),
        [
            "global",
            "presets/5955a33b6d19bc8a",
            "profiles/writer",
            "characters/1731cf0ec1c5f1e5"
        ]
    );
}

#[test]
fn a_later_scope_replaces_an_earlier_skill_of_the_name() {
    let disk = Disk::new();
    let [global, preset, profile, character] = folders();
    for scope in folders() {
        put(&disk, &scope, "all", &scope.name().replace('/', " "));
    }
    put(&disk, &global, "base", "g");
    put(&disk, &global, "style", "g");
    put(&disk, &preset, "style", "p");
    put(&disk, &profile, "voice", "p");
    put(&disk, &preset, "voice", "s");
    put(&disk, &ScopeFolder::Character("Other".to_owned()), "foreign", "c");
    let skills = load(&disk, &refs());
    let scopes: Vec<_> = skills
        .effective()
        .into_iter()
        .map(|skill| (skill.name, skill.scope))
        .collect();
    let expected = [
        ("all", SkillScope::Character),
        ("base", SkillScope::Global),
        ("style", SkillScope::Preset),
        ("voice", SkillScope::Profile),
    ];
    assert_eq!(scopes, expected.map(|(name, scope)| (name.to_owned(), scope)));
    assert_eq!(
        skills.scopes(),
        [global, preset, profile, character].map(|folder| folder.scope())
    );
    assert_eq!(skills.issues(), []);
}

#[test]
fn scopes_without_a_reference_are_not_looked_into() {
    let disk = Disk::new();
    for scope in folders() {
        put(
            &disk,
            &scope,
            &format!("in-{}", scope.name().split('/').next().unwrap()),
            "d",
        );
    }
    let skills = load(&disk, &SkillScopeRefs::default());
    assert_eq!(names(&skills), ["in-global", "in-profiles"]);
    assert_eq!(skills.scopes(), [SkillScope::Global, SkillScope::Profile]);
}

#[test]
fn a_later_skill_that_cannot_be_used_replaces_nothing() {
    let disk = Disk::new();
    put(&disk, &ScopeFolder::Global, "style", "g");
    let bad = format!("skills/{}/style", folders()[3].name());
    disk.put(&format!("{bad}/SKILL.md"), "no front matter");
    disk.put(&format!("{bad}-empty/notes.md"), "x");
    let skills = load(&disk, &refs());
    let scopes: Vec<_> = skills.effective().into_iter().map(|skill| skill.scope).collect();
    assert_eq!(scopes, [SkillScope::Global]);
    assert_eq!(
        issues(&skills),
        [
            ("style", SkillProblem::NoFrontMatter),
            ("style-empty", SkillProblem::NoMainFile)
        ]
    );
    assert!(skills.issues().iter().all(|issue| issue.scope == SkillScope::Character));
}

#[test]
fn nothing_installed_is_no_skill_and_no_folder_is_made() {
    let disk = Disk::new();
    let skills = load(&disk, &refs());
    assert_eq!((names(&skills), skills.scopes().len()), (vec![], 4));
    assert!(!disk.at("skills").exists());
}

#[test]
fn a_scope_that_is_no_folder_is_an_error_that_names_it() {
    let disk = Disk::new();
    disk.put("skills/global", "a file");
    let installed = InstalledSkills::new(&disk.at(""));
    let error = installed.load(&SkillScopeRefs::default(), &profile()).unwrap_err();
    assert_eq!(error.code(), "skill.folder_unreadable");
    assert!(error.to_string().contains("skills/global"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_scope_that_is_a_link_is_an_error_and_not_followed() {
    let disk = Disk::new();
    disk.skill("elsewhere/a", "d");
    std::fs::create_dir_all(disk.at("skills")).unwrap();
    disk.link("../elsewhere", "skills/global");
    let installed = InstalledSkills::new(&disk.at(""));
    let error = installed.load(&SkillScopeRefs::default(), &profile()).unwrap_err();
    assert!(error.to_string().contains("links are never followed"), "{error}");
}

#[test]
fn blank_references_are_refused_and_spaces_around_them_dropped() {
    let with = |api_id: &str, name: &str, character: &str| {
        let refs = SkillScopeRefs {
            preset: Some(SkillPreset {
                api_id: api_id.to_owned(),
                name: name.to_owned(),
            }),
            character_id: Some(character.to_owned()),
        };
        ScopeFolder::in_order(&refs, &profile()).map_err(|error| error.code())
    };
    assert_eq!(with(" ", "n", "c"), Err("agent.skill_scope_preset_invalid"));
    assert_eq!(with("a", "", "c"), Err("agent.skill_scope_preset_invalid"));
    assert_eq!(with("a", "n", "\t"), Err("agent.skill_scope_character_id_empty"));
    assert_eq!(with(" openai", "Kontext: Ä ", " Seraphina "), Ok(folders().to_vec()));
}

#[tokio::test]
async fn tools_see_the_effective_skills() {
    let disk = Disk::new();
    put(&disk, &ScopeFolder::Global, "style", "global words");
    put(&disk, &folders()[3], "style", "her words");
    let skills = InstalledSkills::new(&disk.at(""))
        .effective(&refs(), &profile())
        .await
        .unwrap();
    let [style] = skills.list().await.unwrap().try_into().unwrap();
    assert_eq!((style.description.as_str(), style.files), ("her words", 1));
    let read = skills
        .read("style", &WorkspacePath::parse("SKILL.md").unwrap())
        .await
        .unwrap();
    assert!(read.text.contains("her words"));
}
