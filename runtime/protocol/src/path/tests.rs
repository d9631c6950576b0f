//! Every row of the path rules, and what must hold for any text at all.

use proptest::prelude::*;

use super::*;

fn rule_of(text: &str) -> PathRule {
    match WorkspacePath::parse(text) {
        Ok(path) => panic!("{text:?} was accepted as {path:?}"),
        Err(refusal) => refusal.rule,
    }
}

fn parsed(text: &str) -> String {
    WorkspacePath::parse(text).unwrap().to_string()
}

#[test]
fn dots_doubled_and_trailing_slashes_and_outer_space_are_dropped() {
    assert_eq!(parsed(".//plan//a.md/"), "plan/a.md");
    assert_eq!(parsed("output/./main.md"), "output/main.md");
    assert_eq!(parsed("  output/main.md \n"), "output/main.md");
}

#[test]
fn case_unicode_form_inner_spaces_and_dot_files_are_kept() {
    for text in [
        "Plan/Notes.MD",
        "plan/cafe\u{301}.md",
        "plan/café.md",
        "plan/a b/ c.md",
        ".hidden/.git",
        "~/x",
        "plan/a~1",
    ] {
        assert_eq!(parsed(text), text);
    }
}

#[test]
fn what_names_nothing_is_empty() {
    for text in ["", "  ", ".", "./", "./.", ".//./"] {
        assert_eq!(rule_of(text), PathRule::Empty, "{text:?}");
        assert_eq!(WorkspacePath::parse_or_root(text), Ok(None), "{text:?}");
    }
}

#[test]
fn the_root_form_still_refuses_what_is_wrong() {
    assert_eq!(
        WorkspacePath::parse_or_root("..").unwrap_err().rule,
        PathRule::ParentComponent
    );
    assert_eq!(
        WorkspacePath::parse_or_root("plan").unwrap(),
        Some(WorkspacePath::parse("plan").unwrap())
    );
}

#[test]
fn absolute_paths_are_refused() {
    for text in ["/", "/etc/passwd", "//x", " /x"] {
        assert_eq!(rule_of(text), PathRule::Absolute, "{text:?}");
    }
}

#[test]
fn characters_that_some_platform_cannot_have_are_refused() {
    for bad in ['\\', ':', '<', '>', '"', '|', '?', '*'] {
        assert_eq!(rule_of(&format!("plan/a{bad}b")), PathRule::ForbiddenCharacter(bad));
    }
    for text in [
        r"\\srv\share\x",
        r"\\?\C:\x",
        r"\??\C:\x",
        "C:x",
        r"C:\x",
        "file:///x",
        r"%TEMP%\x",
        ".git::$INDEX_ALLOCATION",
    ] {
        assert!(matches!(rule_of(text), PathRule::ForbiddenCharacter(_)), "{text:?}");
    }
}

#[test]
fn invisible_characters_are_refused_and_shown_escaped() {
    let bad = [
        '\0',
        '\u{1}',
        '\u{1b}',
        '\n',
        '\u{7f}',
        '\u{85}',
        '\u{ad}',
        '\u{200b}',
        '\u{200e}',
        '\u{202e}',
        '\u{2028}',
        '\u{2029}',
        '\u{2066}',
        '\u{feff}',
        '\u{e0041}',
    ];
    for scalar in bad {
        let refusal = WorkspacePath::parse(&format!("plan/a{scalar}b")).unwrap_err();
        let escaped = scalar.escape_unicode().to_string();
        assert_eq!(refusal.rule, PathRule::InvisibleCharacter(scalar));
        let message = refusal.to_string();
        assert_eq!(
            message,
            format!("`plan/a{escaped}b` is not a workspace path: it contains the invisible character {escaped}")
        );
        assert_eq!(refusal.code(), "workspace.invalid_path");
    }
}

