//! What the module `policy_file` promises, tried on real files.

use super::*;
use Permission::{Allow, Ask, Deny};

/// A file in a data root of its own.
struct Data {
    root: tempfile::TempDir,
    file: PolicyFile,
}

impl Data {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let file = PolicyFile::new(root.path().join("data"));
        Self { root, file }
    }

    fn with(text: impl AsRef<[u8]>) -> Self {
        let data = Self::new();
        std::fs::create_dir_all(data.root.path().join("data")).unwrap();
        std::fs::write(data.file.path(), text).unwrap();
        data
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.file.path()).unwrap()
    }

    fn rules(&self) -> Vec<(Party, String, Permission)> {
        let rules = self.file.read(&any).unwrap().unwrap();
        rules
            .into_iter()
            .map(|rule| (rule.party, rule.target, rule.permission))
            .collect()
    }

    fn set(&self, target: &str, permission: Permission) -> bool {
        self.file.set(Party::User, target, permission, &any).unwrap()
    }
}

/// Every name but one is good.
fn any(target: &str) -> Result<(), String> {
    if target == "nonsense" {
        return Err("is nonsense".to_owned());
    }
    Ok(())
}

/// Line, column and problem of the flaw in a text.
fn flaw(text: impl AsRef<[u8]>) -> (usize, usize, String) {
    match Data::with(text).file.read(&any) {
        Err(PolicyFileError::Damaged { place, problem, .. }) => (place.line, place.column, problem),
        other => panic!("{other:?}"),
    }
}

#[test]
fn no_file_is_no_policy() {
    assert!(Data::new().file.read(&any).unwrap().is_none());
    assert_eq!(Data::with("").file.read(&any).unwrap(), Some(Vec::new()));
}

#[test]
fn every_way_to_write_a_rule_is_read_with_its_place() {
    let text = "\u{feff}# mine\r\nsource = { mcp = \"ask\" }\r\n[user]\r\nbuiltin = 'deny' # all\r\n  \"builtin:dice.roll\" = \"allow\"\r\n[platform]\r\n";
    let rule = |party, target: &str, permission, line, column| PolicyRule {
        party,
        target: target.to_owned(),
        permission,
        place: Place { line, column },
    };
    let expected = vec![
        rule(Party::Source, "mcp", Ask, 2, 12),
        rule(Party::User, "builtin", Deny, 4, 1),
        rule(Party::User, "builtin:dice.roll", Allow, 5, 3),
    ];
    assert_eq!(Data::with(text).file.read(&any).unwrap(), Some(expected));
}

#[test]
fn a_flaw_has_a_place_and_says_what_is_wrong_there() {
    let told = |line, column, problem: &str| (line, column, problem.to_owned());
    let tables = "there are [user], [source] and [platform]";
    assert_eq!(
        flaw("[user]\n\n[usr]\n"),
        told(3, 2, &format!("`usr` is not known; {tables}"))
    );
    assert_eq!(
        flaw("mcp = \"deny\""),
        told(1, 1, &format!("`mcp` is not known; {tables}"))
    );
    assert_eq!(
        flaw("user = \"deny\""),
        told(1, 1, "`user` must be a table, written [user]")
    );
    assert_eq!(flaw("[[user]]\n"), told(1, 3, "`user` must be a table, written [user]"));
    assert_eq!(
        flaw("[source]\n  nonsense = \"deny\""),
        told(2, 3, "`nonsense` is nonsense")
    );
    let words = "must be \"allow\", \"ask\" or \"deny\", and not";
    assert_eq!(
        flaw("[user]\nmcp = \"Deny\""),
        told(2, 7, &format!("`mcp` {words} `Deny`"))
    );
    assert_eq!(
        flaw("[user]\nmcp = true"),
        told(2, 7, &format!("`mcp` {words} a boolean"))
    );
    assert_eq!(flaw("[user]\nmcp.x = \"deny\"").1, 1);
}

#[test]
fn what_is_no_toml_or_no_text_has_a_place_too() {
    assert_eq!((flaw("[user]\nmcp = deny\n").0, flaw("[user]\nmcp = deny\n").1), (2, 7));
    assert_eq!(flaw("[user]\nbuiltin:dice.roll = \"deny\"\n").0, 2);
    assert_eq!(flaw("[user]\nmcp = \"ask\"\nmcp = \"deny\"\n").0, 3);
    assert_eq!(
        flaw(b"[user]\n# \xc3\xa9t\xe9\n"),
        (2, 5, "this is not UTF-8 text".to_owned())
    );
    let deep = format!("user = {}{}", "[".repeat(50_000), "]".repeat(50_000));
    assert_eq!(flaw(deep).0, 1);
}

#[test]
fn a_change_leaves_everything_else_as_it_was() {
    let text = "# head\n\n[source] # where from\nmcp = \"ask\"   # for now\n\n# mine\n[user]\n'extension/mood' = 'allow' # why\n# end\n";
    let data = Data::with(text);
    assert!(data.set("mcp", Deny));
    assert!(data.set("builtin:dice.roll", Ask));
    let expected = "# head\n\n[source] # where from\nmcp = \"deny\"   # for now\n\n# mine\n[user]\n'extension/mood' = 'allow' # why\n\"builtin:dice.roll\" = \"ask\"\n# end\n";
    assert_eq!(data.text(), expected);
}

#[test]
fn a_change_that_changes_nothing_writes_nothing() {
    let data = Data::with("[user]\nmcp='ask'");
    assert!(!data.set("mcp", Ask));
    assert_eq!(data.text(), "[user]\nmcp='ask'");
}

