//! What the module `header` promises, tried; no other module is.

use super::*;

fn settled(name: Option<&str>, description: &str, folder: &str) -> Result<Header, SkillProblem> {
    let front = FrontMatter {
        name: name.map(str::to_owned),
        description: Some(description.to_owned()),
        was_repaired: false,
    };
    settle(&front, folder)
}

fn differs(written: &str, folder: &str, used: &str) -> SkillProblem {
    SkillProblem::NameDiffers {
        written: written.to_owned(),
        folder: folder.to_owned(),
        used: used.to_owned(),
    }
}

#[test]
fn a_skill_by_the_book_has_nothing_to_tell() {
    assert_eq!(
        settled(Some("pdf-tools"), "Reads PDF files.", "pdf-tools"),
        Ok(Header {
            name: "pdf-tools".to_owned(),
            description: "Reads PDF files.".to_owned(),
            remarks: vec![],
        })
    );
}

#[test]
fn the_front_matter_names_a_skill_and_else_its_folder_does() {
    for (written, folder, used) in [
        (Some("pdf"), "other", "pdf"),
        (Some("PDF_Tools"), "PDF_Tools", "pdf_tools"),
        (Some("ｐｄｆ"), "pdf", "pdf"),
        (Some("PDF Processing"), "pdf", "pdf"),
        (Some("../../etc"), "pdf", "pdf"),
        (Some(""), "Pdf", "pdf"),
        (None, "pdf", "pdf"),
    ] {
        let header = settled(written, "d", folder).unwrap();
        let told = vec![differs(written.unwrap_or_default(), folder, used)];
        assert_eq!(
            (header.name.as_str(), header.remarks),
            (used, told),
            "{written:?} {folder}"
        );
    }
}

#[test]
fn a_skill_without_any_usable_name_is_left_out() {
    for written in ["", "a b", "日本", "a/b", "..", &"a".repeat(129)] {
        let refused = settled(Some(written), "d", "no name");
        let shown = written.chars().take(128).collect();
        assert_eq!(refused, Err(SkillProblem::NoName { written: shown }), "{written}");
    }
    assert_eq!(settled(Some(&"a".repeat(128)), "d", "x").unwrap().name, "a".repeat(128));
}

#[test]
fn a_blank_description_is_none() {
    for blank in ["", " \n\t", "\u{200b}\u{feff}"] {
        assert_eq!(
            settled(Some("a"), blank, "a"),
            Err(SkillProblem::NoDescription),
            "{blank:?}"
        );
    }
    assert_eq!(settle(&FrontMatter::default(), "a"), Err(SkillProblem::NoDescription));
}

#[test]
fn a_description_becomes_one_visible_line() {
    let header = settled(Some("a"), " one\n  two\u{202e}\t three\u{e0041}\u{0} ", "a").unwrap();
    assert_eq!(header.description, "one two three");
    assert_eq!(header.remarks, [SkillProblem::HiddenCharacters { count: 3 }]);
    let joined = "می\u{200c}خواهم 👩\u{200d}🚀";
    assert_eq!(settled(Some("a"), joined, "a").unwrap().description, joined);
}

#[test]
fn a_long_description_is_told_and_an_endless_one_cut() {
    let of = |chars: usize| settled(Some("a"), &"é".repeat(chars), "a").unwrap();
    assert_eq!(of(1_024).remarks, []);
    assert_eq!(of(1_068).remarks, [SkillProblem::LongDescription { chars: 1_068 }]);
    assert_eq!(of(1_068).description.chars().count(), 1_068);
    assert_eq!(of(MAX_DESCRIPTION_CHARS).description, "é".repeat(MAX_DESCRIPTION_CHARS));
    let cut = of(100_000);
    assert_eq!(cut.description, format!("{}…", "é".repeat(MAX_DESCRIPTION_CHARS - 1)));
    assert_eq!(cut.remarks, [SkillProblem::LongDescription { chars: 100_000 }]);
}