#[test]
fn a_parent_component_is_refused_even_inside() {
    for text in [
        "..",
        "../x",
        "plan/../output/a.md",
        "plan/..",
        "a/b/../../../secret",
        "./../a",
    ] {
        assert_eq!(rule_of(text), PathRule::ParentComponent, "{text:?}");
    }
}

#[test]
fn trailing_dots_and_spaces_of_a_component_are_refused() {
    for (text, component) in [
        ("plan/a.", "a."),
        ("plan/a /b", "a "),
        ("...", "..."),
        (".git./x", ".git."),
        ("a\u{a0}/b", "a\u{a0}"),
    ] {
        assert_eq!(
            rule_of(text),
            PathRule::TrailingDotOrSpace(component.to_owned()),
            "{text:?}"
        );
    }
}

#[test]
fn a_first_component_that_would_be_trimmed_is_refused() {
    assert_eq!(rule_of("./ a"), PathRule::LeadingSpace);
    assert_eq!(rule_of(".//\u{3000}a/b"), PathRule::LeadingSpace);
}

#[test]
fn device_names_are_refused_on_every_platform() {
    let names = [
        "CON",
        "con",
        "PRN",
        "aux .md",
        "nul.txt",
        "NUL.tar.gz",
        "CONIN$",
        "conout$",
        "COM0",
        "com1.md",
        "COM9",
        "LPT0",
        "lpt9",
        "COM¹",
        "LPT³.x",
        "com²",
    ];
    for name in names {
        assert_eq!(rule_of(&format!("plan/{name}")), PathRule::DeviceName(name.to_owned()));
    }
    assert_eq!(rule_of("plan/ CON"), PathRule::DeviceName(" CON".to_owned()));
}

#[test]
fn names_that_only_resemble_devices_are_accepted() {
    for text in [
        "console",
        "COM",
        "COM10",
        "lpt",
        "nulled.txt",
        ".con",
        "a.con",
        "COM⁴",
        "CONIN",
    ] {
        assert_eq!(parsed(text), text);
    }
}

#[test]
fn lengths_count_bytes() {
    assert_eq!(
        rule_of(&format!("plan/{}", "é".repeat(128))),
        PathRule::ComponentTooLong { bytes: 256 }
    );
    assert_eq!(parsed(&"a".repeat(255)).len(), 255);
    let longest = format!("{}a/b", "abcdefg/".repeat(127) + "12345");
    assert_eq!(longest.len(), 1_024);
    assert_eq!(parsed(&longest), longest);
    assert_eq!(rule_of(&format!("{longest}c")), PathRule::TooLong { bytes: 1_025 });
}

#[test]
fn a_refusal_repeats_a_bounded_part_of_the_text() {
    let refusal = WorkspacePath::parse(&"x".repeat(5_000_000)).unwrap_err();
    assert_eq!(refusal.shown, format!("{}…", "x".repeat(120)));
}

#[test]
fn accessors_split_at_slashes() {
    let path = WorkspacePath::parse("output/a/b.md").unwrap();
    assert_eq!((path.first_segment(), path.file_name()), ("output", "b.md"));
    assert_eq!(path.parent().unwrap().as_str(), "output/a");
    assert_eq!(WorkspacePath::parse("output").unwrap().parent(), None);
    assert_eq!(path.components().collect::<Vec<_>>(), ["output", "a", "b.md"]);
}

#[test]
fn a_root_holds_itself_and_what_is_beneath_it() {
    let output = RootName::declare("output").unwrap();
    let under = |text: &str| WorkspacePath::parse(text).unwrap().is_under(&output);
    let beneath = |text: &str| WorkspacePath::parse(text).unwrap().is_beneath(&output);
    assert_eq!(
        [
            under("output"),
            under("output/a"),
            under("output_extra/x"),
            under("Output/a")
        ],
        [true, true, false, false]
    );
    assert_eq!(
        [beneath("output"), beneath("output/a"), beneath("output_extra/x")],
        [false, true, false]
    );
    let path = WorkspacePath::parse("output/ab").unwrap();
    assert!(path.starts_with(&output.to_path()) && path.starts_with(&path));
    assert!(!path.starts_with(&WorkspacePath::parse("output/a").unwrap()));
}