#[test]
fn a_target_is_changed_wherever_the_user_speaks_of_it_and_never_for_the_application() {
    let data = Data::with("[user]\nmcp = \"deny\"\n[source]\nmcp = \"deny\"\n[platform]\nmcp = \"deny\"\n");
    data.set("mcp", Allow);
    let rule = |party, permission| (party, "mcp".to_owned(), permission);
    assert_eq!(
        data.rules(),
        [
            rule(Party::User, Allow),
            rule(Party::Source, Allow),
            rule(Party::Platform, Deny)
        ]
    );
}

#[test]
fn a_new_file_explains_itself_and_a_lonely_comment_stays_first() {
    let data = Data::new();
    data.set("builtin:dice.roll", Deny);
    assert_eq!(
        data.text(),
        format!("{}\n[user]\n\"builtin:dice.roll\" = \"deny\"\n", edit::HEAD)
    );
    let data = Data::with("# only words");
    data.set("mcp", Deny);
    assert_eq!(data.text(), "# only words\n\n[user]\nmcp = \"deny\"\n");
}

#[test]
fn a_file_with_a_flaw_is_never_changed() {
    let text = "[user]\nmcp = \"no\"\n";
    let data = Data::with(text);
    let error = data.file.set(Party::User, "builtin", Deny, &any).unwrap_err();
    assert_eq!(error.code(), "store.policy_damaged");
    assert_eq!(data.text(), text);
}

#[test]
fn changes_at_the_same_time_are_all_kept() {
    let data = Data::new();
    let names: Vec<String> = ('a'..='h').map(|letter| format!("extension/{letter}")).collect();
    std::thread::scope(|scope| {
        for name in &names {
            scope.spawn(|| data.set(name, Deny));
        }
    });
    let mut kept: Vec<String> = data.rules().into_iter().map(|(_, target, _)| target).collect();
    kept.sort();
    assert_eq!(kept, names);
}

#[test]
fn a_file_that_is_too_large_is_not_read() {
    let data = Data::with("#".repeat(1_048_577));
    let error = data.file.read(&any).unwrap_err();
    assert_eq!((error.code(), error.place()), ("store.policy_unreadable", None));
    std::fs::write(data.file.path(), "#".repeat(1_048_576)).unwrap();
    assert_eq!(data.file.read(&any).unwrap(), Some(Vec::new()));
    let error = data.file.set(Party::User, "mcp", Deny, &any).unwrap_err();
    assert_eq!(error.code(), "store.policy_write_failed");
}

#[cfg(unix)]
#[test]
fn a_link_a_folder_and_a_pipe_are_refused_and_left_alone() {
    let data = Data::with("");
    let path = data.file.path();
    let other = data.root.path().join("other.toml");
    std::fs::write(&other, "[user]\n").unwrap();
    let put: [&dyn Fn(); 3] = [
        &|| std::os::unix::fs::symlink(&other, &path).unwrap(),
        &|| std::fs::create_dir(&path).unwrap(),
        &|| {
            let mode = rustix::fs::Mode::from_raw_mode(0o600);
            rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        },
    ];
    std::fs::remove_file(&path).unwrap();
    for put in put {
        put();
        let codes = [
            data.file.read(&any).unwrap_err().code(),
            data.file.set(Party::User, "mcp", Deny, &any).unwrap_err().code(),
            data.file.reset(&any).unwrap_err().code(),
        ];
        assert_eq!(codes, ["store.policy_unreadable"; 3]);
        let _ = std::fs::remove_dir(&path).or_else(|_| std::fs::remove_file(&path));
    }
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "[user]\n");
}

#[test]
fn a_reset_takes_the_users_rules_and_leaves_the_applications() {
    let data = Data::with("# head\n[user] # mine\nmcp = \"deny\"\n[platform]\nmcp = \"ask\" # theirs\n");
    assert_eq!(data.file.reset(&any).unwrap(), Reset::Cleared);
    assert_eq!(
        data.text(),
        "# head\n[user] # mine\n[platform]\nmcp = \"ask\" # theirs\n"
    );
    assert_eq!(Data::new().file.reset(&any).unwrap(), Reset::NoFile);
}

#[test]
fn a_reset_keeps_a_file_with_a_flaw_and_what_the_application_says_in_it() {
    let text = "[user]\nmcp = 3\n[usr]\n[platform]\nmcp = \"ask\"\n";
    let data = Data::with(text);
    std::fs::write(data.file.path().with_extension("toml.old-1"), "older").unwrap();
    let kept = data.file.path().with_extension("toml.old-2");
    let done = Reset::SetAside {
        kept: kept.clone(),
        platform_rules: 1,
    };
    assert_eq!(data.file.reset(&any).unwrap(), done);
    assert_eq!(std::fs::read_to_string(kept).unwrap(), text);
    assert_eq!(data.rules(), [(Party::Platform, "mcp".to_owned(), Ask)]);
}

#[test]
fn a_reset_sets_aside_what_is_no_toml() {
    for text in [&b"[user"[..], b"\xff", &vec![b'#'; 1_048_577]] {
        let data = Data::with(text);
        let kept = data.file.path().with_extension("toml.old-1");
        let done = Reset::SetAside {
            kept: kept.clone(),
            platform_rules: 0,
        };
        assert_eq!(data.file.reset(&any).unwrap(), done);
        assert_eq!(std::fs::read(kept).unwrap(), text);
        assert!(data.file.read(&any).unwrap().is_none());
    }
}
