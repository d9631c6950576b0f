//! The digest sees every change of a source and nothing else.

use super::*;

/// A checkout with one family.
fn checkout() -> (tempfile::TempDir, Family) {
    let root = tempfile::tempdir().expect("a folder");
    for shared in SHARED {
        let path = root.path().join(shared);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        if path.extension().is_some() {
            fs::write(&path, shared).expect("a file");
        } else {
            fs::create_dir_all(&path).expect("a folder");
        }
    }
    fs::create_dir_all(root.path().join("wit/tool")).expect("a folder");
    let folder = root.path().join("plugins/dice");
    fs::create_dir_all(folder.join("src")).expect("a folder");
    fs::write(folder.join("src/lib.rs"), "one").expect("a file");
    let family = Family {
        name: "dice".into(),
        package: "innkeeper-dice".into(),
        folder,
    };
    (root, family)
}

#[test]
fn a_changed_added_or_renamed_file_changes_the_digest() {
    let (root, family) = checkout();
    let mut seen = vec![digest(root.path(), &family).expect("a digest")];
    let source = family.folder.join("src/lib.rs");
    let changes: [&dyn Fn() -> std::io::Result<()>; 4] = [
        &|| fs::write(&source, "two"),
        &|| fs::write(root.path().join("wit/tool/new.wit"), ""),
        &|| fs::rename(&source, family.folder.join("src/guest.rs")),
        &|| fs::write(root.path().join("plugins/Cargo.lock"), "other"),
    ];
    for change in changes {
        change().expect("a change");
        let now = digest(root.path(), &family).expect("a digest");
        assert!(!seen.contains(&now));
        seen.push(now);
    }
}

#[test]
fn another_family_hidden_files_and_readmes_do_not_change_it() {
    let (root, family) = checkout();
    let before = digest(root.path(), &family).expect("a digest");
    fs::create_dir_all(root.path().join("plugins/chat")).expect("a folder");
    fs::write(root.path().join("plugins/chat/lib.rs"), "x").expect("a file");
    fs::write(family.folder.join("src/.lib.rs.swp"), "x").expect("a file");
    fs::write(root.path().join("wit/README.md"), "x").expect("a file");
    assert_eq!(digest(root.path(), &family).expect("a digest"), before);
}

#[test]
fn sha256_is_lower_case_hex() {
    assert_eq!(
        sha256(b"abc"),
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
}