#[test]
fn the_hosts_own_names_are_no_roots() {
    for name in [
        "runs",
        "Input",
        "tool-results",
        "TOOL-ARGS",
        "events.jsonl",
        "run.lock",
        "agent-results",
    ] {
        assert!(
            matches!(RootName::declare(name), Err(RootNameRefusal::Reserved { .. })),
            "{name}"
        );
    }
    assert!(matches!(
        RootName::declare("a/b"),
        Err(RootNameRefusal::NotOneSegment { .. })
    ));
    assert_eq!(
        RootName::declare("..").unwrap_err().rule(),
        Some(&PathRule::ParentComponent)
    );
    for root in RootName::universe() {
        assert_eq!(RootName::declare(root.as_str()), Ok(root));
    }
}

#[test]
fn the_caseless_key_joins_what_disks_confuse() {
    let key = |text: &str| WorkspacePath::parse(text).unwrap().caseless_key();
    assert_eq!(key("Plan/NOTES.md"), "plan/notes.md");
    assert_eq!(key("plan/cafe\u{301}"), key("PLAN/CAFÉ"));
    assert_eq!(key("straße"), key("STRASSE"));
    assert_eq!(key("\u{212a}elvin"), key("kelvin"));
    assert_ne!(key("plan/a"), key("plan/b"));
}

#[test]
fn joining_takes_one_exact_name() {
    let plan = WorkspacePath::parse("plan").unwrap();
    assert_eq!(plan.join(" a").unwrap().as_str(), "plan/ a");
    for name in ["", ".", "..", "a/b", "a ", "nul", "a\u{200b}", "a:b"] {
        assert!(plan.join(name).is_err(), "{name:?}");
    }
}

#[test]
fn json_is_parsed_by_the_same_rules() {
    let path: WorkspacePath = serde_json::from_str(r#""plan//a.md""#).unwrap();
    assert_eq!(serde_json::to_string(&path).unwrap(), r#""plan/a.md""#);
    let refusal = serde_json::from_str::<WorkspacePath>(r#""../x""#)
        .unwrap_err()
        .to_string();
    assert!(refusal.contains("`../x` is not a workspace path"), "{refusal}");
    assert!(serde_json::from_str::<RootName>(r#""checkpoints""#).is_err());
}

/// Texts that lie near the rules: separators, dots, spaces and odd scalars are as likely as letters.
fn near_paths() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        4 => proptest::char::range('a', 'f'),
        2 => Just('/'),
        2 => Just('.'),
        1 => prop::sample::select(vec![' ', '\u{a0}', '\u{3000}', '\\', ':', '\u{200b}', '\0', 'é', 'ß', 'C', 'O', 'N', '1', '¹']),
        1 => any::<char>(),
    ];
    prop::collection::vec(scalar, 0..40).prop_map(String::from_iter)
}

proptest! {
    #[test]
    fn parsing_never_panics(text in any::<String>()) {
        let _ = WorkspacePath::parse_or_root(&text);
        let _ = RootName::declare(&text);
    }

    #[test]
    fn a_parsed_path_is_normal_and_confined(text in near_paths()) {
        if let Ok(path) = WorkspacePath::parse(&text) {
            prop_assert_eq!(WorkspacePath::parse(path.as_str()), Ok(path.clone()));
            prop_assert!(!path.as_str().starts_with('/'));
            prop_assert!(path.components().all(|component| !matches!(component, "" | "." | "..")));
        }
    }

    #[test]
    fn joining_agrees_with_parsing(name in near_paths()) {
        let plan = WorkspacePath::parse("plan").unwrap();
        if let Ok(path) = plan.join(&name) {
            prop_assert_eq!(WorkspacePath::parse(path.as_str()), Ok(path.clone()));
            prop_assert_eq!(path.parent(), Some(plan));
        }
    }
}
