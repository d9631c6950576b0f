//! What the module `front_matter` promises, tried; no other module is.

use proptest::prelude::*;

use super::*;

fn found(name: &str, description: &str) -> FrontMatter {
    FrontMatter {
        name: Some(name.to_owned()),
        description: Some(description.to_owned()),
        was_repaired: false,
    }
}

fn repaired(name: &str, description: &str) -> FrontMatter {
    FrontMatter {
        was_repaired: true,
        ..found(name, description)
    }
}

fn reason(text: &str) -> String {
    match read(text) {
        Err(SkillProblem::Yaml { reason }) => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn line_ends_marks_and_blank_lines_do_not_matter() {
    let plain = "---\nname: a\ndescription: does b\n---\nbody\n";
    for text in [
        plain.to_owned(),
        plain.replace('\n', "\r\n"),
        format!("\u{feff}{plain}"),
        format!("\u{feff}{}", plain.replace('\n', "\r\n")),
        format!("\n  \n{plain}"),
        "---  \nname: a\ndescription: does b\n---\t\n".to_owned(),
        "---\nname: a\ndescription: does b\n---".to_owned(),
    ] {
        assert_eq!(read(&text), Ok(found("a", "does b")), "{text:?}");
    }
}

#[test]
fn a_fence_is_a_whole_line() {
    assert_eq!(
        read("---\nname: a\ndescription: \"one --- two\"\n---\n"),
        Ok(found("a", "one --- two"))
    );
    assert_eq!(
        read("---\nname: a\ndescription: |\n  one\n  ---\n  two\n---\n"),
        Ok(found("a", "one\n---\ntwo\n"))
    );
}

#[test]
fn missing_fences_are_told_apart() {
    assert_eq!(read(""), Err(SkillProblem::NoFrontMatter));
    assert_eq!(read("# A skill\n---\nname: a\n---\n"), Err(SkillProblem::NoFrontMatter));
    assert_eq!(read("----\nname: a\n----\n"), Err(SkillProblem::NoFrontMatter));
    assert_eq!(read("---\nname: a\n"), Err(SkillProblem::FrontMatterOpen));
    assert_eq!(read("---\n---\nbody"), Ok(FrontMatter::default()));
}

#[test]
fn other_keys_may_hold_anything() {
    let text = "---\nname: a\nversion: 1.2\nuser-invocable: true\nallowed-tools:\n  - Read\n  - Bash(git:*)\n\
                metadata:\n  size: 3\n  tags: [x, y]\nmodel: {a: [1, {b: 2}]}\ndescription: b\n---\n";
    assert_eq!(read(text), Ok(found("a", "b")));
    assert_eq!(
        read("---\nname: a\nallowed-tools: Read, Bash(git add:*)\ndescription: b\n---\n"),
        Ok(found("a", "b"))
    );
}

#[test]
fn scalars_are_taken_as_they_are_written() {
    assert_eq!(read("---\nname: 123\ndescription: yes\n---\n"), Ok(found("123", "yes")));
    assert_eq!(read("---\nname:\ndescription: ~\n---\n"), Ok(FrontMatter::default()));
}

#[test]
fn the_last_of_two_equal_keys_counts() {
    assert_eq!(
        read("---\nname: a\ndescription: old\ndescription: new\n---\n"),
        Ok(found("a", "new"))
    );
}

#[test]
fn a_text_with_a_colon_is_read_as_if_quoted() {
    assert_eq!(
        read("---\nname: a\ndescription: Use when: it's asked\n---\n"),
        Ok(repaired("a", "Use when: it's asked"))
    );
    assert_eq!(
        read("---\nname: a\ndescription: Use when: asked\n  for more: of it\nmetadata:\n  x: 1\n---\n"),
        Ok(repaired("a", "Use when: asked for more: of it"))
    );
}

#[test]
fn what_is_no_mapping_is_refused_in_one_line() {
    for text in [
        "---\n- a\n- b\n---\n",
        "---\njust text\n---\n",
        "---\nname: [a\n---\n",
        "---\ndescription: [a, b]\n---\n",
        "---\nname: a\n...\nmore: b\n---\n",
        "---\nname: *nowhere\n---\n",
    ] {
        let reason = reason(text);
        assert!(
            !reason.is_empty() && !reason.contains('\n') && reason.chars().count() <= 200,
            "{reason}"
        );
    }
}

#[test]
fn the_length_is_bounded() {
    let of = |bytes: usize| format!("---\nname: a\ndescription: b\n#{}\n---\n", "x".repeat(bytes - 25));
    assert_eq!(read(&of(MAX_FRONT_MATTER_BYTES)), Ok(found("a", "b")));
    assert_eq!(
        read(&of(MAX_FRONT_MATTER_BYTES + 1)),
        Err(SkillProblem::FrontMatterTooLarge {
            bytes: MAX_FRONT_MATTER_BYTES + 1,
            limit: MAX_FRONT_MATTER_BYTES
        })
    );
}

#[test]
fn depth_is_bounded() {
    let nested = |depth: usize| {
        format!(
            "---\nname: a\ndescription: b\nx: {}{}\n---\n",
            "[".repeat(depth),
            "]".repeat(depth)
        )
    };
    assert_eq!(read(&nested(20)), Ok(found("a", "b")));
    reason(&nested(40));
    reason(&nested(20_000));
}

#[test]
fn aliases_cannot_grow_a_text() {
    assert_eq!(
        read("---\nx: &x b\nname: a\ndescription: *x\n---\n"),
        Ok(found("a", "b"))
    );
    let mut bomb = "---\nname: a\ndescription: b\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let before = format!("*a{}", level - 1);
        bomb.push_str(&format!("a{level}: &a{level} [{}]\n", vec![before; 10].join(", ")));
    }
    bomb.push_str("---\n");
    reason(&bomb);
}

proptest! {
    #[test]
    fn any_text_gives_an_answer(text in any::<String>()) {
        let _ = read(&text);
        let _ = read(&format!("---\n{text}\n---\n"));
    }

    #[test]
    fn any_yaml_like_text_gives_an_answer(text in "[-a: \\[\\]{}&*!|>'\"#%@`,?\n\t\r0\u{feff}é]{0,80}") {
        let _ = read(&format!("---\n{text}\n---\n"));
    }

    #[test]
    fn a_plain_text_survives_its_repair(text in "[a-z][a-z' ]{0,20}: [a-z][a-z':# ]{0,20}[a-z]") {
        let read = read(&format!("---\nname: a\ndescription: {text}\n---\n"));
        prop_assert_eq!(read, Ok(repaired("a", &text)));
    }
}
