//! For every file and every series of changes: reading never panics, and what was set last is what is read.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

fn any_name(_: &str) -> Result<(), String> {
    Ok(())
}

fn permissions() -> impl Strategy<Value = Permission> {
    prop_oneof![Just(Permission::Allow), Just(Permission::Ask), Just(Permission::Deny)]
}

/// Names as rules have them, and names with everything that could break out of quotes.
fn names() -> impl Strategy<Value = String> {
    prop_oneof!["[a-c]", "builtin:[a-c]\\.[a-c]", ".{0,6}", "[\"'\\\\\n\u{7}#=]{0,3}"]
}

/// Text that looks like a policy file more often than chance would have it.
fn almost_files() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        Just("[user]\n".to_owned()),
        Just("[source]\n".to_owned()),
        Just("[platform]\n".to_owned()),
        Just("mcp = \"ask\"\n".to_owned()),
        Just("# words\n".to_owned()),
        Just("user.a = 'deny'\n".to_owned()),
        Just("source = { a = \"allow\" }\n".to_owned()),
        ".{0,8}",
    ];
    proptest::collection::vec(pieces, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn what_was_set_last_is_read(changes in proptest::collection::vec((names(), permissions()), 1..12)) {
        let mut text = edit::HEAD.to_owned();
        let mut expected = BTreeMap::new();
        for (name, permission) in changes {
            text = edit::set(&text, Party::User, &name, permission).unwrap();
            expected.insert(name, permission);
        }
        let rules = form::parse(text.as_bytes(), &any_name).unwrap();
        let read: BTreeMap<String, Permission> = rules.into_iter().map(|rule| (rule.target, rule.permission)).collect();
        prop_assert_eq!(read, expected);
        prop_assert!(text.starts_with(edit::HEAD));
    }

    #[test]
    fn a_change_of_a_sound_file_changes_one_rule(text in almost_files(), name in names(), permission in permissions()) {
        let Ok(before) = form::parse(text.as_bytes(), &any_name) else { return Ok(()) };
        let after = edit::set(&text, Party::Source, &name, permission).unwrap();
        let after = form::parse(after.as_bytes(), &any_name).unwrap();
        let others = |rules: &[PolicyRule]| {
            let is_other = |rule: &&PolicyRule| rule.target != name || rule.party == Party::Platform;
            let mut others: Vec<_> = rules.iter().filter(is_other).map(|rule| (rule.party, rule.target.clone(), rule.permission)).collect();
            others.sort_by(|one, other| (one.0, &one.1).cmp(&(other.0, &other.1)));
            others
        };
        prop_assert_eq!(others(&after), others(&before));
        let own: Vec<_> = after.iter().filter(|rule| rule.target == name && rule.party != Party::Platform).collect();
        prop_assert!(!own.is_empty() && own.iter().all(|rule| rule.permission == permission));
    }

    #[test]
    fn a_flaw_lies_in_the_file(bytes in prop_oneof![almost_files().prop_map(String::into_bytes), proptest::collection::vec(any::<u8>(), 0..64)]) {
        if let Err(flaw) = form::parse(&bytes, &any_name) {
            let lines = bytes.split(|byte| *byte == b'\n').count();
            prop_assert!((1..=lines).contains(&flaw.place.line) && flaw.place.column >= 1);
            prop_assert!(!flaw.problem.contains('\n'));
        }
    }

    #[test]
    fn nothing_of_the_user_is_left_by_a_reset(text in almost_files()) {
        if let Some(rest) = edit::without_user(&text) {
            let rules = form::parse(rest.as_bytes(), &any_name);
            if let Ok(rules) = rules {
                prop_assert!(rules.iter().all(|rule| rule.party == Party::Platform));
            }
        }
    }
}
